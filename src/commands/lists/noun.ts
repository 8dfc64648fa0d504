import { defineCommand, type Verb } from '../../cli/verb.ts'
import { addContacts } from './add-contacts.ts'
import { create } from './create.ts'
import { get } from './get.ts'
import { list } from './list.ts'
import { members } from './members.ts'
import { update } from './update.ts'

export const lists: Verb = (program, run) => {
  const noun = defineCommand(program, 'lists', 'contact lists and who is in them', [
    'svc lists list --search VIP',
    'svc lists members VIP -o ids',
  ])
  for (const verb of [list, get, members, create, update, addContacts]) verb(noun, run)
}

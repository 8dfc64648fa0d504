import { summaries } from '../../cli/summaries.ts'
import type { Noun } from '../../cli/command.ts'
import { addContacts } from './add-contacts.ts'
import { create } from './create.ts'
import { get } from './get.ts'
import { list } from './list.ts'
import { members } from './members.ts'
import { update } from './update.ts'

export const lists: Noun = {
  path: 'lists',
  summary: summaries.lists,
  examples: ['svc lists list --search VIP', 'svc lists members VIP -o ids'],
  commands: [list, get, members, create, update, addContacts],
}

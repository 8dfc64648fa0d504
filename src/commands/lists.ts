import type { Command } from '@commander-js/extra-typings'
import type { Run } from '../verb.ts'
import { addContacts } from './lists/add-contacts.ts'
import { create } from './lists/create.ts'
import { get } from './lists/get.ts'
import { list } from './lists/list.ts'
import { members } from './lists/members.ts'
import { update } from './lists/update.ts'
import { examples } from './options.ts'

export function lists(program: Command, run: Run): void {
  const noun = program
    .command('lists')
    .summary('contact lists and who is in them')
    .description('Contact lists and who is in them.')
    .addHelpText('after', examples('svc lists list --search VIP', 'svc lists members VIP -o ids'))
  for (const verb of [list, get, members, create, update, addContacts]) verb(noun, run)
}

import type { Command } from '@commander-js/extra-typings'
import type { Run } from '../../cli/verb.ts'
import { addContacts } from './add-contacts.ts'
import { create } from './create.ts'
import { diff } from './diff.ts'
import { get } from './get.ts'
import { list } from './list.ts'
import { members } from './members.ts'
import { update } from './update.ts'
import { examples } from '../../cli/options.ts'

export function lists(program: Command, run: Run): void {
  const noun = program
    .command('lists')
    .summary('contact lists and who is in them')
    .description('Contact lists and who is in them.')
    .addHelpText('after', examples('svc lists list --search VIP', 'svc lists members VIP -o ids'))
  for (const verb of [list, get, members, diff, create, update, addContacts]) verb(noun, run)
}

import type { Command } from '@commander-js/extra-typings'
import type { Run } from '../../cli/verb.ts'
import { deleteContacts } from './delete.ts'
import { duplicates } from './duplicates.ts'
import { find } from './find.ts'
import { get } from './get.ts'
import { list } from './list.ts'
import { match } from './match.ts'
import { merge } from './merge.ts'
import { examples } from '../../cli/options.ts'

export function contacts(program: Command, run: Run): void {
  const noun = program
    .command('contacts')
    .summary('list, find, merge and delete contacts')
    .description('List, find, merge and delete contacts.')
    .addHelpText(
      'after',
      examples('svc contacts find --email contact25@example.com', 'svc contacts delete --file ids.txt --dry-run'),
    )
  for (const verb of [list, get, find, match, duplicates, merge, deleteContacts]) verb(noun, run)
}

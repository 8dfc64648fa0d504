import type { Command } from '@commander-js/extra-typings'
import type { Run } from '../../cli/verb.ts'
import { deleteContacts } from './delete.ts'
import { merge } from './merge.ts'
import { examples } from '../../cli/options.ts'

export function contacts(program: Command, run: Run): void {
  const noun = program
    .command('contacts')
    .summary('merge and delete contacts')
    .description('Merge and delete contacts.')
    .addHelpText('after', examples('svc contacts delete --file ids.txt --dry-run'))
  for (const verb of [merge, deleteContacts]) verb(noun, run)
}

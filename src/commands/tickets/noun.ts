import type { Command } from '@commander-js/extra-typings'
import type { Run } from '../../cli/verb.ts'
import { assign } from './assign.ts'
import { get } from './get.ts'
import { history } from './history.ts'
import { examples } from '../../cli/options.ts'

export function tickets(program: Command, run: Run): void {
  const noun = program
    .command('tickets')
    .summary('tickets, their history and assignee')
    .description(
      'Tickets, their history and their assignee. The id of a ticket stands in its address in the service, which can be pasted\n' +
        'in its place. The service cannot list tickets, not even those of a contact.',
    )
    .addHelpText(
      'after',
      examples(
        'svc tickets history 64000004caa033e218000000 -o transcript',
        'svc tickets assign 64000004caa033e218000000 --to "Robin Berg"',
      ),
    )
  for (const verb of [get, history, assign]) verb(noun, run)
}

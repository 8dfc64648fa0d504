import type { Command } from '@commander-js/extra-typings'
import type { Run } from '../verb.ts'
import { assign } from './tickets/assign.ts'
import { get } from './tickets/get.ts'
import { history } from './tickets/history.ts'
import { examples } from './options.ts'

export function tickets(program: Command, run: Run): void {
  const noun = program
    .command('tickets')
    .summary('tickets, their history and assignee')
    .description('Tickets, their history and their assignee.')
    .addHelpText(
      'after',
      examples(
        'svc tickets history 64000004caa033e218000000 -o transcript',
        'svc tickets assign 64000004caa033e218000000 --to "Robin Berg"',
      ),
    )
  for (const verb of [get, history, assign]) verb(noun, run)
}

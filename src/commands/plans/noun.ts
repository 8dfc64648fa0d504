import type { Command } from '@commander-js/extra-typings'
import { examples } from '../../cli/options.ts'
import type { Run } from '../../cli/verb.ts'
import { apply } from './apply.ts'
import { approve } from './approve.ts'
import { show } from './show.ts'

export function plans(program: Command, run: Run): void {
  const noun = program
    .command('plans')
    .summary('plans of bulk commands: show, approve, apply')
    .description(
      'Plans of bulk commands: --plan writes what would be sent as a file, somebody else looks at it and signs it, and it is\n' +
        'applied once, exactly as it is.',
    )
    .addHelpText(
      'after',
      examples(
        'svc contacts delete --file ids.txt --plan old.plan --reason "DSAR 4711"',
        'svc plans approve old.plan',
        'svc plans apply old.plan --yes',
      ),
    )
  for (const verb of [show, approve, apply]) verb(noun, run)
}

import type { Command } from '@commander-js/extra-typings'
import type { Run } from '../../cli/verb.ts'
import { exec } from './exec.ts'
import { shell } from './shell.ts'
import { start } from './start.ts'
import { examples } from '../../cli/options.ts'

export function sandbox(program: Command, run: Run): void {
  const noun = program
    .command('sandbox')
    .summary('the whole service on this machine, to try things')
    .description(
      'The whole service on this machine, with data that is always the same, to try and to test things with.',
    )
    .addHelpText(
      'after',
      examples('svc sandbox shell', 'svc sandbox exec -- svc lists get VIP', 'svc sandbox start --port 0'),
    )
  for (const verb of [shell, exec, start]) verb(noun, run)
}

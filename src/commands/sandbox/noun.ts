import type { Command } from '@commander-js/extra-typings'
import type { Run } from '../../cli/verb.ts'
import { exec } from './exec.ts'
import { shell } from './shell.ts'
import { start } from './start.ts'
import { examples } from '../../cli/options.ts'

export function sandbox(program: Command, run: Run): void {
  const noun = program
    .command('sandbox')
    .summary('try svc against a copy of the service on this machine')
    .description(
      'Run the whole service on this machine, with sample data that is always the same, to try and test things.',
    )
    .addHelpText(
      'after',
      examples('svc sandbox shell', 'svc sandbox exec -- svc lists get VIP', 'svc sandbox start --port 0'),
    )
  for (const verb of [shell, exec, start]) verb(noun, run)
}

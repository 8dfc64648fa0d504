import type { Command } from '@commander-js/extra-typings'
import type { Run } from '../verb.ts'
import { exec } from './sandbox/exec.ts'
import { shell } from './sandbox/shell.ts'
import { start } from './sandbox/start.ts'
import { examples } from './options.ts'

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

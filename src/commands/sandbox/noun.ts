import { defineCommand, type Verb } from '../../cli/verb.ts'
import { exec } from './exec.ts'
import { shell } from './shell.ts'
import { start } from './start.ts'

export const sandbox: Verb = (program, run) => {
  const noun = defineCommand(program, 'sandbox', 'try svc against a copy of the service on this machine', [
    'svc sandbox shell',
    'svc sandbox exec -- svc lists get VIP',
    'svc sandbox start --port 0',
  ]).description(
    'Run the whole service on this machine, with sample data that is always the same, to try and test things.',
  )
  for (const verb of [shell, exec, start]) verb(noun, run)
}

import { summaries } from '../../cli/summaries.ts'
import type { Noun } from '../../cli/command.ts'
import { exec } from './exec.ts'
import { shell } from './shell.ts'
import { start } from './start.ts'

export const sandbox: Noun = {
  path: 'sandbox',
  summary: summaries.sandbox,
  description:
    'Run the whole service on this machine, with sample data that is always the same, to try and test things.',
  examples: ['svc sandbox shell', 'svc sandbox exec -- svc lists get VIP', 'svc sandbox start --port 0'],
  commands: [shell, exec, start],
}

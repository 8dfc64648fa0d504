import type { Command } from '@commander-js/extra-typings'
import type { Run } from '../../cli/verb.ts'
import { evidence } from './evidence.ts'
import { exportRun } from './export.ts'
import { list } from './list.ts'
import { prune } from './prune.ts'
import { resume } from './resume.ts'
import { retry } from './retry.ts'
import { show } from './show.ts'
import { undo } from './undo.ts'
import { examples } from '../../cli/options.ts'

export function runs(program: Command, run: Run): void {
  const noun = program
    .command('runs')
    .summary('recorded bulk runs: show, resume, retry, undo, prune')
    .description(
      'Recorded bulk runs: see what became of each id, resume after a stop, send some ids again, undo assigns.',
    )
    .addHelpText('after', examples('svc runs list', 'svc runs resume --last'))
  for (const verb of [list, show, resume, retry, undo, exportRun, evidence, prune]) verb(noun, run)
}

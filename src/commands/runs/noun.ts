import { summaries } from '../../cli/summaries.ts'
import type { Noun } from '../../cli/command.ts'
import { checkRun } from './check.ts'
import { evidence } from './evidence.ts'
import { exportRun } from './export.ts'
import { list } from './list.ts'
import { prune } from './prune.ts'
import { resume } from './resume.ts'
import { retry } from './retry.ts'
import { show } from './show.ts'
import { undo } from './undo.ts'

export const runs: Noun = {
  path: 'runs',
  summary: summaries.runs,
  description:
    'Recorded bulk runs: see what became of each id, resume after a stop, send some ids again, undo assigns.',
  examples: ['svc runs list', 'svc runs resume --last'],
  commands: [list, show, resume, retry, undo, exportRun, evidence, checkRun, prune],
}

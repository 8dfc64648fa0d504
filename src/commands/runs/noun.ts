import { defineCommand, type Verb } from '../../cli/verb.ts'
import { checkRun } from './check.ts'
import { evidence } from './evidence.ts'
import { exportRun } from './export.ts'
import { list } from './list.ts'
import { prune } from './prune.ts'
import { resume } from './resume.ts'
import { retry } from './retry.ts'
import { show } from './show.ts'
import { undo } from './undo.ts'

export const runs: Verb = (program, run) => {
  const noun = defineCommand(program, 'runs', 'recorded bulk runs: show, resume, retry, undo, check, prune', [
    'svc runs list',
    'svc runs resume --last',
  ]).description(
    'Recorded bulk runs: see what became of each id, resume after a stop, send some ids again, undo assigns.',
  )
  for (const verb of [list, show, resume, retry, undo, exportRun, evidence, checkRun, prune]) verb(noun, run)
}

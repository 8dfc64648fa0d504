/** The columns in which runs are shown. Called by `runs list`, `runs prune` and `commands/runs/reading.ts`. */
import { columnsFor } from '../output/columns.ts'
import type { View } from '../output/result.ts'
import { groupDigits } from '../words.ts'
import type { Run } from './documents.ts'

/** The status in words: whether anything is left to do, and whether all of it is done. */
function stateOf({ status, ids, done, left }: Run): string {
  if (status === 'running') return status
  if (left === null || ids === null || done === null) return status
  if (left > 0) return 'unfinished'
  const notDone = ids - done
  return notDone > 0 ? `finished, ${groupDigits(notDone)} not done` : 'finished'
}

export const runView: View<Run> = {
  columns: columnsFor(
    'run:id',
    'startedAt as STARTED',
    { title: 'OPERATION', field: 'operation', floor: 12 },
    'target',
    // Never cut: it says what is not done.
    { title: 'STATUS', field: 'state', kind: 'state', floor: Infinity },
    'ids:number',
  ),
  computed: { state: stateOf },
  id: ({ run }) => run,
}

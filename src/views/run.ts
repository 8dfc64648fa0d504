import type { PrintOptions, View } from '../output/result.ts'
import { groupDigits } from '../words.ts'
import type { Run } from './documents.ts'

/** `lists.add-contacts` in one word. */
export const shortOperation = (operation: string): string =>
  /\.([a-z]+)/.exec(operation)?.[1] ?? operation

/** The status in words: whether anything is left to do, and whether all of it is done. */
function stateOf({ status, ids, done, left }: Run): string {
  if (left === null || ids === null || done === null || status === 'running') return status
  if (left > 0) return 'unfinished'
  return done < ids ? `finished, ${groupDigits(ids - done)} not done` : 'finished'
}

/** `3d` of `3d ago`, `11-17` of `2026-11-17 10:15`: the run's id has the year. */
const shortTime = (time: string): string =>
  /^\d{4}-(\d\d-\d\d)/.exec(time)?.[1] ?? time.replace(/^just | ago$/, '')

/** `4 not done` of `finished, 4 not done`. */
const shortState = (state: string): string => state.replace(/^finished, /, '')

export const runView: View<Run> = {
  columns: [
    { title: 'RUN', field: 'run', kind: 'id' },
    { title: 'NAME', field: 'name', floor: 3 },
    {
      title: 'STARTED',
      field: 'startedAt',
      kind: 'time',
      dated: 'always',
      floor: 3,
      short: { title: 'DATE', word: shortTime },
    },
    { title: 'OPERATION', field: 'operation', short: { title: 'OP', word: shortOperation } },
    { title: 'TARGET', field: 'target', floor: 3 },
    {
      title: 'STATUS',
      field: 'state',
      kind: 'state',
      floor: 20,
      short: { title: 'STATUS', word: shortState },
    },
    { title: 'IDS', field: 'ids', kind: 'number', floor: 3 },
    { title: 'DONE', field: 'done', kind: 'number', floor: 4 },
    { title: 'LEFT', field: 'left', kind: 'number', floor: 4 },
    { title: 'REASON', field: 'reason' },
  ],
  computed: { state: stateOf },
  id: ({ run }) => run,
}

/** Cells of a terminal from which a table has room for reasons. */
const roomForReasons = 110

/** The view of a terminal without room for reasons, or of runs without any, has no column for them. */
export function runViewFor(
  runs: readonly Run[],
  { format, fields, width = Infinity }: PrintOptions,
): View<Run> {
  const isShown = width >= roomForReasons && runs.some(({ reason }) => reason !== null)
  if (format !== 'table' || fields !== undefined || isShown) return runView
  return { ...runView, columns: runView.columns.filter(({ field }) => field !== 'reason') }
}

/**
 * The columns in which runs are shown, as many as a terminal has room for. Called by `runs list`, `runs prune` and `commands/runs/reading.ts`.
 */
import type { PrintOptions, View } from '../output/result.ts'
import { groupDigits } from '../words.ts'
import type { Run } from './documents.ts'

/** `lists.add-contacts` in one word. */
export function shortOperation(operation: string): string {
  const [, word] = /\.([a-z]+)/.exec(operation) ?? []
  return word ?? operation
}

/** The status in words: whether anything is left to do, and whether all of it is done. */
function stateOf({ status, ids, done, left }: Run): string {
  if (status === 'running') return status
  if (left === null || ids === null || done === null) return status
  if (left > 0) return 'unfinished'
  const notDone = ids - done
  return notDone > 0 ? `finished, ${groupDigits(notDone)} not done` : 'finished'
}

/** `3d` of `3d ago`, `11-17` of `2026-11-17 10:15`: the run's id has the year. */
function shortTime(time: string): string {
  const [, day] = /^\d{4}-(\d\d-\d\d)/.exec(time) ?? []
  return day ?? time.replace(/^just | ago$/, '')
}

/** `ana` of `ana@desk-7`. */
const userOf = (by: string): string => by.replace(/@.*$/s, '')

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
    { title: 'BY', field: 'by', floor: 3, short: { title: 'BY', word: userOf } },
    { title: 'OPERATION', field: 'operation', short: { title: 'OP', word: shortOperation } },
    { title: 'TARGET', field: 'target', floor: 3 },
    {
      title: 'STATUS',
      field: 'state',
      kind: 'state',
      // Never cut: it says what is not done.
      floor: Infinity,
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

/** Cells of a terminal from which a table has room for counts beside the status, which says what is not done. */
const roomForCounts = 100

/** Cells of a terminal from which the targets of undos, which name another run, are whole. */
const roomForTargets = 120

/** Whether a table cuts them, so that a note has to say which run each undo belongs to. */
export function cutsTargets({ format, fields, width = Infinity }: PrintOptions): boolean {
  return format === 'table' && fields === undefined && width < roomForTargets
}

/** The view of a terminal has the columns that it has room for, and none for reasons where there are none. */
export function runViewFor(
  runs: readonly Run[],
  { format, fields, width = Infinity }: PrintOptions,
): View<Run> {
  if (format !== 'table' || fields !== undefined) return runView
  const hasReasons = width >= roomForReasons && runs.some(({ reason }) => reason !== null)
  const hidden: string[] = []
  if (!hasReasons) hidden.push('reason')
  if (width < roomForCounts) hidden.push('ids', 'done')
  const columns = runView.columns.filter(({ field }) => !hidden.includes(field))
  return { ...runView, columns }
}

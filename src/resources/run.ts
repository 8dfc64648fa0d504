import type { View } from '../output/result.ts'
import { groupDigits } from '../words.ts'
import type { Run } from './documents.ts'

/** `lists.add-contacts` in one word. */
export const shortOperation = (operation: string): string => /\.([a-z]+)/.exec(operation)?.[1] ?? operation

/** The status in words: whether anything is left to do, and whether all of it is done. */
function stateOf({ status, ids, done, left }: Run): string {
  if (left === null || ids === null || done === null || status === 'running') return status
  if (left > 0) return 'unfinished'
  return done < ids ? `finished, ${groupDigits(ids - done)} not done` : 'finished'
}

/** `3d` of `3d ago`. */
const shortAge = (age: string): string => age.replace(/^just | ago$/, '')

export const runView: View<Run> = {
  columns: [
    { title: 'RUN', field: 'run', kind: 'id' },
    { title: 'NAME', field: 'name', floor: 4 },
    { title: 'STARTED', field: 'startedAt', kind: 'time', floor: 3, short: { title: 'AGE', word: shortAge } },
    { title: 'OPERATION', field: 'operation', short: { title: 'OP', word: shortOperation } },
    { title: 'TARGET', field: 'target' },
    { title: 'STATUS', field: 'state', kind: 'state', floor: 'unfinished'.length },
    { title: 'IDS', field: 'ids', kind: 'number', floor: 3 },
    { title: 'DONE', field: 'done', kind: 'number', floor: 4 },
    { title: 'LEFT', field: 'left', kind: 'number', floor: 4 },
  ],
  computed: { state: stateOf },
  id: ({ run }) => run,
}

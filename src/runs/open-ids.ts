/**
 * Ids that are open in other runs: still due there, or of a merge whose answer was lost. A change of such an id is refused: a stopped
 * delete must not meet a contact that was merged since, and no resume may take back what was done after it.
 */
import type { Item } from '../input/ids.ts'
import type { Database } from './database.ts'
import type { Job } from './job.ts'
import { mayBeOpen, readBatches, readRuns, type RunRecord } from './record.ts'

/** A run in which ids of another job are open. */
export interface OpenIds {
  record: RunRecord
  /** How many ids of the job are open there, and how many others. */
  shared: number
  others: number
  /** The pairs with these ids whose merge may have been made. */
  lost: readonly Item[]
}

/** Whether something is open in a run. */
export const hasOpenIds = ({ closed, due, job, counts }: RunRecord) =>
  closed === null && (due > 0 || (job.isSentOnce && counts.unknown !== undefined))

/** Returns the first run on a service in which ids of a job are open; undefined if there is none. */
export function findOpenIds(
  database: Database,
  { operation, items }: Job,
  baseUrl: string,
): OpenIds | undefined {
  // An add that is sent again does what was typed.
  if (operation.isRepeatable === true) return undefined
  const runs = readRuns(database, mayBeOpen).filter(
    (record) =>
      record.job.baseUrl === baseUrl &&
      record.job.item === operation.words.item &&
      hasOpenIds(record),
  )
  if (runs.length === 0) return undefined
  const isSentOnce = operation.isSentOnce === true
  const own = new Set(Array.from(items, (item) => idsOf(item, isSentOnce)).flat())
  return runs
    .map((record) => openIn(database, record, own))
    .find(({ shared }) => shared > 0)
}

function openIn(database: Database, record: RunRecord, own: ReadonlySet<string>): OpenIds {
  const { isSentOnce } = record.job
  const open = readBatches(database, record.key)
    .filter(({ isDue, outcomes }) => isDue || (isSentOnce && outcomes.includes('unknown')))
    .flatMap(({ items, isDue }) => items.map((item) => ({ item, isDue })))
  const shared = open.filter(({ item }) =>
    idsOf(item, isSentOnce).some((id) => own.has(id)),
  )
  const lost = shared.filter(({ isDue }) => !isDue).map(({ item }) => item)
  return { record, shared: shared.length, others: open.length - shared.length, lost }
}

/** Returns the ids that a change touches: of a merge, which is sent once, both sides of the pair. */
function idsOf({ id, target }: Item, isSentOnce: boolean) {
  const ids = isSentOnce && target !== undefined ? [id, target] : [id]
  return ids.map((each) => each.toLowerCase())
}

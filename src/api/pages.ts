/**
 * Reads what takes many requests. Lists and their members come page by page (API: Pagination), although others change them
 * meanwhile. The history of a ticket comes chunk by chunk, with the newest messages first.
 */
import { SvcError } from '../errors.ts'
import { groupDigits } from '../words.ts'
import { limits } from './operations.ts'
import type { HistoryChunk, Pagination } from './schemas.ts'

export interface Page<T> {
  rows: readonly T[]
  pagination: Pick<Pagination, 'total' | 'hasNext'>
}

export type FetchPage<T> = (query: { page: number; limit: number }) => Promise<Page<T>>

interface PagedRow {
  id: string
}

/** How often all pages are read at most, until a reading is whole. */
const maxReadings = 4

/**
 * Returns the rows of all pages, newest first, or the first `limit` of them, and how many rows there are by the service's last
 * count. Reads them again from the start if rows may be missing. Throws `unavailable` if four readings were not whole. `plural` is what the rows are called.
 */
export async function readPages<T extends PagedRow>(
  fetchPage: FetchPage<T>,
  plural: string,
  limit = Infinity,
): Promise<{ rows: readonly T[]; total: number }> {
  let counts = ''
  for (let count = 1; count <= maxReadings; count += 1) {
    const { isWhole, rows, total } = await readOnce(fetchPage, limit)
    if (isWhole) return { rows, total }
    counts = `the service counts ${groupDigits(total)}, and ${groupDigits(rows.length)} were found`
  }
  const message = `the ${plural} could not be read completely in ${maxReadings} attempts`
  const hint = `${counts}; run the command again when fewer people make changes`
  throw new SvcError('unavailable', message, { hint })
}

/**
 * Reads the pages in order until `limit` rows were found, and then page 1 again.
 *
 * A reading is whole if the total never fell from page to page, if page 1 has at the end as many new rows on top as the total
 * grew, and if as many different rows were found as the last total says, or as `limit` allows. Why: a new row comes first, so it
 * only moves others to later pages, where they are read. A row that leaves moves others to earlier pages, where they can be
 * missed. It lowers the total, but not the number of new rows. Rows that change places and pages that come twice leave fewer
 * different rows than the total says.
 */
async function readOnce<T extends PagedRow>(fetchPage: FetchPage<T>, limit: number) {
  const fetchNumber = (page: number) => fetchPage({ page, limit: limits.pageSize.max })
  const first = await fetchNumber(1)
  let last = first
  let received = first.rows.length
  let found = byId(first.rows)
  let mayMissRows = false
  for (
    let number = 2;
    last.pagination.hasNext && found.size < limit && !mayMissRows;
    number += 1
  ) {
    const next = await fetchNumber(number)
    const { total, hasNext } = next.pagination
    const growth = total - last.pagination.total
    const known = found.size
    for (const [key, row] of byId(next.rows)) if (!found.has(key)) found.set(key, row)
    received += next.rows.length
    // A service could announce another page after the last row, or add as many rows as it sends, for ever.
    const isEndless = growth >= next.rows.length || (hasNext && received >= total)
    mayMissRows = growth < 0 || found.size === known || isEndless
    last = next
  }
  if (last !== first && !mayMissRows) {
    const again = await fetchNumber(1)
    const { total } = again.pagination
    /** How many rows are above the row that was the first. */
    const newCount = again.rows.findIndex(({ id }) => id === first.rows[0]?.id)
    const growth = total - first.pagination.total
    mayMissRows = total < last.pagination.total || newCount < 0 || newCount !== growth
    found = new Map([...byId(again.rows.slice(0, newCount)), ...found])
    last = again
  }
  const rows = [...found.values()].slice(0, limit)
  const { total } = last.pagination
  return { isWhole: !mayMissRows && rows.length === Math.min(total, limit), rows, total }
}

/** Returns rows by their ids. Ids are the same in either letter case. */
function byId<T extends PagedRow>(rows: readonly T[]) {
  return new Map(rows.map((row) => [row.id.toLowerCase(), row]))
}

/** A history has no more chunks in a row that bring no message. */
const maxEmptyChunks = 100

/**
 * Yields chunks until they have at least `minMessages` messages, each message once. Requests the next chunk while the caller
 * uses one. Throws `unavailable` for a cursor that is empty or was already used, and after a hundred chunks in a row without a new
 * message, because such a read would never end.
 */
export async function* followChunks(
  fetchChunk: (cursor: string | undefined) => Promise<HistoryChunk>,
  minMessages = Infinity,
): AsyncGenerator<HistoryChunk> {
  const usedCursors = new Set([''])
  const seenIds = new Set<string>()
  let emptyChunks = 0
  let requested = fetchChunk(undefined)
  for (;;) {
    const chunk = await requested
    const messages = chunk.messages.filter(({ id }) => !seenIds.has(id))
    for (const { id } of messages) seenIds.add(id)
    emptyChunks = messages.length === 0 ? emptyChunks + 1 : 0
    const cursor = chunk.nextChunkStartMessageId ?? undefined
    const isLast = cursor === undefined || seenIds.size >= minMessages
    const canFollow = !isLast && !usedCursors.has(cursor) && emptyChunks < maxEmptyChunks
    if (canFollow) {
      usedCursors.add(cursor)
      requested = fetchChunk(cursor)
      // It is awaited later. Until then, its failure must not count as unhandled.
      requested.catch(() => undefined)
    }
    yield { ...chunk, messages }
    if (isLast) return
    if (canFollow) continue
    const problem =
      emptyChunks < maxEmptyChunks
        ? 'a cursor that is empty or was used before'
        : `${maxEmptyChunks} chunks in a row without a message`
    throw new SvcError(
      'unavailable',
      `the history does not end: the service sent ${problem}`,
    )
  }
}

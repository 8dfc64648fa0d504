/**
 * Reads what takes many requests. Lists and their members come page by page (API: Pagination), although others change them
 * meanwhile. The history of a ticket comes chunk by chunk, with the newest messages first.
 */
import { SvcError } from '../errors.ts'
import { groupDigits } from '../words.ts'
import { limits } from './operations.ts'
import type { HistoryChunk } from './schemas.ts'

export interface Page<T> {
  rows: readonly T[]
  pagination: { total: number; hasNext: boolean }
}

export type FetchPage<T> = (query: { page: number; limit: number }) => Promise<Page<T>>

interface PagedRow {
  id: string
}

/** How often all pages are read at most, until a reading is whole. */
const maxReadings = 4

/**
 * Returns the rows of all pages, newest first, or the first `limit` of them, and how many rows there are by the service's last
 * count. Reads them again from the start if rows may be missing. Throws `unavailable` if four readings were not whole. `plural` is
 * what the rows are called.
 */
export async function readPages<T extends PagedRow>(
  fetchPage: FetchPage<T>,
  plural: string,
  limit = Infinity,
) {
  let counts = ''
  for (let count = 1; count <= maxReadings; count += 1) {
    const { rowsById, total, mayMissRows } = await readOnce(fetchPage, limit)
    const rows = [...rowsById.values()].slice(0, limit)
    if (!mayMissRows && rows.length === Math.min(total, limit)) return { rows, total }
    counts = `the service counts ${groupDigits(total)}, and ${groupDigits(rows.length)} were found`
  }
  const message = `the ${plural} could not be read completely in ${maxReadings} attempts`
  const hint = `${counts}; run the command again when fewer people make changes`
  throw new SvcError('unavailable', message, { hint })
}

/** The rows of some pages, and how many there are by the last of these pages. */
interface PagesRead<T> {
  rowsById: ReadonlyMap<string, T>
  total: number
  /** Whether rows may have moved past the reading, or the pages contradict each other. */
  mayMissRows: boolean
}

/**
 * Reads the pages in order until `limit` rows were found, and then page 1 again.
 *
 * No row is missed if the total never fell from page to page, if page 1 has at the end as many new rows on top as the total grew,
 * and if as many different rows were found as the last total says, or as `limit` allows. Why: a new row comes first, so it only
 * moves others to later pages, where they are read. A row that leaves moves others to earlier pages, where they can be missed. It
 * lowers the total, but not the number of new rows. Rows that change places and pages that come twice leave fewer different rows
 * than the total says.
 */
async function readOnce<T extends PagedRow>(
  fetchPage: FetchPage<T>,
  limit: number,
): Promise<PagesRead<T>> {
  const fetchNumber = (page: number) => fetchPage({ page, limit: limits.pageSize.max })
  const first = await fetchNumber(1)
  const reading = await readFollowing(first, fetchNumber, limit)
  if (reading.pageCount === 1 || reading.mayMissRows) return reading
  return addNewRows(reading, first, await fetchNumber(1))
}

/** Reads the pages behind the first one in order. Stops when rows may be missing. */
async function readFollowing<T extends PagedRow>(
  first: Page<T>,
  fetchNumber: (page: number) => Promise<Page<T>>,
  limit: number,
): Promise<PagesRead<T> & { pageCount: number }> {
  const rowsById = byId(first.rows)
  let { total, hasNext } = first.pagination
  let received = first.rows.length
  let pageCount = 1
  let mayMissRows = false
  while (hasNext && rowsById.size < limit && !mayMissRows) {
    pageCount += 1
    const { rows, pagination } = await fetchNumber(pageCount)
    const growth = pagination.total - total
    const knownCount = rowsById.size
    for (const [id, row] of byId(rows)) if (!rowsById.has(id)) rowsById.set(id, row)
    total = pagination.total
    hasNext = pagination.hasNext
    received += rows.length
    // A service could announce another page after the last row, or add as many rows as it sends, for ever.
    const isEndless = growth >= rows.length || (hasNext && received >= total)
    mayMissRows = growth < 0 || rowsById.size === knownCount || isEndless
  }
  return { rowsById, total, mayMissRows, pageCount }
}

/** Adds the rows that page 1, read again, has above the row that was the first one. */
function addNewRows<T extends PagedRow>(
  { rowsById, total }: PagesRead<T>,
  first: Page<T>,
  again: Page<T>,
): PagesRead<T> {
  const newCount = again.rows.findIndex(({ id }) => id === first.rows[0]?.id)
  const newRows = byId(again.rows.slice(0, newCount))
  const newTotal = again.pagination.total
  const isExplained = newCount >= 0 && newCount === newTotal - first.pagination.total
  return {
    rowsById: new Map([...newRows, ...rowsById]),
    total: newTotal,
    mayMissRows: newTotal < total || !isExplained,
  }
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
    const isEndless = emptyChunks === maxEmptyChunks || usedCursors.has(cursor ?? '')
    if (!isLast && !isEndless) {
      usedCursors.add(cursor)
      requested = fetchChunk(cursor)
      // It is awaited later. Until then, its failure must not count as unhandled.
      requested.catch(() => undefined)
    }
    yield { ...chunk, messages }
    if (isLast) return
    if (!isEndless) continue
    const problem =
      emptyChunks < maxEmptyChunks
        ? 'a cursor that is empty or was used before'
        : `${maxEmptyChunks} chunks in a row without a message`
    const message = `the history does not end: the service sent ${problem}`
    throw new SvcError('unavailable', message)
  }
}

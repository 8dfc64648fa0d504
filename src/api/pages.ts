/**
 * Reads what takes many requests. Lists and their members come page by page (API: Pagination), and each row is yielded
 * once, even if others change the rows meanwhile. The history of a ticket comes chunk by chunk, with the newest messages first.
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

/** The counts that a read returns after its last row. */
export interface PagesRead {
  /** How many rows were yielded. */
  shown: number
  /** How many rows there are by the service's last count. */
  total: number
}

interface PagedRow {
  id: string
  /** Only a member of a list has one. */
  contact?: { id: string }
}

/** How often all pages are read at most, until no row is missing. */
const maxReads = 4

/**
 * Yields the rows of all pages, or the first `limit` of them. If a read may have missed rows, reads all pages again, and yields
 * the rows that are new. Throws `unavailable` if rows may be missing after four reads. `plural` is what the rows are called.
 */
export async function* followPages<T extends PagedRow>(
  fetchPage: FetchPage<T>,
  plural: string,
  limit = Infinity,
): AsyncGenerator<T, PagesRead> {
  const keys = new Set<string>()
  let total = 0
  for (let reads = 1; reads <= maxReads; reads += 1) {
    for await (const page of readPages(fetchPage)) {
      if (page === 'whole') return { shown: keys.size, total }
      total = page.pagination.total
      yield* takeNew(page.rows, keys, limit)
      if (keys.size >= limit) return { shown: limit, total }
    }
  }
  const message = `the ${plural} changed each of the ${maxReads} times that they were read: some may be missing`
  const counts = `the service counts ${groupDigits(total)}, and ${groupDigits(keys.size)} were found`
  const hint = `${counts}; run the command again when fewer people make changes`
  throw new SvcError('unavailable', message, { hint })
}

/** Yields the rows whose keys are not in `keys`, and adds their keys, until there are `limit` keys. */
function* takeNew<T extends PagedRow>(
  rows: readonly T[],
  keys: Set<string>,
  limit: number,
) {
  for (const row of rows) {
    // The id of a member is not used: a contact that returns to a list gets a new one.
    const { id } = row.contact ?? row
    // Ids are the same in either letter case.
    const key = id.toLowerCase()
    if (keys.has(key)) continue
    if (keys.size >= limit) return
    keys.add(key)
    yield row
  }
}

/**
 * Yields the pages in order, then the new rows of page 1, and then `whole`. Ends without `whole` if rows may have been missed.
 *
 * A read of several pages is whole if as many rows came as the total says, if the total never fell from page to page, and if page
 * 1, read again at the end, has as many new rows on top as the total grew. Why: a new row comes first, so it only moves others to
 * later pages, where they are read. A row that leaves moves others to earlier pages, where they can be missed. It lowers the
 * total, but not the number of new rows, so the two differ.
 */
async function* readPages<T extends PagedRow>(
  fetchPage: FetchPage<T>,
): AsyncGenerator<Page<T> | 'whole', void> {
  const fetchNumber = (page: number) => fetchPage({ page, limit: limits.pageSize.max })
  const first = await fetchNumber(1)
  let last = first
  let received = first.rows.length
  yield first
  for (let number = 2; last.pagination.hasNext; number += 1) {
    // A service that announces another page after the last row could do so forever.
    if (received >= last.pagination.total) return
    const next = await fetchNumber(number)
    const growth = next.pagination.total - last.pagination.total
    // Rows were removed. Or this page has nothing new, because rows are added as fast as they are read: that might never end.
    if (growth < 0 || growth >= next.rows.length) return
    last = next
    received += next.rows.length
    yield next
  }
  if (received < last.pagination.total) return
  const isSinglePage = last === first
  if (!isSinglePage) {
    const again = await fetchNumber(1)
    const { total } = again.pagination
    /** How many rows are above the row that was the first. */
    const newCount = again.rows.findIndex(({ id }) => id === first.rows[0]?.id)
    const growth = total - first.pagination.total
    if (total < last.pagination.total || newCount !== growth) return
    yield { ...again, rows: again.rows.slice(0, newCount) }
  }
  yield 'whole'
}

/**
 * Yields chunks until they have at least `minMessages` messages. Leaves out messages that the chunk before had. Requests the next
 * chunk while the caller uses one. Throws `unavailable` for a cursor that is empty or was already used, because such a read would
 * never end.
 */
export async function* followChunks(
  fetchChunk: (cursor: string | undefined) => Promise<HistoryChunk>,
  minMessages = Infinity,
): AsyncGenerator<HistoryChunk> {
  const usedCursors = new Set<string>()
  let messageCount = 0
  let previousIds = new Set<string>()
  let requested = fetchChunk(undefined)
  for (;;) {
    const chunk = await requested
    const messages = chunk.messages.filter(({ id }) => !previousIds.has(id))
    messageCount += messages.length
    const cursor = chunk.nextChunkStartMessageId ?? undefined
    const isLast = cursor === undefined || messageCount >= minMessages
    const canFollow = !isLast && cursor !== '' && !usedCursors.has(cursor)
    if (canFollow) {
      requested = fetchChunk(cursor)
      // It is awaited later. Until then, its failure must not count as unhandled.
      requested.catch(() => undefined)
    }
    yield { ...chunk, messages }
    if (isLast) return
    if (!canFollow)
      throw new SvcError('unavailable', 'the service returned an empty or a used cursor')
    usedCursors.add(cursor)
    previousIds = new Set(chunk.messages.map(({ id }) => id))
  }
}

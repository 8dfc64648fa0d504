/**
 * Reads of many pages and chunks. Pages have numbers and totals (API: Pagination); each chunk of a history names the next
 * one. A service that leads in circles is an error, because otherwise a read would never end.
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

/** The result of a read, after its last row. `total`: the service's last count. */
export interface PagesRead {
  shown: number
  total: number
}

/** A member of a list counts as its contact, which gets a new membership when it returns to the list. */
interface PagedRow {
  id: string
  contact?: { id: string }
}

const mostReads = 4

/**
 * Yields the rows of all pages, each once, or the first `limit` of them. `what`: their name in the plural. Others may change
 * the rows meanwhile, so a read that is not whole is repeated, with its new rows behind the others. Throws exit 7 if none of
 * four reads was whole.
 */
export async function* followPages<T extends PagedRow>(
  fetchPage: FetchPage<T>,
  what: string,
  limit = Infinity,
): AsyncGenerator<T, PagesRead> {
  const keys = new Set<string>()
  let total = 0
  for (let count = 1; count <= mostReads; count += 1) {
    for await (const page of readPages(fetchPage)) {
      if (page === 'whole') return { shown: keys.size, total }
      total = page.pagination.total
      yield* page.rows.filter((row) => {
        // Ids are the same in either letter case.
        const key = (row.contact ?? row).id.toLowerCase()
        return keys.size < limit && !keys.has(key) && keys.add(key)
      })
      if (keys.size >= limit) return { shown: limit, total }
    }
  }
  const message = `the ${what} changed each of the ${mostReads} times that they were read: some may be missing`
  const hint = `the service counts ${groupDigits(total)}, and ${groupDigits(keys.size)} were found; run the command again when fewer people make changes`
  throw new SvcError('unavailable', message, { hint })
}

/**
 * Yields the pages in order, and then what is new on the first one. If they are whole, says so at the end: their totals never
 * fell, and page 1, read again, has as many new rows above its former first row as the total grew. New rows come first, and a
 * row that leaves lowers the total but not the number of new rows. So none of the old rows left, they only moved to later
 * pages, and none was skipped.
 */
async function* readPages<T extends PagedRow>(
  fetchPage: FetchPage<T>,
): AsyncGenerator<Page<T> | 'whole', void> {
  const fetch = (page: number) => fetchPage({ page, limit: limits.pageSize.max })
  const first = await fetch(1)
  let last = first
  let received = first.rows.length
  yield first
  for (let page = 2; last.pagination.hasNext; page += 1) {
    // The service contradicts itself, and could do so for ever.
    if (received >= last.pagination.total) return
    const next = await fetch(page)
    const growth = next.pagination.total - last.pagination.total
    // Rows left, or so many came that the page has nothing new.
    if (growth < 0 || growth >= next.rows.length) return
    last = next
    received += next.rows.length
    yield next
  }
  if (received < last.pagination.total) return
  // A single page is one answer.
  if (last !== first) {
    const again = await fetch(1)
    const { total } = again.pagination
    const newCount = again.rows.findIndex(({ id }) => id === first.rows[0]?.id)
    if (total < last.pagination.total || newCount !== total - first.pagination.total) return
    yield { ...again, rows: again.rows.slice(0, newCount) }
  }
  yield 'whole'
}

/**
 * Yields chunks of a history, newest first, until they have `enough` messages; the next one is in flight while the last is
 * used. Drops messages that the previous chunk had. Throws exit 7 for a cursor that is empty or was already used.
 */
export async function* followChunks(
  fetchChunk: (cursor: string | undefined) => Promise<HistoryChunk>,
  enough = Infinity,
): AsyncGenerator<HistoryChunk> {
  const followed = new Set<string>()
  let count = 0
  let idsBefore = new Set<string>()
  let requested = fetchChunk(undefined)
  for (;;) {
    const chunk = await requested
    const messages = chunk.messages.filter(({ id }) => !idsBefore.has(id))
    count += messages.length
    const next = chunk.nextChunkStartMessageId ?? undefined
    const isLast = next === undefined || count >= enough
    const canFollow = !isLast && next !== '' && !followed.has(next)
    if (canFollow) {
      requested = fetchChunk(next)
      // It is awaited later. Until then, its failure does not count as unhandled.
      requested.catch(() => undefined)
    }
    yield { ...chunk, messages }
    if (isLast) return
    if (!canFollow)
      throw new SvcError('unavailable', 'the service returned an empty or a used cursor')
    followed.add(next)
    idsBefore = new Set(chunk.messages.map(({ id }) => id))
  }
}

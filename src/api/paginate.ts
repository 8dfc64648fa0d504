/**
 * Pages and chunks as async iterables: the next one is under way while the last is used, and a service that leads in
 * circles ends the walk with an error.
 */
import { SvcError } from '../errors.ts'
import type { HistoryChunk, Pagination } from './schemas.ts'
import { limits } from './limits.ts'

export interface Page<T> {
  readonly rows: readonly T[]
  readonly pagination: Pagination
}

export interface Paging {
  /** The most rows to return. */
  readonly limit: number
  /** Exactly this page and no other. */
  readonly page?: number | undefined
  /** Rows a request; 100 when pages are followed and the service's own 20 for one page, unless given. */
  readonly pageSize?: number | undefined
  /** Whether the next page is under way while this one is used, as it is unless this is false: for who may stop anywhere. */
  readonly ahead?: boolean | undefined
}

/** What a walk has to say when its rows are out. */
export interface PagesRead {
  readonly shown: number
  /** By the service's last count. */
  readonly total: number
  /** Why `shown` is less: the limit, or the one page, left rows out; or all pages together had fewer. */
  readonly missing: 'limit' | 'page' | 'short' | undefined
  /** The first time that `total` changed during the walk. */
  readonly moved: { readonly from: number; readonly to: number } | undefined
}

/** A promise that is looked at later: its failure must not count as unhandled meanwhile. */
function under<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}

/**
 * Rows of all pages, each id once (page numbers shift while others write). Throws exit 7 when a page is empty or repeats
 * although more are announced.
 */
export async function* followPages<T>(
  fetchPage: (query: { page: number; limit: number }) => Promise<Page<T>>,
  idOf: (row: T) => string,
  paging: Paging,
): AsyncGenerator<T, PagesRead> {
  const single = paging.page !== undefined
  const limit = paging.pageSize ?? (single ? limits.pageSize.default : limits.pageSize.max)
  const seen = new Set<string>()
  let page = paging.page ?? 1
  let shown = 0
  let repeated = 0
  let firstTotal: number | undefined
  let moved: PagesRead['moved']
  let current = under(fetchPage({ page, limit }))
  for (;;) {
    const { rows, pagination } = await current
    const { total, hasNext } = pagination
    firstTotal ??= total
    if (total !== firstTotal) moved ??= { from: firstTotal, to: total }
    const fresh = rows.filter((row) => {
      const id = idOf(row).toLowerCase()
      if (seen.has(id)) return false
      seen.add(id)
      return true
    })
    repeated += rows.length - fresh.length
    // New rows push old ones onto the next pages; more repetition than that is a service that contradicts itself.
    const circular = fresh.length === 0 && repeated > Math.max(0, total - firstTotal)
    if (hasNext && !single && (rows.length === 0 || circular)) throw contradiction(page, rows.length === 0)
    const last = single || !hasNext
    const enough = shown + fresh.length >= paging.limit
    const more = !last && !enough
    if (more && paging.ahead !== false) current = under(fetchPage({ page: page + 1, limit }))
    for (const row of fresh) {
      if (shown >= paging.limit) break
      shown += 1
      yield row
    }
    if (more && paging.ahead === false) current = fetchPage({ page: page + 1, limit })
    page += 1
    if (more) continue
    const reason = single ? 'page' : enough ? 'limit' : 'short'
    return { shown, total, missing: total > shown ? reason : undefined, moved }
  }
}

function contradiction(page: number, isEmpty: boolean): SvcError {
  const what = isEmpty ? 'is empty' : 'repeats what came before'
  return new SvcError('unavailable', `page ${page} ${what} although more are announced`, {
    hint: 'the service contradicts itself; the rows so far are complete up to here',
  })
}

/**
 * Chunks of a history, newest first, until `enough` messages are there. A message that the chunk before already had is
 * dropped. Throws exit 7 on a cursor that was already followed; every error carries the cursor to go on from.
 */
export async function* followChunks(
  fetchChunk: (cursor: string | undefined) => Promise<HistoryChunk>,
  start: string | undefined,
  enough = Infinity,
): AsyncGenerator<HistoryChunk> {
  let count = 0
  const followed = new Set<string>(start === undefined ? [] : [start])
  let cursor = start
  let before = new Set<string>()
  let current = under(fetchChunk(cursor))
  for (;;) {
    let chunk: HistoryChunk
    try {
      chunk = await current
    } catch (error) {
      throw error instanceof SvcError && cursor !== undefined ? error.with({ cursor }) : error
    }
    const next = chunk.nextChunkStartMessageId ?? undefined
    const circular = next !== undefined && (next === '' || followed.has(next))
    const messages = chunk.messages.filter((message) => !before.has(message.id))
    count += messages.length
    if (next !== undefined && !circular && count < enough) {
      followed.add(next)
      current = under(fetchChunk(next))
    }
    yield { ...chunk, messages }
    if (next === undefined || count >= enough) return
    if (circular) {
      const what =
        next === ''
          ? 'the service gave an empty cursor'
          : 'the service leads in a circle: its cursor was already followed'
      throw new SvcError('unavailable', what, {
        hint: 'the messages so far are complete up to here',
        ...(next === '' ? {} : { cursor: next }),
      })
    }
    before = new Set(chunk.messages.map((message) => message.id))
    cursor = next
  }
}

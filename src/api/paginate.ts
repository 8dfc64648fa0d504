/** Pages and chunks as async iterables, the next ones in flight. A service that leads in circles is an error. */
import { SvcError } from '../errors.ts'
import { awaitLater } from './concurrency.ts'
import type { HistoryChunk, Pagination } from './schemas.ts'
import { limits } from './limits.ts'
import { newCount, type WalkCount } from './reads.ts'

export interface Page<T> {
  readonly rows: readonly T[]
  readonly pagination: Pagination
}

export interface Paging {
  readonly limit: number
  /** Exactly this page and no other. */
  readonly page?: number | undefined
  /** Rows per request; 100 when pages are followed and the service's own 20 for one page, unless given. */
  readonly pageSize?: number | undefined
  /** Whether further pages are in flight while one is used, as they are unless this is false: for who may stop anywhere. */
  readonly ahead?: boolean | undefined
}

/** Result of a walk when its rows are out. */
export interface PagesRead {
  readonly shown: number
  /** By the service's last count, which may be too small. */
  readonly total: number
  /** Reason why `shown` is less: the limit, or the one page, left rows out; or all pages together had fewer. */
  readonly missing: 'limit' | 'page' | 'short' | undefined
  /** The first time that `total` changed during the walk. */
  readonly moved: { readonly from: number; readonly to: number } | undefined
}

/** Number of pages in flight at once. Chunks of a history are not: each brings the cursor of the next one. */
export const pagesAtOnce = 4

export type FetchPage<T> = (query: { page: number; limit: number }) => Promise<Page<T>>

/** Rows of all pages, each id once (pages shift). Throws exit 7 for a page that is empty or repeats before the last. */
export async function* followPages<T extends { readonly id: string }>(
  fetchPage: FetchPage<T>,
  paging: Paging,
  begin: () => WalkCount = newCount,
): AsyncGenerator<T, PagesRead> {
  const isSingle = paging.page !== undefined
  const limit = paging.pageSize ?? (isSingle ? limits.pageSize.default : limits.pageSize.max)
  const walk = new PageWalk<T>(paging)
  const ahead: Promise<Page<T>>[] = []
  const tally = begin()
  try {
    for (;;) {
      const { rows, pagination } = await (ahead.shift() ?? fetchPage({ page: walk.page, limit }))
      const fresh = walk.take(rows, pagination)
      const hasMore = !isSingle && pagination.hasNext && walk.taken < paging.limit
      // Pages that were asked for before others' change may come from before it: rows would be lost between the two.
      if (walk.sawChange) ahead.length = 0
      const wanted =
        hasMore && paging.ahead !== false ? walk.countWanted(pagination.totalPages, limit) : 0
      while (ahead.length < wanted)
        ahead.push(awaitLater(fetchPage({ page: walk.page + ahead.length, limit })))
      tally.total = Math.min(pagination.total, paging.limit)
      for (const row of fresh) {
        tally.read += 1
        yield row
      }
      if (!hasMore) return walk.end()
    }
  } finally {
    tally.end()
  }
}

class PageWalk<T extends { readonly id: string }> {
  readonly #paging: Paging
  readonly #seen = new Set<string>()
  #repeated = 0
  #firstTotal: number | undefined
  #lastTotal: number | undefined
  /** Pages in a row that show no change. */
  #steady = pagesAtOnce
  #moved: PagesRead['moved']
  /** The one to ask for next. */
  page: number
  /** Rows so far. */
  taken = 0
  /** Whether there are more, as far as the last page says, whatever the service counts. */
  #hasMore = false

  constructor(paging: Paging) {
    this.#paging = paging
    this.page = paging.page ?? 1
  }

  /** Whether the last page shows that others changed the rows since the page before it. */
  get sawChange(): boolean {
    return this.#steady === 0
  }

  /** Number of pages to have in flight: one, and more the longer nobody changes anything; no more than can be needed. */
  countWanted(totalPages: number, pageSize: number): number {
    const needed = Math.ceil((this.#paging.limit - this.taken) / pageSize)
    return Math.max(1, Math.min(pagesAtOnce, this.#steady + 1, needed, totalPages - this.page + 1))
  }

  /** Rows of the page that are to be shown. */
  take(rows: readonly T[], { total, hasNext }: Pagination): T[] {
    const fresh = rows.filter((row) => this.#isNew(row))
    const isSteady = fresh.length === rows.length && total === (this.#lastTotal ?? total)
    this.#steady = isSteady ? this.#steady + 1 : 0
    this.#watch(total)
    this.#repeated += rows.length - fresh.length
    if (hasNext && this.#paging.page === undefined)
      this.#refuseContradiction(rows.length, fresh.length)
    this.page += 1
    const shown = fresh.slice(0, this.#paging.limit - this.taken)
    this.taken += shown.length
    this.#hasMore = hasNext || shown.length < fresh.length
    return shown
  }

  end(): PagesRead {
    const { limit, page } = this.#paging
    const [shown, total] = [this.taken, this.#lastTotal ?? 0]
    const why = page !== undefined ? 'page' : shown >= limit ? 'limit' : 'short'
    return {
      shown,
      total,
      missing: total > shown || this.#hasMore ? why : undefined,
      moved: this.#moved,
    }
  }

  #watch(total: number): void {
    this.#firstTotal ??= total
    this.#lastTotal = total
    if (total !== this.#firstTotal) this.#moved ??= { from: this.#firstTotal, to: total }
  }

  #isNew(row: T): boolean {
    const id = row.id.toLowerCase()
    if (this.#seen.has(id)) return false
    this.#seen.add(id)
    return true
  }

  #refuseContradiction(rows: number, fresh: number): void {
    // New rows push old ones onto the next pages; more repetition than that is a service that contradicts itself.
    const pushed = Math.max(0, (this.#lastTotal ?? 0) - (this.#firstTotal ?? 0))
    if (rows > 0 && (fresh > 0 || this.#repeated <= pushed)) return
    const what = rows === 0 ? 'is empty' : 'repeats earlier rows'
    throw new SvcError(
      'unavailable',
      `page ${this.page} ${what} although the service says there are more`,
      {
        hint: 'the service contradicts itself; the rows so far are complete up to this page',
      },
    )
  }
}

/**
 * Chunks of a history, newest first, until `enough` messages are there. A message that the chunk before already had is
 * dropped. Throws exit 7 on a cursor that was already followed; every error carries the cursor to resume from.
 */
export async function* followChunks(
  fetchChunk: (cursor: string | undefined) => Promise<HistoryChunk>,
  start: string | undefined,
  enough = Infinity,
  begin: () => WalkCount = newCount,
): AsyncGenerator<HistoryChunk> {
  const followed = new Set([start])
  let cursor = start
  let count = 0
  let before = new Set<string>()
  let current = awaitLater(fetchChunk(start))
  const tally = begin()
  try {
    for (;;) {
      const chunk = await current.catch((error: unknown) => {
        throw error instanceof SvcError && cursor !== undefined ? error.with({ cursor }) : error
      })
      const messages = chunk.messages.filter(({ id }) => !before.has(id))
      count += messages.length
      tally.read += messages.length
      const next = chunk.nextChunkStartMessageId ?? undefined
      const isLast = next === undefined || count >= enough
      const problem = isLast ? undefined : cursorProblem(next, followed)
      if (!isLast && problem === undefined) {
        followed.add(next)
        current = awaitLater(fetchChunk(next))
      }
      yield { ...chunk, messages }
      if (isLast) return
      if (problem !== undefined) throw problem
      before = new Set(chunk.messages.map(({ id }) => id))
      cursor = next
    }
  } finally {
    tally.end()
  }
}

function cursorProblem(
  cursor: string,
  followed: ReadonlySet<string | undefined>,
): SvcError | undefined {
  const hint = 'the messages up to this point are complete'
  if (cursor === '')
    return new SvcError('unavailable', 'the service returned an empty cursor', { hint })
  if (!followed.has(cursor)) return undefined
  return new SvcError('unavailable', 'the service returned a cursor that was already used', {
    hint,
    cursor,
  })
}

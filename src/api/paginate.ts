/**
 * Pages and chunks as async iterables, the next ones in flight: `client.ts` reads lists, members and histories with them, and `svc api
 * --paginate` any path. API: Pagination, page numbers with totals, except for a history, whose chunks name the next one. A service that
 * leads in circles is an error, because otherwise a read would never end.
 */
import { SvcError } from '../errors.ts'
import { groupDigits } from '../words.ts'
import type { HistoryChunk, Pagination } from './schemas.ts'
import { limits } from './operations.ts'
import { newCount, type WalkCount } from './reads.ts'

/** The counts of all pages, as one page gives them. */
export type PageCount = Readonly<Pick<Pagination, 'total' | 'totalPages' | 'hasNext'>>

export interface Page<T> {
  readonly rows: readonly T[]
  readonly pagination: PageCount
}

export interface Paging {
  readonly limit: number
  /** Exactly this page and no other. */
  readonly page?: number | undefined
  /** Rows per request; 100 when pages are followed and the service's own 20 for one page, unless given. */
  readonly pageSize?: number | undefined
  /** Whether further pages are requested while one is used. False for a caller that may stop anywhere. */
  readonly ahead?: boolean | undefined
}

/** The result of a walk, after its last row. */
export interface PagesRead {
  readonly shown: number
  /** By the service's last count, which may be too small. */
  readonly total: number
  /** Reason why `shown` is less: the limit, or the one page, left rows out; or all pages together had fewer. */
  readonly missing: 'limit' | 'page' | 'short' | undefined
  /** Change of `total` during a walk that ends with its first pass. */
  readonly moved: { readonly from: number; readonly to: number } | undefined
}

/** Number of pages in flight at once. Chunks of a history are not: each brings the cursor of the next one. */
export const pagesAtOnce = 4

export type FetchPage<T> = (query: { page: number; limit: number }) => Promise<Page<T>>

/** The rows of a walk: their name in the plural, their count, and how to distinguish them. */
interface Walked<T> {
  readonly what: string
  readonly begin: () => WalkCount
  /** By default the row's own id. A member is identified by its contact, because a contact that returns to a list gets a new membership. */
  readonly keyOf?: ((row: T) => string) | undefined
}

/**
 * The rows of all pages, each key once: pass after pass until one is complete. Rows that are new in a later pass come after the others. With a limit or
 * one page there is only one pass. Throws exit 7 if no pass was complete, and for a page that is empty or repeats although there are more.
 */
export async function* followPages<T extends { readonly id: string }>(
  fetchPage: FetchPage<T>,
  paging: Paging,
  { what, begin, keyOf = ({ id }) => id }: Walked<T> = { what: 'rows', begin: newCount },
): AsyncGenerator<T, PagesRead> {
  const usualLimit =
    paging.page === undefined ? limits.pageSize.max : limits.pageSize.default
  const limit = paging.pageSize ?? usualLimit
  const walk = new PageWalk<T>(paging, keyOf)
  const ask = (page: number): Promise<Page<T>> => fetchPage({ page, limit })
  /** Pages that were requested ahead. */
  let ahead = new Map<number, Promise<Page<T>>>()
  const tally = begin()
  try {
    for (;;) {
      const { page } = walk
      const { rows, pagination } = await (ahead.get(page) ?? ask(page))
      // Another pass may begin with this page, so it is requested again.
      ahead.delete(page)
      const shown = walk.take(rows, pagination)
      const upcoming = walk.upcoming(pagination.totalPages, limit)
      ahead = new Map(
        upcoming.map((next) => [next, ahead.get(next) ?? awaitLater(ask(next))]),
      )
      tally.total = Math.min(pagination.total, paging.limit)
      for (const row of shown) {
        tally.read += 1
        yield row
      }
      if (walk.isOver) return walk.end(what)
    }
  } finally {
    tally.end()
  }
}

const mostPasses = 4

/**
 * Passes over all pages of rows that others may change meanwhile. The service has no snapshots: when somebody leaves, the rows after them move to an
 * earlier page, which may have been read already. So a read is repeated until it is certain that nobody is missing. The first pass goes from the first
 * page to the last. Later passes go from the last page to the first: rows come newest first, so nobody is hidden by those who leave.
 */
class PageWalk<T extends { readonly id: string }> {
  readonly #paging: Paging
  readonly #keyOf: (row: T) => string
  /** Keys of all passes, in lower case: they are ids. */
  readonly #known = new Set<string>()
  /** The page to request next. */
  page: number
  /** Whether there are no rows. */
  isOver = false
  /** Rows so far. */
  #shown = 0
  /** Whether there are more rows according to the last answer, regardless of the total. */
  #hasMore = false
  #number = 1
  /** The keys of this pass. In the first pass they are the keys of all passes, kept only once. */
  #keys = this.#known
  /** The totals that the pages of this pass gave. */
  #totals: number[] = []
  /** Rows of this pass that it had before. */
  #repeated = 0
  /** The first and the latest page of this pass. */
  #start = 1
  #last = 1
  #isUpwards = true
  /** The id of the newest row when the first page was last read, and whether it differs from the pass before. */
  #newest: string | undefined
  #hasNewcomer = false

  constructor(paging: Paging, keyOf: (row: T) => string) {
    this.#paging = paging
    this.#keyOf = keyOf
    this.page = paging.page ?? 1
  }

  /** Takes a page, moves to the next one, and returns the rows to show. */
  take(rows: readonly T[], { total, hasNext }: PageCount): T[] {
    const { page, limit } = this.#paging
    const before = this.#keys.size
    const fresh = rows.filter((row) => this.#takeRow(row))
    const different = this.#keys.size - before
    this.#totals.push(total)
    this.#repeated += rows.length - different
    if (this.page === 1) {
      this.#hasNewcomer = this.#number > 1 && rows[0]?.id !== this.#newest
      this.#newest = rows[0]?.id
    }
    const isFollowed = this.#isUpwards && page === undefined
    if (hasNext && isFollowed) this.#refuseContradiction(rows.length, different)
    const shown = fresh.slice(0, limit - this.#shown)
    this.#shown += shown.length
    this.#hasMore = hasNext || shown.length < fresh.length
    this.isOver = page !== undefined || this.#shown >= limit
    if (!this.isOver) this.#advance(hasNext)
    return shown
  }

  /** Whether no page of any pass had this row before. */
  #takeRow(row: T): boolean {
    const key = this.#keyOf(row).toLowerCase()
    const isNew = !this.#known.has(key)
    this.#known.add(key)
    this.#keys.add(key)
    return isNew
  }

  /** Moves to the next page of this pass, or to the first page of another. */
  #advance(hasNext: boolean): void {
    if (this.#isUpwards && hasNext) {
      this.page += 1
      return
    }
    if (this.#isUpwards) {
      this.#isUpwards = false
      this.#last = this.page
      this.page = this.#start
    }
    this.page -= 1
    if (this.page > 0) return
    this.isOver = this.#isPart || this.#isWhole || this.#number === mostPasses
    if (!this.isOver) this.#beginAnother()
  }

  #beginAnother(): void {
    this.#number += 1
    this.#keys = new Set()
    this.#totals = []
    this.#repeated = 0
    this.#isUpwards = true
    this.#start = this.#last
    this.page = this.#last
  }

  /** Whether rows may be missing without a sign of it. */
  get #isPart(): boolean {
    return this.#paging.page !== undefined || this.#paging.limit !== Infinity
  }

  /** The total by the last page, which may be wrong. */
  get #total(): number {
    return this.#totals.at(-1) ?? 0
  }

  get #hasMoved(): boolean {
    return this.#totals.some((total) => total !== this.#total)
  }

  /**
   * Whether every page of this pass gave the same total, and the pass had that many different rows. In a later pass somebody who joins moves others
   * to pages that were read already, and the total does not show it if somebody else leaves at the same time. So either nobody may have joined since
   * the first page was read for the pass before, as the newest row shows, or nobody of any pass may have left.
   */
  get #isWhole(): boolean {
    const canHide = this.#hasNewcomer && this.#known.size !== this.#total
    return !this.#hasMoved && this.#keys.size === this.#total && !canHide
  }

  /** The pages to request at the same time, the next one first, but not more than can be needed. */
  upcoming(totalPages: number, pageSize: number): number[] {
    if (this.isOver || this.#paging.ahead === false) return []
    const needed = Math.ceil((this.#paging.limit - this.#shown) / pageSize)
    const left = this.#isUpwards ? totalPages - this.page + 1 : this.page
    const count = Math.max(1, Math.min(pagesAtOnce, needed, left))
    const step = this.#isUpwards ? 1 : -1
    return Array.from({ length: count }, (_, n) => this.page + n * step)
  }

  /** The result of the walk. Throws exit 7 if no pass was complete. `what` in the plural: `members`. */
  end(what: string): PagesRead {
    const { limit, page } = this.#paging
    const shown = this.#shown
    const total = this.#total
    if (!this.#isPart) {
      if (!this.#isWhole) throw this.#neverWhole(what)
      return { shown, total, missing: undefined, moved: undefined }
    }
    const whyOfAll = shown >= limit ? 'limit' : 'short'
    const why = page === undefined ? whyOfAll : 'page'
    const missing = total > shown || this.#hasMore ? why : undefined
    const moved = this.#hasMoved ? { from: this.#totals[0] ?? 0, to: total } : undefined
    return { shown, total, missing, moved }
  }

  #neverWhole(what: string): SvcError {
    const message = `the ${what} changed each of the ${mostPasses} times that they were read: some may be missing`
    const counts = `in the last read, the service counted ${groupDigits(this.#total)}, but its pages had ${groupDigits(this.#keys.size)}`
    const hint = `${counts}; run the command again when fewer people make changes`
    return new SvcError('unavailable', message, { hint })
  }

  /** Throws exit 7 for a page that would make a walk endless. */
  #refuseContradiction(rows: number, different: number): void {
    // New rows move old ones to the next pages. More repeated rows than new ones (counted from the lowest total) are a contradiction.
    const added = (): number => this.#total - Math.min(...this.#totals)
    if (rows > 0 && (different > 0 || this.#repeated <= added())) return
    const what = rows === 0 ? 'is empty' : 'repeats earlier rows'
    const message = `page ${this.page} ${what} although the service says there are more`
    const hint =
      'the service contradicts itself; the rows so far are complete up to this page'
    throw new SvcError('unavailable', message, { hint })
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
        const canResume = error instanceof SvcError && cursor !== undefined
        throw canResume ? error.with({ cursor }) : error
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

/** Why a cursor cannot be followed: it names nothing, or leads in a circle. */
function cursorProblem(
  cursor: string,
  followed: ReadonlySet<string | undefined>,
): SvcError | undefined {
  const hint = 'the messages up to this point are complete'
  if (cursor === '') {
    return new SvcError('unavailable', 'the service returned an empty cursor', { hint })
  }
  if (!followed.has(cursor)) return undefined
  return new SvcError(
    'unavailable',
    'the service returned a cursor that was already used',
    {
      hint,
      cursor,
    },
  )
}

/** A promise that is awaited later. Its failure must not count as unhandled until then. */
export function awaitLater<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}

/** Runs functions in the order in which they come, at most so many at a time. */
export function inTurn(atOnce: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let free = atOnce
  return async (work) => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    }
  }
}

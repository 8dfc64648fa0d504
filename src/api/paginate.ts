/**
 * Pages and chunks as async iterables, the next ones in flight: `client.ts` reads lists, members and histories with them, and `svc api
 * --paginate` any path. API: Pagination, page numbers with totals, except for a history, whose chunks name the next one. A service that
 * leads in circles is an error, since otherwise a read would never end.
 */
import { SvcError } from '../errors.ts'
import type { HistoryChunk, Pagination } from './schemas.ts'
import { limits } from './operations.ts'
import { Passes } from './passes.ts'
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
  /** Change of `total` during a walk that ends with its first pass. */
  readonly moved: { readonly from: number; readonly to: number } | undefined
}

/** Number of pages in flight at once. Chunks of a history are not: each brings the cursor of the next one. */
export const pagesAtOnce = 4

export type FetchPage<T> = (query: { page: number; limit: number }) => Promise<Page<T>>

/** The rows that are walked over: their name in the plural, their count, and what tells two of them apart. */
interface Walked<T> {
  readonly what: string
  readonly begin: () => WalkCount
  /** The row's own id, unless given: a member is told by the contact, which gets another membership when it comes back to a list. */
  readonly keyOf?: ((row: T) => string) | undefined
}

/**
 * Rows of all pages, each key once: pass after pass until one is whole (`passes.ts`). Rows that a later pass has and no earlier one come
 * behind the others. With a limit or one page there is one pass. Throws exit 7 when no pass was whole, and for a page that is
 * empty or repeats although there are more.
 */
export async function* followPages<T extends { readonly id: string }>(
  fetchPage: FetchPage<T>,
  paging: Paging,
  { what, begin, keyOf = ({ id }) => id }: Walked<T> = { what: 'rows', begin: newCount },
): AsyncGenerator<T, PagesRead> {
  const usualLimit = paging.page === undefined ? limits.pageSize.max : limits.pageSize.default
  const limit = paging.pageSize ?? usualLimit
  const walk = new PageWalk<T>(paging, what, keyOf)
  const ask = (page: number): Promise<Page<T>> => fetchPage({ page, limit })
  let ahead: readonly PageAhead<T>[] = []
  const tally = begin()
  try {
    for (;;) {
      const { page } = walk
      const answer = answerOf(ahead, page) ?? ask(page)
      const { rows, pagination } = await answer
      const fresh = walk.take(rows, pagination)
      walk.advance(pagination)
      // A page that was used is asked for again: another pass may begin with it.
      const unused = ahead.filter((one) => one.page !== page)
      const upcoming = walk.upcoming(pagination.totalPages, limit)
      ahead = upcoming.map((number) => {
        const pending = answerOf(unused, number) ?? awaitLater(ask(number))
        return { page: number, answer: pending }
      })
      tally.total = Math.min(pagination.total, paging.limit)
      for (const row of fresh) {
        tally.read += 1
        yield row
      }
      if (walk.isOver) return walk.end()
    }
  } finally {
    tally.end()
  }
}

/** A page that was asked for before it is used. */
interface PageAhead<T> {
  readonly page: number
  readonly answer: Promise<Page<T>>
}

function answerOf<T>(
  ahead: readonly PageAhead<T>[],
  page: number,
): Promise<Page<T>> | undefined {
  return ahead.find((one) => one.page === page)?.answer
}

/** The pages in their order: those of the first pass upwards, those of each further one from the last page to the first. */
class PageWalk<T extends { readonly id: string }> {
  readonly #paging: Paging
  readonly #what: string
  readonly #keyOf: (row: T) => string
  readonly #passes = new Passes()
  /** The one to ask for next. */
  page: number
  /** Whether there is none. */
  isOver = false
  /** The page with which this pass began, and the last one that it met. */
  #start = 1
  #last = 1
  #isUpwards = true
  /** Rows of this pass that it had before. */
  #repeated = 0
  /** Rows so far. */
  #taken = 0
  /** Whether there are more, as far as the last answer says, whatever the service counts. */
  #hasMore = false

  constructor(paging: Paging, what: string, keyOf: (row: T) => string) {
    this.#paging = paging
    this.#what = what
    this.#keyOf = keyOf
    this.page = paging.page ?? 1
  }

  /** Whether rows may be missing without being missed. */
  get #isPart(): boolean {
    return this.#paging.page !== undefined || this.#paging.limit !== Infinity
  }

  /** Rows of the page that are to be shown. */
  take(rows: readonly T[], { total, hasNext }: PageCount): T[] {
    const before = this.#passes.rows
    const fresh = rows.filter((row) => this.#passes.takeRow(this.#keyOf(row)))
    this.#passes.takeTotal(total)
    if (this.page === 1) this.#passes.takeNewest(rows[0]?.id)
    const different = this.#passes.rows - before
    this.#repeated += rows.length - different
    const isFollowed = this.#isUpwards && this.#paging.page === undefined
    if (hasNext && isFollowed) this.#refuseContradiction(rows.length, different)
    const shown = fresh.slice(0, this.#paging.limit - this.#taken)
    this.#taken += shown.length
    this.#hasMore = hasNext || shown.length < fresh.length
    return shown
  }

  /** Goes to the next page of this pass or to the first one of another. */
  advance({ hasNext }: PageCount): void {
    const { page, limit } = this.#paging
    if (page !== undefined || this.#taken >= limit) {
      this.isOver = true
    } else if (this.#isUpwards && hasNext) {
      this.page += 1
    } else {
      if (this.#isUpwards) {
        this.#isUpwards = false
        this.#last = this.page
        this.page = this.#start
      }
      this.page -= 1
      if (this.page === 0) this.#endPass()
    }
  }

  /** Pages to have in flight, the next one first: no more than can be needed. */
  upcoming(totalPages: number, pageSize: number): number[] {
    if (this.isOver || this.#paging.ahead === false) return []
    const needed = Math.ceil((this.#paging.limit - this.#taken) / pageSize)
    const left = this.#isUpwards ? totalPages - this.page + 1 : this.page
    const count = Math.max(1, Math.min(pagesAtOnce, needed, left))
    const step = this.#isUpwards ? 1 : -1
    return Array.from({ length: count }, (_, n) => this.page + n * step)
  }

  /** Throws exit 7 when no pass was whole. */
  end(): PagesRead {
    const { limit, page } = this.#paging
    const { total, moved, isWhole } = this.#passes
    const shown = this.#taken
    if (!this.#isPart) {
      if (!isWhole) throw this.#passes.neverWhole(this.#what)
      return {
        shown,
        total,
        missing: undefined,
        moved: undefined,
      }
    }
    const whyOfAll = shown >= limit ? 'limit' : 'short'
    const why = page === undefined ? whyOfAll : 'page'
    const missing = total > shown || this.#hasMore ? why : undefined
    return { shown, total, missing, moved }
  }

  /** Another pass goes from the last page to the first: rows come newest first, so that those who leave hide nobody. */
  #endPass(): void {
    this.isOver = this.#isPart || this.#passes.isWhole || this.#passes.isLast
    if (this.isOver) return
    this.#passes.beginAnother()
    this.#repeated = 0
    this.#isUpwards = true
    this.#start = this.#last
    this.page = this.#last
  }

  /** Throws exit 7 for a page without which a walk would go on forever. */
  #refuseContradiction(rows: number, different: number): void {
    // New rows push old ones onto the next pages; more repetition than that is a service that contradicts itself.
    if (rows > 0 && (different > 0 || this.#repeated <= this.#passes.added)) return
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
  return new SvcError('unavailable', 'the service returned a cursor that was already used', {
    hint,
    cursor,
  })
}

/** A promise that is looked at later: its failure must not count as unhandled meanwhile. */
export function awaitLater<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}

/** Runs what it is given at its turn, so many at a time, first come, first served. */
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

/**
 * Pages and chunks as async iterables that request the next ones ahead. API: Pagination: pages have numbers
 * and totals, but each chunk of a history names the next one. A service that leads in circles is an error,
 * because otherwise a read would never end.
 */
import { SvcError } from '../errors.ts'
import { groupDigits } from '../words.ts'
import type { HistoryChunk, Pagination } from './schemas.ts'
import { limits } from './operations.ts'

/** The counts for all pages, as one page reports them. */
export type PageCount = Readonly<Pick<Pagination, 'total' | 'totalPages' | 'hasNext'>>

export interface Page<T> {
  rows: readonly T[]
  pagination: PageCount
}

export interface Paging {
  limit: number
  /** Reads only this page. */
  page?: number | undefined
  /** Rows per request. By default 100, or the service's own 20 for a single page. */
  pageSize?: number | undefined
}

/** The result of a walk, after its last row. */
export interface PagesRead {
  shown: number
  /** The service's last count, which may be too small. */
  total: number
  /** Why rows are missing: the limit or the single page left them out, or all pages together had fewer. */
  missing: 'limit' | 'page' | 'short' | undefined
  /** How `total` changed during a walk of a single pass. */
  moved: { from: number; to: number } | undefined
}

/** Pages in flight at once. A history has only one chunk in flight, because each chunk brings the cursor of the next one. */
export const pagesAtOnce = 4

export type FetchPage<T> = (query: { page: number; limit: number }) => Promise<Page<T>>

/** The rows of a walk: their name in the plural, where they are counted, and how to tell them apart. */
interface Walked<T> {
  what: string
  reads: Reads
  /**
   * By default the row's id. A member has its contact's id, because a contact that returns to a list gets a new membership.
   */
  keyOf?: ((row: T) => string) | undefined
}

/**
 * Yields the rows of all pages, each key once. It makes passes until one is complete; new rows of a later pass come after
 * the others. With a limit or a single page there is only one pass. Throws exit 7 if no pass was complete, or if a page is
 * empty or repeats although there should be more.
 */
export async function* followPages<T extends { id: string }>(
  fetchPage: FetchPage<T>,
  paging: Paging,
  { what, reads, keyOf = ({ id }) => id }: Walked<T> = { what: 'rows', reads: new Reads() },
): AsyncGenerator<T, PagesRead> {
  const usualLimit =
    paging.page === undefined ? limits.pageSize.max : limits.pageSize.default
  const limit = paging.pageSize ?? usualLimit
  const walk = new PageWalk<T>(paging, keyOf)
  const ask = (page: number): Promise<Page<T>> => fetchPage({ page, limit })
  /** Pages that were requested ahead. */
  let ahead = new Map<number, Promise<Page<T>>>()
  reads.begin(what)
  try {
    for (;;) {
      const { page } = walk
      const { rows, pagination } = await (ahead.get(page) ?? ask(page))
      // The next pass may begin with this page, and must then request it again.
      ahead.delete(page)
      const shown = walk.take(rows, pagination)
      const upcoming = walk.upcoming(pagination.totalPages, limit)
      ahead = new Map(
        upcoming.map((next) => [next, ahead.get(next) ?? awaitLater(ask(next))]),
      )
      reads.count(what, shown.length)
      for (const row of shown) yield row
      if (walk.isOver) return walk.end(what)
    }
  } finally {
    reads.end()
  }
}

const mostPasses = 4

/**
 * Passes over all pages of rows that others may change meanwhile. The service has no snapshots: when a contact leaves the
 * list, the rows after them move to an earlier page, which may have been read already. So a read is repeated until it is
 * certain that nobody is missing. The first pass goes from the first page to the last. Later passes go from the last page to
 * the first, so that rows move only to pages that are still to be read. Newest rows come first.
 */
class PageWalk<T extends { id: string }> {
  readonly #paging: Paging
  readonly #keyOf: (row: T) => string
  /** Keys of all passes, in lower case because they are ids. */
  readonly #known = new Set<string>()
  /** The page to request next. */
  page: number
  /** Whether there are no more pages to read. */
  isOver = false
  /** Number of rows shown so far. */
  #shown = 0
  /** Whether there are more rows according to the last answer, regardless of the total. */
  #hasMore = false
  #pass = 1
  /** Keys of this pass. The first pass shares the set of all passes. */
  #keys = this.#known
  /** Totals that the pages of this pass reported. */
  #totals: number[] = []
  /** Number of rows that this pass saw again. */
  #repeated = 0
  /** The page that this pass began with, and the last page that it reached. */
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
      this.#hasNewcomer = this.#pass > 1 && rows[0]?.id !== this.#newest
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

  /** Records a row. Returns whether it is new in all passes. */
  #takeRow(row: T) {
    const key = this.#keyOf(row).toLowerCase()
    const isNew = !this.#known.has(key)
    this.#known.add(key)
    this.#keys.add(key)
    return isNew
  }

  /** Moves to the next page of this pass, or begins another pass. */
  #advance(hasNext: boolean) {
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
    this.isOver = this.#isPart || this.#isWhole || this.#pass === mostPasses
    if (!this.isOver) this.#beginAnother()
  }

  /**
   * A later pass begins at the last page: first it goes up, for pages that are new, and then down to page 1 from where it
   * began.
   */
  #beginAnother() {
    this.#pass += 1
    this.#keys = new Set()
    this.#totals = []
    this.#repeated = 0
    this.#isUpwards = true
    this.#start = this.#last
    this.page = this.#last
  }

  /** Whether the caller asked for only a part: a single page, or rows up to a limit. */
  get #isPart() {
    return this.#paging.page !== undefined || this.#paging.limit !== Infinity
  }

  /** The total on the page that was read last. It may be wrong. */
  get #total() {
    return this.#totals.at(-1) ?? 0
  }

  get #hasMoved() {
    return this.#totals.some((total) => total !== this.#total)
  }

  /**
   * Whether every page of this pass gave the same total, and the pass had that many different rows. In a later pass,
   * somebody who joins moves others to pages that were read already. The total does not show it if somebody else leaves at
   * the same time. So a later pass counts only if nobody has joined since the previous pass read the first page (the newest
   * row is the same), or if nobody from any pass has left.
   */
  get #isWhole() {
    const canHide = this.#hasNewcomer && this.#known.size !== this.#total
    return !this.#hasMoved && this.#keys.size === this.#total && !canHide
  }

  /** The pages to request at the same time, the next one first. Never more than may be needed. */
  upcoming(totalPages: number, pageSize: number): number[] {
    if (this.isOver) return []
    const needed = Math.ceil((this.#paging.limit - this.#shown) / pageSize)
    const left = this.#isUpwards ? totalPages - this.page + 1 : this.page
    const count = Math.max(1, Math.min(pagesAtOnce, needed, left))
    const step = this.#isUpwards ? 1 : -1
    return Array.from({ length: count }, (_, n) => this.page + n * step)
  }

  /** The result of the walk. Throws exit 7 if no pass was complete. `what` is a plural: `members`. */
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

  #neverWhole(what: string) {
    const message = `the ${what} changed each of the ${mostPasses} times that they were read: some may be missing`
    const counts = `in the last read, the service counted ${groupDigits(this.#total)}, but its pages had ${groupDigits(this.#keys.size)}`
    const hint = `${counts}; run the command again when fewer people make changes`
    return new SvcError('unavailable', message, { hint })
  }

  /** Throws exit 7 for a page that would make a walk endless. */
  #refuseContradiction(rows: number, different: number) {
    // New rows push old ones to later pages, where they repeat. More repeats than new rows (counted from the lowest total)
    // are a contradiction.
    const added = () => this.#total - Math.min(...this.#totals)
    if (rows > 0 && (different > 0 || this.#repeated <= added())) return
    const what = rows === 0 ? 'is empty' : 'repeats earlier rows'
    const message = `page ${this.page} ${what} although the service says there are more`
    const hint =
      'the service contradicts itself; the rows so far are complete up to this page'
    throw new SvcError('unavailable', message, { hint })
  }
}

/**
 * Yields chunks of a history, newest first, until they have `enough` messages. Drops messages that the previous chunk had.
 * Throws exit 7 for a cursor that is empty or was already used. An error carries the cursor to resume from, if there is one.
 */
export async function* followChunks(
  fetchChunk: (cursor: string | undefined) => Promise<HistoryChunk>,
  start: string | undefined,
  enough = Infinity,
  reads = new Reads(),
): AsyncGenerator<HistoryChunk> {
  const followed = new Set([start])
  let cursor = start
  let count = 0
  let before = new Set<string>()
  let current = awaitLater(fetchChunk(start))
  reads.begin('messages')
  try {
    for (;;) {
      const chunk = await current.catch((error: unknown) => {
        const canResume = error instanceof SvcError && cursor !== undefined
        throw canResume ? error.with({ cursor }) : error
      })
      const messages = chunk.messages.filter(({ id }) => !before.has(id))
      count += messages.length
      reads.count('messages', messages.length)
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
    reads.end()
  }
}

/** The error if a cursor cannot be followed: it is empty, or was already used. */
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

/** Returns a promise that will be awaited later. Until then, its failure does not count as unhandled. */
export function awaitLater<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}

/** Runs functions in the order of the calls, at most `atOnce` at a time. */
export function atMost(atOnce: number): <T>(work: () => Promise<T>) => Promise<T> {
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

/** The display of the counts while anything is read. */
interface Watcher {
  start(): void
  stop(): void
}

export type Watch = (text: () => string) => Watcher

/** How many rows all walks of a command have read, by their name in the plural. */
export class Reads {
  readonly #read = new Map<string, number>()
  readonly #watcher: Watcher | undefined
  /** Walks that have not ended. */
  #active = 0

  /** Calls `watch` with the counts in words: `300 lists, 4,100 members…`. */
  constructor(watch?: Watch) {
    this.#watcher = watch?.(() => {
      const counts = [...this.#read].map(([what, read]) => `${groupDigits(read)} ${what}`)
      return `${counts.join(', ')}…`
    })
  }

  /** A walk begins. */
  begin(what: string) {
    this.count(what, 0)
    if (this.#active === 0) this.#watcher?.start()
    this.#active += 1
  }

  count(what: string, rows: number) {
    this.#read.set(what, (this.#read.get(what) ?? 0) + rows)
  }

  /** A walk ends. */
  end() {
    this.#active -= 1
    if (this.#active === 0) this.#watcher?.stop()
  }
}

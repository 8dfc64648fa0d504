/**
 * Pages and chunks as async iterables that request the next ones ahead. Pages have numbers and totals (API: Pagination), but
 * each chunk of a history names the next one. A service that leads in circles is an error, because otherwise a read would
 * never end.
 */
import { SvcError } from '../errors.ts'
import { groupDigits } from '../words.ts'
import type { HistoryChunk, Pagination } from './schemas.ts'
import { limits } from './operations.ts'

export interface Page<T> {
  rows: readonly T[]
  pagination: Pagination
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
  missing?: 'limit' | 'page' | 'short' | undefined
  /** Whether `total` changed during a walk of a single pass. */
  hasTotalChanged?: boolean
}

/** Pages in flight at once. A history has only one chunk in flight, because each chunk brings the cursor of the next one. */
const pagesAtOnce = 4

export type PageQuery = Readonly<Record<'page' | 'limit', number>>

type FetchPage<T> = (query: PageQuery) => Promise<Page<T>>

/** A member of a list counts as its contact, which gets a new membership when it returns to the list. */
interface WalkedRow {
  id: string
  contact?: { id: string }
}

const mostPasses = 4

/**
 * Yields the rows of all pages, each once. `what`: their name in the plural. Throws exit 7 if a page is empty or repeats
 * although there should be more.
 *
 * Others may change the rows meanwhile, and the service has no snapshots: when a contact leaves the list, the rows after
 * them move to an earlier page, which may have been read already. So a read of all rows is repeated until it is certain that
 * nobody is missing; new rows of a later pass come after the others. The first pass goes from the first page to the last.
 * Later passes go from the last page to the first, so that rows move only to pages that are still to be read. Throws exit 7
 * if no pass was complete. With a limit or a single page there is only one pass.
 */
export async function* followPages<T extends WalkedRow>(
  fetchPage: FetchPage<T>,
  paging: Paging,
  what: string,
  reads: Reads,
): AsyncGenerator<T, PagesRead> {
  const { page, limit } = paging
  const isPart = page !== undefined || limit !== Infinity
  const walk = new PageWalk<T>((query) => reads.withPlace(() => fetchPage(query)), paging)
  const pages = isPart ? walk.readForward(page ?? 1) : walk.readUntilWhole(what)
  for await (const rows of reads.counting(what, pages, ({ length }) => length)) {
    for (const row of rows) yield row
  }
  return walk.result
}

/** The rows and totals of one pass over the pages. Rows are in the order of their age, the newest first. */
class Pass {
  /** Keys of rows: the id of each, or of its contact, in lower case. */
  readonly keysOfAllPasses: Set<string>
  /** In the first pass the same set, to save memory. */
  readonly keysOfThisPass: Set<string>
  /** How many rows came, repeated ones too. */
  rowCount = 0
  /** The total on each page, in the order in which they were read. Any of them may be wrong. */
  readonly totals: number[] = []
  /** Whether every page has a total. */
  hasTotals = true
  /** The id of the newest row, in this pass and in the one before. */
  newest: string | undefined
  readonly #newestBefore: string | undefined

  constructor(before?: Pass) {
    this.keysOfAllPasses = before?.keysOfAllPasses ?? new Set()
    this.keysOfThisPass = before === undefined ? this.keysOfAllPasses : new Set()
    this.#newestBefore = before?.newest
  }

  /** The total on the page that was read last. */
  get total() {
    return this.totals.at(-1) ?? 0
  }

  get hasTotalChanged() {
    return this.totals.some((total) => total !== this.total)
  }

  /** Whether no row is missing. */
  get isWhole() {
    // Without totals, nothing can be compared.
    if (!this.hasTotals) return true
    const isSteady = !this.hasTotalChanged && this.keysOfThisPass.size === this.total
    // Somebody who joins moves others to pages that a later pass has already read. The total does not show it if somebody else
    // leaves at the same time.
    const hasNewcomer = this.newest !== this.#newestBefore
    const hasSomebodyLeft = this.keysOfAllPasses.size !== this.total
    return isSteady && !(hasNewcomer && hasSomebodyLeft)
  }
}

/** Reads pages forward (to older rows, in pages with larger numbers) or backward, with the next ones in flight. */
class PageWalk<T extends WalkedRow> {
  readonly #fetchPage: FetchPage<T>
  readonly #paging: Paging
  readonly #pageSize: number
  #pass = new Pass()
  /** The last page that was read forward, and whether there are more. */
  #last = 1
  #hasNext = false
  #shown = 0
  /** Pages that were requested and not used yet. */
  #ahead = new Map<number, Promise<Page<T>>>()

  constructor(fetchPage: FetchPage<T>, paging: Paging) {
    const { page, pageSize } = paging
    const usualSize = page === undefined ? limits.pageSize.max : limits.pageSize.default
    this.#fetchPage = fetchPage
    this.#paging = paging
    this.#pageSize = pageSize ?? usualSize
  }

  /** Repeats passes until one is complete. Yields the new rows of each page. */
  async *readUntilWhole(what: string) {
    yield* this.readForward(1)
    for (let count = 1; !this.#pass.isWhole; count += 1) {
      if (count === mostPasses) throw neverWhole(this.#pass, what)
      this.#pass = new Pass(this.#pass)
      const start = this.#last
      // Pages that are new come first.
      yield* this.readForward(start)
      yield* this.#readBackward(start - 1)
    }
  }

  /** Reads from a page on until there are enough rows, or no more pages. Yields the new rows of each. */
  async *readForward(from: number) {
    const { page: onlyPage, limit } = this.#paging
    for (let page = from; ; page += 1) {
      const { rows, pagination } = await this.#receive(page)
      const keysBefore = this.#pass.keysOfThisPass.size
      const shown = this.#take(page, rows, pagination)
      const { hasNext, totalPages } = pagination
      const isOver = onlyPage !== undefined || this.#shown >= limit || !hasNext
      if (!isOver) {
        const hasNewKeys = this.#pass.keysOfThisPass.size > keysBefore
        if (!hasNewKeys) refuseContradiction(page, rows, this.#pass)
        this.#requestAhead(page + 1, this.#lastPageNeeded(page, totalPages))
      }
      yield shown
      this.#last = page
      this.#hasNext = hasNext
      if (isOver) return
    }
  }

  /** Reads from a page back to the first one. Yields the new rows of each. */
  async *#readBackward(from: number) {
    for (let page = from; page > 0; page -= 1) {
      this.#requestAhead(page, 1)
      const { rows, pagination } = await this.#receive(page)
      yield this.#take(page, rows, pagination)
    }
  }

  /** The result of a walk that has ended. */
  get result(): PagesRead {
    const { limit, page } = this.#paging
    const { total, hasTotalChanged, keysOfAllPasses } = this.#pass
    const shown = this.#shown
    const read = { shown, total, hasTotalChanged }
    const isMissing = total > shown || this.#hasNext || keysOfAllPasses.size > shown
    if (!isMissing) return read
    if (page !== undefined) return { ...read, missing: 'page' }
    return { ...read, missing: shown >= limit ? 'limit' : 'short' }
  }

  /** The last page that may be needed after `page`, which has at least one more after it, whatever `totalPages` says. */
  #lastPageNeeded(page: number, totalPages: number) {
    const enough = page + Math.ceil((this.#paging.limit - this.#shown) / this.#pageSize)
    return Math.min(enough, Math.max(totalPages, page + 1))
  }

  /** Requests the pages from one to another, in either direction, as many as may be in flight. */
  #requestAhead(from: number, to: number) {
    const step = from > to ? -1 : 1
    const count = Math.min(pagesAtOnce, Math.abs(to - from) + 1)
    const pages = Array.from({ length: count }, (_, n) => from + n * step)
    const ahead = this.#ahead
    this.#ahead = new Map(
      pages.map((page) => [page, ahead.get(page) ?? awaitLater(this.#request(page))]),
    )
  }

  #request(page: number) {
    return this.#fetchPage({ page, limit: this.#pageSize })
  }

  /** A page, which may have been requested before. A later pass requests it again. */
  #receive(page: number) {
    const requested = this.#ahead.get(page) ?? this.#request(page)
    this.#ahead.delete(page)
    return requested
  }

  /** Counts the rows of a page. Returns those to show: no page of any pass had them, and the limit allows them. */
  #take(page: number, rows: readonly T[], { total }: Pagination): T[] {
    const pass = this.#pass
    if (page === 1) pass.newest = rows[0]?.id
    pass.hasTotals &&= total != null
    pass.totals.push(total ?? 0)
    pass.rowCount += rows.length
    const fresh = rows.filter((row) => {
      // Ids are the same in either letter case.
      const key = (row.contact ?? row).id.toLowerCase()
      const isFresh = !pass.keysOfAllPasses.has(key)
      pass.keysOfAllPasses.add(key)
      pass.keysOfThisPass.add(key)
      return isFresh
    })
    const shown = fresh.slice(0, this.#paging.limit - this.#shown)
    this.#shown += shown.length
    return shown
  }
}

/** Throws exit 7 for a page without new keys, because the walk could be endless. Each newcomer may push one row to it. */
function refuseContradiction(
  page: number,
  { length }: readonly unknown[],
  { rowCount, keysOfThisPass, total, totals }: Pass,
) {
  const repeats = rowCount - keysOfThisPass.size
  const newcomers = total - Math.min(...totals)
  if (length > 0 && repeats <= newcomers) return
  const what = length === 0 ? 'is empty' : 'repeats earlier rows'
  const message = `page ${page} ${what} although the service says there are more`
  const hint =
    'the service contradicts itself; the rows so far are complete up to this page'
  throw new SvcError('unavailable', message, { hint })
}

function neverWhole({ total, keysOfThisPass }: Pass, what: string) {
  const message = `the ${what} changed each of the ${mostPasses} times that they were read: some may be missing`
  const counts = `in the last read, the service counted ${groupDigits(total)}, but its pages had ${groupDigits(keysOfThisPass.size)}`
  const hint = `${counts}; run the command again when fewer people make changes`
  return new SvcError('unavailable', message, { hint })
}

/**
 * Yields chunks of a history, newest first, until they have `enough` messages. Drops messages that the previous chunk had.
 * Throws exit 7 for a cursor that is empty or was already used. An error carries the cursor to resume from, if there is one.
 */
export async function* followChunks(
  fetchChunk: (cursor: string | undefined) => Promise<HistoryChunk>,
  start: string | undefined,
  enough = Infinity,
): AsyncGenerator<HistoryChunk> {
  const followed = new Set([start])
  let cursor = start
  let count = 0
  let idsBefore = new Set<string>()
  let requested = awaitLater(fetchChunk(start))
  for (;;) {
    const chunk = await requested.catch((error: unknown) => {
      const canResume = error instanceof SvcError && cursor !== undefined
      throw canResume ? error.with({ cursor }) : error
    })
    const messages = chunk.messages.filter(({ id }) => !idsBefore.has(id))
    count += messages.length
    const next = chunk.nextChunkStartMessageId ?? undefined
    const isLast = next === undefined || count >= enough
    const canFollow = !isLast && next !== '' && !followed.has(next)
    if (canFollow) requested = awaitLater(fetchChunk(next))
    yield { ...chunk, messages }
    if (isLast) return
    if (!canFollow) throw wrongCursor(next)
    followed.add(next)
    idsBefore = new Set(chunk.messages.map(({ id }) => id))
    cursor = next
  }
}

function wrongCursor(cursor: string) {
  const isEmpty = cursor === ''
  const what = isEmpty ? 'an empty cursor' : 'a cursor that was already used'
  return new SvcError('unavailable', `the service returned ${what}`, {
    hint: 'the messages up to this point are complete',
    cursor: isEmpty ? undefined : cursor,
  })
}

/** Returns a promise that will be awaited later. Until then, its failure does not count as unhandled. */
function awaitLater<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}

/** The display of the counts while anything is read. */
interface Watcher {
  start(): void
  stop(): void
}

export type Watch = (text: () => string) => Watcher

/** All walks of a command: they share the pages in flight, and are counted together. */
export class Reads {
  /** How many rows were read, by their name in the plural. */
  readonly #counts = new Map<string, number>()
  readonly #watcher: Watcher | undefined
  /** Walks that have not ended. */
  #walks = 0
  #freePlaces = pagesAtOnce
  /** Requests that wait for a place, in the order of their calls. */
  readonly #waiting: (() => void)[] = []

  /** Calls `watch` with the counts in words: `300 lists, 4,100 members…`. */
  constructor(watch?: Watch) {
    this.#watcher = watch?.(() => {
      const counts = [...this.#counts].map(([what, read]) => `${groupDigits(read)} ${what}`)
      return `${counts.join(', ')}…`
    })
  }

  /** Yields the pages of a walk, and counts their rows. */
  async *counting<P>(what: string, pages: AsyncIterable<P>, rowsIn: (page: P) => number) {
    const add = (rows: number) =>
      this.#counts.set(what, (this.#counts.get(what) ?? 0) + rows)
    add(0)
    if (this.#walks === 0) this.#watcher?.start()
    this.#walks += 1
    try {
      for await (const page of pages) {
        add(rowsIn(page))
        yield page
      }
    } finally {
      this.#walks -= 1
      if (this.#walks === 0) this.#watcher?.stop()
    }
  }

  /** Sends a request when it has one of the places in flight. */
  async withPlace<T>(send: () => Promise<T>): Promise<T> {
    if (this.#freePlaces > 0) this.#freePlaces -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await send()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#freePlaces += 1
      else next()
    }
  }
}

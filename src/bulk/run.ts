/**
 * Batches in flight: workers that take the next batch, lower and raise their number with the service's mood, and stop for
 * each of the reasons that the surface names. What may be claimed is the book's business.
 */
import type { Api } from '../api/api.ts'
import { messageOf, SvcError } from '../errors.ts'
import type { Host } from '../host.ts'
import { batchRange, type Batches } from './batches.ts'
import type { Book, Chain, Items } from './book.ts'
import { carryOut } from './carry-out.ts'
import type { Journal } from './journal.ts'
import type { BatchEvent, BulkOperation, StopReason } from './reconcile.ts'

export interface RunSpec {
  readonly operation: BulkOperation
  readonly items: Items
  readonly batches: Batches
  readonly target: string | undefined
  readonly isolate: boolean
  readonly ifAssignee: string | undefined
  readonly concurrency: number
  /** Undefined: three in a row with no success between. */
  readonly maxFailures: number | undefined
  /** Milliseconds from now after which no batch starts. */
  readonly deadline: number | undefined
}

export interface Engine {
  readonly host: Pick<Host, 'now' | 'monotonic'>
  readonly api: Api
  readonly book: Book
  readonly journal: Journal | undefined
  /** The first signal. */
  readonly soft: AbortSignal
  /** Numbers of the batches to send, in order. */
  readonly todo: Iterable<number>
  /** Merge: batches that must be done before others are sent. */
  readonly chain: Chain | undefined
  /** After a batch was settled; what it returns is waited for before another batch starts. */
  readonly onSettled: (batch: number) => Promise<void> | void
}

export interface RunEnd {
  readonly stop: StopReason | null
  /** Assign: tickets that could not be read before the change was sent. */
  readonly unread: number
  /** What made the run stop, when it was an error: its words belong on stderr. */
  readonly error: SvcError | undefined
}

export interface Running {
  /** Lets what is in flight end and starts nothing new. */
  stop(reason: StopReason): void
  readonly ended: Promise<RunEnd>
}

/** A request that waits for its turn. */
interface Waiting {
  /** Nothing of its batch was sent yet. */
  readonly isFirst: boolean
  go(): void
  refuse(why: SvcError): void
}

/**
 * Answers come in bursts. Within one, each connection is put to work again before the first answer is settled: for so long,
 * in milliseconds, or until as many wait as may be in flight.
 */
const burst = 2

/** In a row, with no success between. */
const failuresInARow = 3
/** Successes after which one more request may be in flight again. */
const successesToRaise = 10
/** Milliseconds within which several refusals for pace are one sign: what is in flight is refused together. */
const oneSign = 1000

export function startRun(spec: RunSpec, engine: Engine): Running {
  const { book, host, journal } = engine
  let stopped: StopReason | null = null
  let error: SvcError | undefined
  let wake: (() => void) | undefined
  let limit = spec.concurrency
  let calm = 0
  let failures = 0
  let inARow = 0
  // A resumed run that got through before does not take a refusal for a wrong list.
  let successes = book.totals.batches.done
  let unread = 0
  let loweredAt = Number.NEGATIVE_INFINITY
  /** Batches that were begun and are not settled. */
  const underWay = new Set<number>()
  /** Requests in flight, or retried, and those that wait to be. */
  let inFlight = 0
  const waiting: Waiting[] = []
  /** Answers that are not settled yet. */
  const answered: (() => void)[] = []
  let isSettling = false
  let burstEnd: NodeJS.Timeout | undefined
  const started = host.monotonic()

  function stop(reason: StopReason, cause?: SvcError): void {
    stopped ??= reason
    error ??= cause
    letIn()
    wake?.()
  }

  /** Lets requests out as many may be in flight. Once the run stops, those of batches that were never sent go nowhere. */
  function letIn(): void {
    if (isLate() && waiting.some(({ isFirst }) => isFirst)) stopped ??= 'deadline'
    if (stopped !== null) {
      for (const unsent of waiting.filter(({ isFirst }) => isFirst)) {
        waiting.splice(waiting.indexOf(unsent), 1)
        unsent.refuse(new SvcError('interrupted', 'the run stopped'))
      }
    }
    while (inFlight < limit) {
      const next = waiting.shift()
      if (next === undefined) return
      inFlight += 1
      next.go()
    }
  }

  function isLate(): boolean {
    return spec.deadline !== undefined && host.monotonic() - started >= spec.deadline
  }

  async function enter(isFirst: boolean): Promise<() => Promise<void>> {
    await new Promise<void>((go, refuse) => {
      waiting.push({ isFirst, go, refuse })
      letIn()
    })
    let left: Promise<void> | undefined
    return () => {
      if (left !== undefined) return left
      inFlight -= 1
      letIn()
      left = new Promise((resolve) => {
        answered.push(resolve)
      })
      if (answered.length >= limit) settleAll()
      else if (!isSettling) burstEnd ??= setTimeout(settleAll, burst)
      return left
    }
  }

  /** One a turn of the event loop, so that an answer that comes meanwhile is seen to first. */
  function settleAll(): void {
    clearTimeout(burstEnd)
    burstEnd = undefined
    if (isSettling) return
    isSettling = true
    setImmediate(settleOne)
  }

  function settleOne(): void {
    answered.shift()?.()
    isSettling = answered.length > 0
    if (isSettling) setImmediate(settleOne)
  }

  async function emit(event: BatchEvent): Promise<void> {
    try {
      if (event.t === 'try') await journal?.appendTry(event)
      else await journal?.append(event)
    } catch (failure) {
      // Nothing is sent without its `try`; but an answer that is here is true, whether it can be kept or not.
      if (event.t !== 'try') book.apply(event)
      throw failure
    }
    if (event.t === 'read' && !event.ok && book.state(event.b).attempts === 0) unread += 1
    book.apply(event)
    if (event.t === 'res' && event.k !== 'answered') sense(event.s)
  }

  /** Fewer requests in flight while the service is short of breath. */
  function sense(status: number | undefined): void {
    if (status !== 429 && status !== 503) return
    calm = 0
    if (host.monotonic() - loweredAt < oneSign) return
    loweredAt = host.monotonic()
    limit = Math.max(1, limit >> 1)
  }

  async function work(batch: number): Promise<void> {
    const { from } = batchRange(spec.batches, batch)
    const job = {
      operation: spec.operation,
      batch,
      get ids() {
        return book.idsOf(batch)
      },
      other: spec.items.other(from),
      target: spec.target,
      isolate: spec.isolate,
      ifAssignee: spec.ifAssignee,
    }
    let hasEntered = false
    let leave: (() => Promise<void>) | undefined
    const ledger = {
      state: () => book.state(batch),
      emit,
      enter: async () => {
        leave ??= await enter(!hasEntered)
        hasEntered = true
        const leaveNow = leave
        return () => {
          leave = undefined
          return leaveNow()
        }
      },
      now: () => host.now(),
    }
    try {
      judge(batch, await carryOut(engine.api, job, ledger))
    } catch (thrown) {
      const known = thrown instanceof SvcError ? thrown : new SvcError('internal', messageOf(thrown), { cause: thrown })
      if (known.category === 'interrupted') stop('signal')
      else if (known.category === 'local') stop('journal', known)
      else throw known
    } finally {
      // Whatever ended without a good answer was judged first: it may have stopped the run.
      void leave?.()
    }
  }

  /** What the ending of a batch means for the run. */
  function judge(batch: number, failure: SvcError | undefined): void {
    const { last } = book.state(batch)
    const [outcome] = book.close(batch, failure?.message).outcomes
    const isOpen = outcome === 'not-attempted' || outcome === 'undetermined'
    if (outcome !== 'error' && outcome !== 'unknown' && !(isOpen && failure !== undefined)) {
      successes += 1
      inARow = 0
      calm += 1
      if (calm >= successesToRaise && limit < spec.concurrency) {
        limit += 1
        calm = 0
        letIn()
      }
      return
    }
    failures += 1
    inARow += 1
    // What an earlier session was told says nothing about this one.
    const status = failure !== undefined && last?.kind === 'refused' ? last.status : undefined
    const wrongTarget = (status === 400 || status === 404) && successes === 0
    if (status === 401 || failure?.category === 'auth') stop('auth', failure)
    else if (status === 403) stop('forbidden', failure)
    // For pairs a refusal is about that pair; a batch of ids shares what is wrong with all others.
    else if (wrongTarget && spec.items.other(spec.batches.from) === undefined) stop('refused', failure)
    else if (failure?.details.retryAfter !== undefined) stop('retry-after', failure)
    else if (spec.maxFailures === undefined ? inARow >= failuresInARow : failures >= spec.maxFailures)
      stop('max-failures', failure)
  }

  async function loop(): Promise<RunEnd> {
    const queue = engine.todo[Symbol.iterator]()
    let next = queue.next()
    let broken: Error | undefined
    while (broken === undefined) {
      if (engine.soft.aborted) stop('signal')
      if (isLate() && next.done !== true) stop('deadline')
      const mayStart = stopped === null && next.done !== true
      if (!mayStart && underWay.size === 0) break
      const batch = next.value as number
      // As many again are prepared as are in flight.
      if (!mayStart || underWay.size >= 2 * limit || waitsForOthers(batch)) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        continue
      }
      next = queue.next()
      if (isInVain(batch)) {
        book.close(batch, 'not sent: a merge that must come first was not done')
        continue
      }
      underWay.add(batch)
      void work(batch)
        .then(() => engine.onSettled(batch))
        .catch((thrown: unknown) => {
          broken = thrown instanceof Error ? thrown : new Error(String(thrown))
        })
        .finally(() => {
          underWay.delete(batch)
          wake?.()
        })
    }
    if (broken !== undefined) {
      // Nothing new starts; what is in flight still belongs into the journal.
      while (underWay.size > 0) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      throw broken
    }
    return { stop: stopped, error, unread }
  }

  function waitsForOthers(batch: number): boolean {
    return engine.chain?.after(batch).some((earlier) => underWay.has(earlier)) === true
  }

  /** A merge whose source should first have received another contact is left alone when that did not happen. */
  function isInVain(batch: number): boolean {
    return engine.chain?.after(batch).some((earlier) => book.isClosed(earlier) && !book.isDone(earlier)) === true
  }

  engine.soft.addEventListener('abort', () => stop('signal'), { once: true })
  return { stop, ended: loop() }
}

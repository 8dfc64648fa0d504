/**
 * Sends what is left of a run, hands out receipts as batches end, and concludes: receipts, the journal's last line, the summary, notes.
 * `session.ts` comes here with a session whose run is on disk. `from-record.ts` uses `writeEnd` for a run with nothing left.
 */
import { setMaxListeners } from 'node:events'
import { SvcError } from '../../errors.ts'
import type { ProgressState } from '../../output/progress.ts'
import { ReceiptStream } from '../files/receipts.ts'
import { operationOf } from '../operations/operations.ts'
import type { Outcome } from '../operations/outcome.ts'
import { receiptsOf } from '../outcomes/receipt.ts'
import type { RunState } from '../outcomes/state.ts'
import { aboutRun, summaryOf, type Summary } from '../outcomes/summary.ts'
import type { Totals } from '../outcomes/totals.ts'
import { numbers } from '../record/batches.ts'
import type { Journal } from '../record/journal.ts'
import { endingOf } from '../runs/recorded.ts'
import { Scheduler, type RunEnd } from '../sending/scheduler.ts'
import type { Clock } from '../record/landing.ts'
import type { BulkTools } from '../tools.ts'
import type { Ending, OpenSession, RunSummary, SessionContext } from './start.ts'

/** Begins to send: receipts come as batches end, and the summary is there at the end. */
export async function send(context: SessionContext, open: OpenSession): Promise<Ending> {
  const { tools, locks, service, teller, clock } = context
  const { run, options, state, one } = open
  const plain = await service.api()
  const api = one?.watch(plain) ?? plain
  teller.run(run)
  const { lost } = locks
  const cutOff = AbortSignal.any([tools.abortSignal, lost])
  // Every request in flight listens; many of them are no leak.
  setMaxListeners(0, cutOff)
  const stream = new ReceiptStream(() => scheduler.stop('stdout-closed'))
  const hand = handOut(tools, state, stream)
  const settings = { ...options, parameters: run.parameters }
  const scheduler = new Scheduler(settings, open.left, {
    host: tools.host,
    api,
    state,
    journal: open.journal,
    signal: tools.signal,
    lost,
    cutOff,
    onEnded: hand,
  })
  const waiting = (): number => api.client.pace.countWaiting()
  const progress =
    one === undefined ? await tools.progress(progressOf(clock, state, waiting)) : noProgress
  return {
    kind: 'ending',
    open,
    receipts: stream,
    conclude: () => sendToEnd(context, open, { scheduler, stream, hand, progress }),
  }
}

/** One change is over before a line about it could be read. */
const noProgress = { stop: () => undefined }

/** A session while it sends. */
interface Sending {
  readonly scheduler: Scheduler
  readonly stream: ReceiptStream
  /** Puts the receipts of a batch into the stream, once it has ended. */
  readonly hand: (batch: number) => Promise<void> | void
  readonly progress: { readonly stop: () => void }
}

/** Sends until nothing is left or something stops it, and concludes. Signals are told while it lasts. */
async function sendToEnd(
  context: SessionContext,
  open: OpenSession,
  { scheduler, stream, hand, progress }: Sending,
): Promise<RunSummary> {
  const { tools, teller, clock } = context
  const started = clock.monotonic()
  const batches = open.state.batches.total
  const onSignal = (): void => {
    const again =
      tools.caught() === 'SIGINT'
        ? 'press Ctrl-C again to abort them'
        : 'a second signal aborts them'
    teller.note(`stopping: nothing new is sent, and requests in flight may finish; ${again}`)
  }
  // After the second signal a slow reader of the receipts is no longer waited for.
  const onAbort = (): void => stream.abandon()
  tools.signal.addEventListener('abort', onSignal, { once: true })
  tools.abortSignal.addEventListener('abort', onAbort, { once: true })
  try {
    // A resumed run's stream is as whole as its summary.
    for (const batch of numbers(batches)) await hand(batch)
    const end = await scheduler.run()
    progress.stop()
    const earlier = open.recorded?.durationMs ?? 0
    const summary = await conclude(context, open, end, () => earlier + clock.monotonic() - started)
    for (const batch of numbers(batches)) await hand(batch)
    return summary
  } finally {
    progress.stop()
    tools.signal.removeEventListener('abort', onSignal)
    tools.abortSignal.removeEventListener('abort', onAbort)
    stream.end()
  }
}

/** Puts the receipts of a batch that has ended into the stream, once, when anybody reads one. */
function handOut({ print }: BulkTools, state: RunState, stream: ReceiptStream): Sending['hand'] {
  if (print.format !== 'ndjson') return () => undefined
  const isOut = new Uint8Array(state.batches.total + 1)
  return (batch) => {
    if (isOut[batch] === 1 || !state.hasEnded(batch)) return
    isOut[batch] = 1
    return stream.push(receiptsOf(state, batch))
  }
}

/** Counts of this session alone, so that the rate and the remaining time are right. `held`: milliseconds that all requests wait. */
function progressOf(clock: Clock, state: RunState, held: () => number) {
  const countEnded = ({ outcomes }: Totals): number =>
    Object.values(outcomes).reduce((sum, count) => sum + count, 0)
  const earlier = state.totals()
  const before = countEnded(earlier)
  const now = (): ProgressState => {
    const { outcomes, batches } = state.totals()
    const counts = Object.entries(outcomes).map(([outcome, count]) => [
      outcome,
      count - earlier.outcomes[outcome as Outcome],
    ])
    const {
      error = 0,
      unknown = 0,
      ...others
    } = Object.fromEntries(counts) as Record<string, number>
    const wait = held()
    return {
      done: countEnded(state.totals()) - before,
      failed: error + unknown,
      retried: batches.retried - earlier.batches.retried,
      counts: others,
      waitingUntil: wait > 0 ? clock.now() + wait : undefined,
    }
  }
  const { from, to } = state.batches
  return {
    label: operationOf(state.operation).words.doing,
    total: to - from - before,
    state: now,
  }
}

/**
 * Ends what is open, writes receipts and the journal's last line, and sums up. Throws exit 11 when the lock is lost: what becomes of
 * the run is told by the process that has it now.
 */
async function conclude(
  { tools, locks, teller, clock }: SessionContext,
  open: OpenSession,
  { error, stop: stopped, unread, failure }: RunEnd,
  durationMs: () => number,
): Promise<RunSummary> {
  const { run, state, journal, options } = open
  locks.lost.throwIfAborted()
  const errors = new Set(error === undefined ? [] : [error])
  let stop = stopped
  let endedAt: number | undefined
  state.closeAll()
  state.endSession(stop === 'refused' || stop === 'max-failures')
  const sumUp = (): Summary => {
    // A signal that comes while receipts are written ends the process too.
    const signal = tools.caught()
    if (signal !== undefined) stop ??= 'signal'
    return summaryOf({
      about: aboutRun(run, (endedAt ??= clock.now())),
      input: run.input,
      state,
      ending: { ...endingOf({ options, once: run.once }), stop, signal },
      durationMs: durationMs(),
    })
  }
  try {
    await writeEnd(clock, open, sumUp)
  } catch (problem) {
    locks.lost.throwIfAborted()
    if (!(problem instanceof SvcError)) throw problem
    // A journal that cannot be written is one error, however often it is met.
    errors.add(problem)
    stop ??= 'journal'
    // The outcomes are known, but nobody may take the run, or its receipts, for well recorded.
    if (journal.failure === undefined) {
      await appendEnd(clock, journal, sumUp()).catch(() => undefined)
    }
  }
  const summary = sumUp()
  if (open.one !== undefined) return { ...summary, failure: [...errors][0] ?? failure }
  for (const each of errors) teller.error(each.endingWith(summary.exitCode).with({ run: run.run }))
  teller.ending({
    ...open,
    summary,
    unread,
    isExplained: errors.size > 0,
  })
  teller.tooMany(summary, run.run)
  return teller.late(open.beginning?.job.late, summary)
}

/**
 * Receipts and annotated rows are written next to their final place; the journal says what they are and how the run ended, and is on disk, before they
 * are moved there. Throws exit 10, also when somebody else's file came into their place, or 11.
 */
export async function writeEnd(
  clock: Clock,
  { outputs, state, journal }: Pick<OpenSession, 'outputs' | 'state' | 'journal'>,
  sumUp: () => Summary,
): Promise<void> {
  const problem = await outputs.finish(state, journal)
  await appendEnd(clock, journal, sumUp())
  await outputs.place(problem)
}

/** The journal's last line: `runs list` and monitors read it instead of the whole journal. On disk when this resolves. */
async function appendEnd(clock: Clock, journal: Journal, summary: Summary): Promise<void> {
  const { status, exitCode, result, stopReason, left, document } = summary
  const { endedAt } = document
  await journal.append({
    t: 'end',
    // The time that is printed now is shown later too.
    at: typeof endedAt === 'string' ? Date.parse(endedAt) : clock.now(),
    status,
    ...(stopReason === null ? {} : { stop: stopReason }),
    exitCode,
    result: { ...result },
    left,
  })
  await journal.sync()
}

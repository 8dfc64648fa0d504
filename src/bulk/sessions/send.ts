/** Sends what is left of a run, and hands out receipts as batches end. */
import { setMaxListeners } from 'node:events'
import { numbers } from '../record/batches.ts'
import type { Outcome } from '../operations/outcome.ts'
import { operationOf } from '../operations/operations.ts'
import { ReceiptStream } from '../files/receipts.ts'
import { conclude } from './conclude.ts'
import type { Ending, OpenSession, RunSummary, SessionContext } from './start.ts'
import { Scheduler } from '../sending/scheduler.ts'
import { receiptsOf } from '../outcomes/receipt.ts'
import type { RunState } from '../outcomes/state.ts'
import type { Totals } from '../outcomes/totals.ts'
import { tellRun } from '../telling/confirm.ts'
import type { BulkTools } from '../tools.ts'

/** Begins to send: receipts come as batches end, and the summary is there at the end. */
export async function send({ tools, locks }: SessionContext, open: OpenSession): Promise<Ending> {
  const api = await tools.api()
  const { run, options } = open
  tellRun(tools, run)
  const { lost } = locks
  const cutOff = AbortSignal.any([tools.abortSignal, lost])
  // Every request in flight listens; many of them are no leak.
  setMaxListeners(0, cutOff)
  const how = { ...options, target: run.target?.id, ifAssignee: run.options.ifAssignee }
  const scheduler = new Scheduler(how, open.left, {
    host: tools.host,
    api,
    state: open.state,
    journal: open.journal,
    signal: tools.signal,
    lost,
    cutOff,
    onEnded: async (batch) => {
      display.update()
      if (open.state.hasEnded(batch)) await hand(batch)
    },
  })
  const stream = new ReceiptStream(() => scheduler.stop('stdout-closed'))
  const hand = handOut(tools, open.state, stream)
  const display = await showProgress(tools, open, () => api.client.pace.held())
  return { receipts: stream, conclude: () => sendToEnd({ tools, locks }, open, { scheduler, stream, hand, display }) }
}

interface Sending {
  readonly scheduler: Scheduler
  readonly stream: ReceiptStream
  readonly hand: (batch: number) => Promise<void>
  readonly display: Display
}

async function sendToEnd(
  context: SessionContext,
  open: OpenSession,
  { scheduler, stream, hand, display }: Sending,
): Promise<RunSummary> {
  const { tools } = context
  const started = tools.host.monotonic()
  const batches = open.state.batches.total
  const onSignal = (): void => {
    const again = tools.caught() === 'SIGINT' ? 'press Ctrl-C again to abort them' : 'a second signal aborts them'
    tools.note(`stopping: nothing new is sent, and requests in flight may finish; ${again}`)
  }
  // After the second signal a slow reader of the receipts is no longer waited for.
  const onAbort = (): void => stream.abandon()
  tools.signal.addEventListener('abort', onSignal, { once: true })
  tools.abortSignal.addEventListener('abort', onAbort, { once: true })
  try {
    // A resumed run's stream is as whole as its summary.
    for (const batch of numbers(batches)) if (open.state.hasEnded(batch)) await hand(batch)
    const end = await scheduler.run()
    display.stop()
    const earlier = open.resumption?.recorded.durationMs ?? 0
    const durationMs = (): number => earlier + tools.host.monotonic() - started
    const summary = await conclude(context, { ...open, end, durationMs })
    for (const batch of numbers(batches)) await hand(batch)
    return summary
  } finally {
    display.stop()
    tools.signal.removeEventListener('abort', onSignal)
    tools.abortSignal.removeEventListener('abort', onAbort)
    stream.end()
  }
}

/** Puts a batch's receipts into the stream, once, when anybody reads one. */
function handOut({ print }: BulkTools, state: RunState, stream: ReceiptStream): (batch: number) => Promise<void> {
  if (print.format !== 'ndjson') return () => Promise.resolve()
  const isOut = new Uint8Array(state.batches.total + 1)
  return async (batch) => {
    if (isOut[batch] === 1) return
    isOut[batch] = 1
    await stream.push(receiptsOf(state, batch))
  }
}

type Display = Awaited<ReturnType<typeof showProgress>>

const redrawMs = 250
/** Every ten seconds a log shows that a run is alive while no batch ends. */
const ticksOfSilence = 40

/** As a bar or as lines of a log. Counts are those of this session, so that the rate and the remaining time are right. */
async function showProgress(tools: BulkTools, { state }: OpenSession, waiting: () => number) {
  const ended = ({ outcomes }: Totals): number => Object.values(outcomes).reduce((sum, count) => sum + count, 0)
  const earlier = state.totals()
  const before = ended(earlier)
  const size = state.batches.to - state.batches.from
  const progress = await tools.progress(operationOf(state.operation).words.doing, size - before)
  let updatedAt = -Infinity
  let isStopped = false
  const update = (isLast = false): void => {
    const now = tools.host.monotonic()
    // Counting goes through all batches: not after each of them.
    if (!isLast && now - updatedAt < redrawMs) return
    updatedAt = now
    const totals = state.totals()
    const { error, unknown, ...counts } = Object.fromEntries(
      Object.entries(totals.outcomes).map(([outcome, count]) => [
        outcome,
        count - earlier.outcomes[outcome as Outcome],
      ]),
    ) as Record<Outcome, number>
    const wait = waiting()
    progress.update({
      done: ended(totals) - before,
      failed: error + unknown,
      retried: totals.batches.retried - earlier.batches.retried,
      counts,
      waitingUntil: wait > 0 ? tools.host.now() + wait : undefined,
    })
  }
  // While everybody waits for a Retry-After no batch ends, and that is worth showing.
  let ticks = 0
  const redraw = (): void => {
    ticks += 1
    if (waiting() > 0 || ticks % ticksOfSilence === 0) update()
  }
  const timer = tools.host.every(redrawMs, redraw, 'weak')
  return {
    update,
    stop() {
      if (isStopped) return
      isStopped = true
      timer.cancel()
      update(true)
      progress.stop()
    },
  }
}

/** Sends what is left of a run whose lock is held, hands out receipts as batches end, and reports. */
import { setMaxListeners } from 'node:events'
import { numbers } from '../record/batches.ts'
import type { Outcome } from '../operations/outcome.ts'
import { operationOf } from '../operations/operations.ts'
import { ReceiptStream } from '../files/receipts.ts'
import { conclude, type OpenRun, type Report } from './report.ts'
import { Scheduler } from '../sending/scheduler.ts'
import { receiptsOf } from '../outcomes/receipt.ts'
import type { RunState } from '../outcomes/state.ts'
import type { Totals } from '../outcomes/totals.ts'
import { tellRun } from '../telling/confirm.ts'
import type { BulkTools, RunOutput } from '../tools.ts'

/** Returns once sending has begun: receipts come as batches end, and the summary is there at the end. */
export async function execute(tools: BulkTools, open: OpenRun): Promise<RunOutput> {
  const api = await tools.api()
  const { run, options, held } = open
  tellRun(tools, run)
  const { lost } = held
  const cutOff = AbortSignal.any([tools.abortSignal, lost])
  // Every request in flight listens; many of them are no leak.
  setMaxListeners(0, cutOff)
  const plan = { ...options, target: run.target?.id, ifAssignee: run.options.ifAssignee }
  const scheduler = new Scheduler(plan, open.todo, {
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
  const ended = tools.criticalSection.run(() => runToEnd(tools, open, { scheduler, stream, hand, display }))
  // Thrown where the summary is asked for.
  ended.catch(() => undefined)
  return { kind: 'bulk', receipts: stream, summary: () => ended }
}

interface Session {
  readonly scheduler: Scheduler
  readonly stream: ReceiptStream
  readonly hand: (batch: number) => Promise<void>
  readonly display: Display
}

async function runToEnd(tools: BulkTools, open: OpenRun, { scheduler, stream, hand, display }: Session) {
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
    const report: Report = {
      ...open,
      end,
      durationMs: () => (open.durationBefore ?? 0) + tools.host.monotonic() - started,
    }
    const summary = await conclude(tools, report)
    for (const batch of numbers(batches)) await hand(batch)
    return summary
  } finally {
    display.stop()
    tools.signal.removeEventListener('abort', onSignal)
    tools.abortSignal.removeEventListener('abort', onAbort)
    await open.held.release()
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
async function showProgress(tools: BulkTools, { state }: OpenRun, held: () => number) {
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
    const wait = held()
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
  const timer = setInterval(() => {
    ticks += 1
    if (held() > 0 || ticks % ticksOfSilence === 0) update()
  }, redrawMs)
  timer.unref()
  return {
    update,
    stop() {
      if (isStopped) return
      isStopped = true
      clearInterval(timer)
      update(true)
      progress.stop()
    },
  }
}

/** How a session of a run ends: receipts, the journal's last line, the summary, and what a person should know beyond it. */
import { SvcError } from '../../errors.ts'
import type { Receipt } from '../outcomes/receipt.ts'
import { factsOf, summaryOf, type Summary } from '../outcomes/summary.ts'
import type { Journal } from '../record/journal.ts'
import { endingOf } from '../runs/recorded.ts'
import type { RunEnd } from '../sending/scheduler.ts'
import { tellEnding, tellLate, tellTooMany } from '../telling/ending-notes.ts'
import type { BulkTools } from '../tools.ts'
import type { Ending, OpenSession, RunSummary, SessionContext } from './start.ts'

export interface Report extends OpenSession {
  readonly end: RunEnd
  /** Milliseconds of all sessions so far. */
  readonly durationMs: () => number
}

/** An ending without anything more to do. */
export function endingAs(summary: RunSummary, receipts: Iterable<Receipt> = []): Ending {
  return {
    receipts: {
      async *[Symbol.asyncIterator]() {
        yield* receipts
      },
    },
    conclude: () => Promise.resolve(summary),
  }
}

/** Resolves what is open, writes receipts and the journal's last line, and sums up. */
export async function conclude({ tools, locks }: SessionContext, report: Report): Promise<RunSummary> {
  const { run, state, journal, end } = report
  const recorded = { id: run.run, name: run.once?.name }
  const errors = new Set(end.error === undefined ? [] : [end.error])
  let { stop } = end
  let endedAt: number | undefined
  state.closeAll()
  state.endSession(stop === 'refused' || stop === 'max-failures')
  const sumUp = (): Summary => {
    // A signal that comes while receipts are written ends the process as well as any other.
    if (tools.caught() !== undefined) stop ??= 'signal'
    const superseded = locks.lost.aborted
    return summaryOf({
      run: recorded,
      profile: run.profile,
      facts: factsOf(run, (endedAt ??= tools.host.now())),
      input: run.input,
      state,
      ending: {
        ...endingOf({ options: report.options, once: run.once }),
        stop,
        superseded,
        signal: stop === 'signal' ? tools.caught() : undefined,
      },
      durationMs: report.durationMs(),
    })
  }
  try {
    if (!locks.lost.aborted) await writeEnd(tools, report, sumUp)
  } catch (failure) {
    if (!(failure instanceof SvcError)) throw failure
    // A journal that cannot be written is one error, however often it is met.
    errors.add(failure)
    stop ??= 'journal'
    // The outcomes are known, but nobody may take the run, or its receipts, for well recorded.
    if (journal.failure === undefined) await appendEnd(tools, journal, sumUp()).catch(() => undefined)
  }
  const summary = sumUp()
  for (const error of errors)
    tools.messages.error(error.endingWith(summary.exitCode).with({ run: recorded.id }), undefined)
  const isLost = locks.lost.aborted
  tellEnding(tools, { ...report, summary, unread: end.unread, isExplained: errors.size > 0, isLost })
  tellTooMany(tools, summary, recorded.id)
  return tellLate(tools, report.beginning?.job.late, summary)
}

/**
 * Receipts and annotated rows are written next to their final place; the journal says what they are and how the run ended, and is on disk, before they
 * are moved there. Throws exit 10, also when somebody else's file came into their place, or 11.
 */
export async function writeEnd(
  tools: BulkTools,
  { outputs, state, journal }: Pick<OpenSession, 'outputs' | 'state' | 'journal'>,
  sumUp: () => Summary,
): Promise<void> {
  const problem = await outputs.finish(state, journal)
  await appendEnd(tools, journal, sumUp())
  await outputs.place(problem)
}

async function appendEnd(tools: BulkTools, journal: Journal, summary: Summary): Promise<void> {
  const { status, exitCode, result, stopReason, left, document } = summary
  const { endedAt } = document
  await journal.append({
    t: 'end',
    // The time that is printed now is shown later too.
    at: typeof endedAt === 'string' ? Date.parse(endedAt) : tools.host.now(),
    status,
    ...(stopReason === null ? {} : { stop: stopReason }),
    exitCode,
    result: { ...result },
    left,
  })
  await journal.sync()
}

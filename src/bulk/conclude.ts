/**
 * The phase `conclude`, which ends every session: it writes the files that the command names, the last line of the journal and the summary, and prints
 * the notes. A session with nothing to send ends here too. `open.ts` calls it after sending, and `resume.ts` for a run with nothing left.
 */
import { SvcError } from '../errors.ts'
import type { RecordedStop } from './record/journal.ts'
import { tellEnding, tellTooMany, tellUnknown } from './telling/notes.ts'
import type { Summary } from './outcomes/summary.ts'
import type { RunEnding } from './outcomes/totals.ts'
import { writeSummary } from './record/write-run.ts'
import type { RunEnd, Session } from './send.ts'
import type { BulkTools } from './tools.ts'

export type Concluded = Summary & {
  readonly isSilent: boolean
  readonly failure?: SvcError | undefined
}

/**
 * Ends a session with nothing in flight. `sent`: how sending ended; undefined if nothing was left to send. Throws exit 11 if the session is lost: the
 * process that took it over reports the result of the run.
 */
export async function conclude(
  tools: BulkTools,
  session: Session,
  sent?: RunEnd,
): Promise<Concluded> {
  const { recorded, one, isNew, isRepeated, writing, files, options } = session
  const { run } = recorded
  const { error: cause, failure, unread = 0 } = sent ?? {}
  const problem = await writeEnd(tools, session, sent)
  // A journal that cannot be written is one error, even if it fails several times.
  const errors = [...new Set([cause, problem])].filter((each) => each !== undefined)
  const stopped = stopOfSession(tools, session, sent, problem !== undefined)
  const summary = recorded.summary(options, stopped)
  const isFinished = sent === undefined && !isNew
  if (isFinished) tellFinished(tools, session, summary)
  if (one !== undefined) {
    return { ...summary, isSilent: false, failure: errors[0] ?? failure }
  }
  for (const error of errors) {
    tools.messages.error(
      error.endingWith(summary.document.exitCode).with({ run }),
      undefined,
    )
  }
  if (isFinished) return { ...summary, isSilent: isRepeated && tools.messages.quiet }
  tellEnding(tools, {
    recorded,
    summary,
    unread,
    isExplained: errors.length > 0,
    hasReceipts: files.hasReceipts,
    isNamed: !isNew || (writing !== undefined && files.hasRows),
  })
  return { ...summary, isSilent: false }
}

function tellFinished(
  tools: BulkTools,
  { recorded, isRepeated }: Session,
  summary: Summary,
): void {
  const { run, state, doneAt, lastAt } = recorded
  const day = new Date(doneAt ?? lastAt).toISOString().slice(0, 10)
  tools.note(
    isRepeated ? `done on ${day}; nothing was sent` : `nothing is left to do in run ${run}`,
  )
  tellUnknown(tools, state)
  tellTooMany(tools, summary, run)
}

/** Writes the files, `end` and the summary, in the order of docs/journal-format.md. Returns the failure if one could not be written; throws exit 11. */
async function writeEnd(
  tools: BulkTools,
  session: Session,
  sent: RunEnd | undefined,
): Promise<SvcError | undefined> {
  const { recorded, files, writing, options } = session
  if (writing === undefined) return undefined
  const { place, journal } = writing
  const { host } = tools
  let problem: SvcError | undefined
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof SvcError) || error.category === 'busy') throw error
      problem ??= error
    }
  }
  await attempt(() => files.write(recorded.state, writing))
  const stop = recordedStop(tools, sent, problem !== undefined)
  const line = { t: 'end', at: host.now(), ...(stop && { stop }) } as const
  if (journal.failure === undefined) await attempt(() => journal.appendSynced(line))
  recorded.take({ n: place.claim.number, ...line })
  if (journal.failure === undefined) {
    // When a finished run is shown later, neither the signal nor the file is known.
    const summary = recorded.summary(options)
    await attempt(() => writeSummary(host, place, { recorded, summary }))
  }
  return problem
}

/** Why a session stopped. A signal that comes while files are written ends the process too. */
function recordedStop(
  tools: BulkTools,
  sent: RunEnd | undefined,
  hasProblem: boolean,
): RecordedStop | undefined {
  const signal = tools.signals.caught
  if (sent?.stop != null && sent.stop !== 'signal') return sent.stop
  return signal ?? (hasProblem ? 'journal' : undefined)
}

/** How this session ended, apart from the outcomes of its ids. */
function stopOfSession(
  tools: BulkTools,
  { recorded, isNew }: Session,
  sent: RunEnd | undefined,
  hasProblem: boolean,
): RunEnding {
  // A signal stops nothing if nothing was left to send.
  const signal = sent === undefined && !isNew ? undefined : tools.signals.caught
  // If nothing is left, failures did not stop the run. Then only the outcomes of its ids count, now and whenever it is shown.
  const isLeft = recorded.state.listLeft().length > 0
  const stopped =
    isLeft || sent?.stop === 'signal' || sent?.stop === 'journal' ? sent?.stop : null
  const stop = stopped ?? (signal !== undefined ? 'signal' : hasProblem ? 'journal' : null)
  return { stop, signal, isUnwritten: hasProblem }
}

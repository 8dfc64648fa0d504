/**
 * The phase `conclude`, which ends every session: it writes the files that the command names and the last line of the run,
 * and prints the notes. A run with nothing left ends here too.
 */
import { SvcError } from '../errors.ts'
import type { RunFile } from './file.ts'
import type { RecordedRun } from './fold.ts'
import type { RunTools } from './jobs/job.ts'
import { isDone } from './outcomes.ts'
import { receiptsFor, type Receipt } from './receipts.ts'
import type { SendEnd } from './send.ts'
import { summaryOfRun, type Summary } from './summary.ts'
import { tellEnding, tellFinished, type SessionEnd } from './telling/notes.ts'
import { endingOnRecord, type RunEnding } from './totals.ts'

/** A run of one change has one batch. */
const onlyBatch = 1

/** A run whose session has ended. */
export interface EndedRun {
  kind: 'run'
  recorded: RecordedRun
  summary: Summary
  /** In the order of the input that this command has read, or else of the run. */
  receipts: Iterable<Receipt>
  isResumed: boolean
  sent: SendEnd | undefined
  /** The error of one change, which its command reports. */
  failure: SvcError | undefined
}

/**
 * `file`: that of a run which is held. It is undefined for a session that only shows what is known. Throws exit 7 and 1 if
 * the run is not held any more.
 */
export async function conclude(
  tools: RunTools,
  file: RunFile | undefined,
  session: SessionEnd,
): Promise<EndedRun> {
  const { recorded, sent, isResumed, command } = session
  const { accept } = command.options
  const summaryWith = (ending: RunEnding): Summary =>
    summaryOfRun(recorded, { accept, isResumed, ending })
  const problem =
    file === undefined ? undefined : await writeEnd(tools, file, session, summaryWith)
  // The printed summary says how this command ended, and that its `end` line failed; the recorded one what is left.
  const isUnwritten = problem !== undefined
  const summary = summaryWith(endingOf(tools, session, isUnwritten))
  // A record that cannot be written is one error, even if it fails several times.
  const errors = [...new Set([sent?.error, problem])].filter((each) => each !== undefined)
  const isRepeat = isRepeatOfDone(session)
  if (isRepeat) tellFinished(tools, session, summary)
  const receipts = receiptsFor(recorded.state, command.input)
  const ended = { kind: 'run', recorded, summary, receipts, isResumed, sent } as const
  if (command.isOne) {
    const [error] = errors
    const isMade = recorded.state.judge(onlyBatch).outcomes.every(isDone)
    if (isMade && error !== undefined) {
      tools.warn(`the change was made, but its record is incomplete: ${error.message}`)
    }
    return { ...ended, failure: error ?? sent?.failure }
  }
  const { run } = recorded
  for (const error of errors) {
    const told = error.with({ exitCode: summary.document.exitCode, run })
    tools.messages.error(told)
  }
  const isExplained = errors.length > 0
  if (!isRepeat) tellEnding(tools, session, summary, isExplained)
  return { ...ended, failure: undefined }
}

/** An earlier command began the run, and this one had nothing to send. A new run can be empty too. */
const isRepeatOfDone = ({ sent, isResumed }: SessionEnd) => sent === undefined && isResumed

/** Writes the files and `end`, in the order of docs/run-file.md. Returns the failure if one could not be written. */
async function writeEnd(
  tools: RunTools,
  file: RunFile,
  session: SessionEnd,
  summaryWith: (ending: RunEnding) => Summary,
): Promise<SvcError | undefined> {
  const { recorded, files, sent } = session
  let problem: SvcError | undefined
  const keepProblem = async (work: () => Promise<void>) => {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof SvcError) || file.loss.aborted) throw error
      problem ??= error
    }
  }
  await keepProblem(() => files.write(recorded.state, file))
  recorded.finish(sent?.stop ?? undefined, tools.host.now())
  const isUnwritten = problem !== undefined
  const ending = endingOf(tools, session, isUnwritten)
  const { document } = summaryWith(endingOnRecord(recorded.state, ending))
  const resume = document.resume && tools.messages.textOf(document.resume)
  const { run, head } = recorded
  const line = {
    t: 'end',
    ...(ending.stop && { stop: ending.stop }),
    baseUrl: head.baseUrl,
    summary: { ...document, run, resume },
  } as const
  if (file.failure === undefined) await keepProblem(() => file.appendSynced(line))
  return problem
}

/**
 * How this session ended, apart from the outcomes of its ids. A signal that comes while files are written ends the process
 * too.
 */
function endingOf(tools: RunTools, session: SessionEnd, isUnwritten: boolean): RunEnding {
  const { recorded, sent } = session
  // A signal stops nothing if nothing was left to send.
  const signal = isRepeatOfDone(session) ? undefined : tools.signals.caught
  const sentStop = sent?.stop ?? null
  // If nothing is left, failures did not stop the run: only the outcomes of its ids count, now and whenever it is shown.
  const isFromOutside = sentStop === 'signal' || sentStop === 'journal'
  const isLeft = recorded.state.listLeft().length > 0
  if (sentStop !== null && (isLeft || isFromOutside)) {
    return { signal, isUnwritten, stop: sentStop }
  }
  if (signal !== undefined) return { signal, isUnwritten, stop: 'signal' }
  return { signal, isUnwritten, stop: isUnwritten ? 'journal' : null }
}

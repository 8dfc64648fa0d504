/** How a session of a run ends: receipts, the journal's last line, the summary, and what a person should know beyond it. */
import { SvcError } from '../../errors.ts'
import type { BulkTools, SendOptions } from '../tools.ts'
import { tellEnding, tellTooMany } from '../telling/ending-notes.ts'
import type { Holdings, Outputs } from './holdings.ts'
import type { Journal } from '../record/journal.ts'
import type { FileEvent } from '../record/events.ts'
import type { OwnFiles } from '../files/output-file.ts'
import { streamOf } from '../../output/whole-file.ts'
import { allReceipts, receiptsFormat } from '../files/receipts.ts'
import type { RunFile } from '../record/run.ts'
import { endingOf } from '../runs/recorded.ts'
import type { RunEnd } from '../sending/scheduler.ts'
import type { RunState } from '../outcomes/state.ts'
import { factsOf, summaryOf, type Summary } from '../outcomes/summary.ts'

/** A run, new, resumed, retried or repeated, whose lock is held: what is left of it to send, and how. */
export interface OpenRun extends EndParts {
  readonly run: RunFile
  readonly held: Holdings
  /** Numbers of the batches to send, in order. */
  readonly todo: readonly number[]
  readonly options: SendOptions
  /** Milliseconds of earlier sessions; undefined for a new run. */
  readonly durationBefore: number | undefined
}

export type Report = OpenRun & {
  readonly end: RunEnd
  /** Of all sessions so far, in milliseconds. */
  readonly durationMs: () => number
}

/** Resolves what is open, writes receipts and the journal's last line, and sums up. */
export async function conclude(tools: BulkTools, report: Report): Promise<Summary> {
  const { run, state, journal, end, held } = report
  const recorded = { id: run.run, name: run.once?.name }
  const errors = new Set(end.error === undefined ? [] : [end.error])
  let { stop } = end
  let endedAt: number | undefined
  state.closeAll()
  state.endSession(stop === 'refused' || stop === 'max-failures')
  const sumUp = (): Summary => {
    // A signal that comes while receipts are written ends the process as well as any other.
    if (tools.caught() !== undefined) stop ??= 'signal'
    const superseded = held.lost.aborted
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
    if (!held.lost.aborted) await writeEnd(tools, report, sumUp)
  } catch (failure) {
    if (!(failure instanceof SvcError)) throw failure
    // A journal that cannot be written is one error, however often it is met.
    errors.add(failure)
    stop ??= 'journal'
    // What was done is known, but nobody may take the run, or its receipts, for well recorded.
    if (journal.failure === undefined) await appendEnd(tools, journal, sumUp()).catch(() => undefined)
  }
  const summary = sumUp()
  for (const error of errors)
    tools.messages.error(error.endingWith(summary.exitCode).with({ run: recorded.id }), undefined)
  tellEnding(tools, {
    run: recorded,
    state,
    stop: held.lost.aborted ? null : summary.stopReason,
    unread: end.unread,
    left: summary.left,
    exitCode: summary.exitCode,
    isExplained: errors.size > 0,
    ...alreadyTold(report, tools.print.format),
  })
  tellTooMany(tools, summary, recorded.id)
  return summary
}

function alreadyTold({ receipts, annotated, durationBefore }: Report, format: string) {
  const hasReceipts = receipts !== undefined || format === 'ndjson' || format === 'json'
  return { hasReceipts, isNamed: annotated !== undefined || durationBefore !== undefined }
}

/** What is written for the user at an ending. `files`: what the run wrote before, which may be replaced. */
interface FilesToWrite extends Outputs {
  readonly run: Pick<RunFile, 'input'>
  readonly state: RunState
  readonly files: OwnFiles
}

export interface EndParts extends FilesToWrite {
  readonly run: Pick<RunFile, 'run' | 'input'>
  readonly journal: Journal
}

/**
 * Receipts and annotated rows are written next to their final place; the journal says what they are and how the run ended, and is on disk, before they
 * are moved there. Throws exit 10, also when somebody else's file came into their place, or 11.
 */
export async function writeEnd(tools: BulkTools, parts: EndParts, sumUp: () => Summary): Promise<void> {
  const { journal, run } = parts
  const problem = await finishFiles(tools, parts, (written) => journal.append(written))
  await appendEnd(tools, journal, sumUp())
  await placeFiles(tools, parts, { problem, from: ` (run ${run.run})` })
}

/** The files of an empty input, which is no run. Throws exit 10. */
export async function writeEmpty(tools: BulkTools, parts: FilesToWrite): Promise<void> {
  const problem = await finishFiles(tools, parts, () => undefined)
  await placeFiles(tools, parts, { problem, from: '' })
}

type Finished = (written: FileEvent) => Promise<void> | void

/** Returns what is wrong with the annotated rows, often with an input that somebody goes on editing: the receipts are good all the same. */
async function finishFiles(tools: BulkTools, parts: FilesToWrite, onFinished: Finished): Promise<SvcError | undefined> {
  const { state, receipts, annotated, run } = parts
  const now = (): number => tools.host.now()
  if (receipts !== undefined) {
    const format = receiptsFormat(receipts.path)
    await tools.writeReceipts(streamOf(receipts), format, state.operation, allReceipts(state))
    await onFinished(await receipts.finish(now()))
  }
  try {
    await annotated?.annotation.write(annotated.file, state, run.input.otherShards !== undefined)
    if (annotated !== undefined) await onFinished(await annotated.file.finish(now()))
  } catch (error) {
    if (error instanceof SvcError) return error
    throw error
  }
}

/** `from`: the run that they are of, for the note. */
async function placeFiles(
  { note }: BulkTools,
  { receipts, annotated, files }: FilesToWrite,
  { problem, from }: { readonly problem: SvcError | undefined; readonly from: string },
): Promise<void> {
  await receipts?.place(files)
  if (problem !== undefined) throw problem
  await annotated?.file.place(files)
  const written = [receipts, annotated?.file].flatMap((file) => (file === undefined ? [] : [`"${file.path}"`]))
  if (written.length > 0) note(`wrote ${written.join(' and ')}${from}${annotated?.annotation.table.note ?? ''}`)
}

async function appendEnd(tools: BulkTools, journal: Journal, summary: Summary): Promise<void> {
  const { status, exitCode, result, stopReason, left, document } = summary
  const { endedAt } = document
  await journal.append({
    t: 'end',
    // What is printed now is what is shown later.
    at: typeof endedAt === 'string' ? Date.parse(endedAt) : tools.host.now(),
    status,
    ...(stopReason === null ? {} : { stop: stopReason }),
    exitCode,
    result: { ...result },
    left,
  })
  await journal.sync()
}

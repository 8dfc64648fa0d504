/** How a session of a run ends: receipts, the journal's last line, the summary, and what a person should know beyond it. */
import { SvcError } from '../../errors.ts'
import type { BulkTools, SendOptions } from '../tools.ts'
import { tellEnding, tellTooMany } from '../telling/ending-notes.ts'
import type { Holdings, Outputs } from './holdings.ts'
import type { Journal } from '../record/journal.ts'
import type { OwnFiles } from '../files/output-file.ts'
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
  const recorded = journal && { id: run.run, name: run.once?.name }
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
    if (journal !== undefined && journal.failure === undefined) {
      await appendEnd(tools, journal, sumUp()).catch(() => undefined)
    }
  }
  const summary = sumUp()
  for (const error of errors)
    tools.messages.error(error.endingWith(summary.exitCode).with({ run: recorded?.id }), undefined)
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
  tellTooMany(tools, summary, recorded?.id)
  return summary
}

function alreadyTold({ receipts, annotated, durationBefore }: Report, format: string) {
  const hasReceipts = receipts !== undefined || format === 'ndjson' || format === 'json'
  return { hasReceipts, isNamed: annotated !== undefined || durationBefore !== undefined }
}

export interface EndParts extends Outputs {
  readonly run: Pick<RunFile, 'run' | 'input'>
  readonly state: RunState
  /** Undefined when the run is not recorded. */
  readonly journal: Journal | undefined
  readonly files: OwnFiles
}

/**
 * Receipts and annotated rows are written next to their final place; the journal says what they are and how the run ended, and is on disk, before they
 * are moved there. Throws exit 10, also when somebody else's file came into their place, or 11.
 */
export async function writeEnd(tools: BulkTools, parts: EndParts, sumUp: () => Summary): Promise<void> {
  const { state, journal, receipts, annotated, files } = parts
  if (receipts !== undefined) {
    const format = receiptsFormat(receipts.path)
    await tools.writeReceipts(receipts.stream(), format, state.operation, allReceipts(state))
    const written = await receipts.finish(tools.host.now())
    await journal?.append(written)
  }
  const problem = await writeAnnotated(tools, parts)
  if (journal !== undefined) await appendEnd(tools, journal, sumUp())
  await receipts?.place(files)
  if (problem !== undefined) throw problem
  await annotated?.file.place(files)
  const written = [receipts, annotated?.file].flatMap((file) => (file === undefined ? [] : [`"${file.path}"`]))
  const of = journal === undefined ? '' : ` (run ${parts.run.run})`
  if (written.length > 0) tools.note(`wrote ${written.join(' and ')}${of}${annotated?.annotation.table.note ?? ''}`)
}

/** Returns what is wrong with it, often with an input that somebody goes on editing: the receipts are good all the same. */
async function writeAnnotated(tools: BulkTools, { annotated, state, run, journal }: EndParts) {
  if (annotated === undefined) return undefined
  const { annotation, file } = annotated
  try {
    await annotation.write(file, state, run.input.otherShards !== undefined)
    const written = await file.finish(tools.host.now())
    await journal?.append(written)
  } catch (error) {
    if (error instanceof SvcError) return error
    throw error
  }
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

/** Resuming a recorded run: what is left of it is found, asked about and sent. */
import { usageError } from '../errors.ts'
import { parseShard } from '../values.ts'
import { grouped } from '../words.ts'
import type { BulkOutput, OutcomeRow } from '../output/result.ts'
import { keyEnding, type Profile } from '../config/profile.ts'
import { Annotation } from './annotate.ts'
import { batchRange } from './batches.ts'
import type { Outcome } from './claims.ts'
import { confirm, counted, toTarget } from './confirm.ts'
import type { ReopenEvent, ResumeEvent } from './events.ts'
import { execute } from './execute.ts'
import { tellUnknownMerges } from './ending-notes.ts'
import type { Holdings, Outputs } from './holdings.ts'
import { cutJournal, type Journal } from './journal.ts'
import { shareOf } from './new-run.ts'
import type { OutputFile } from './output-file.ts'
import { allReceipts } from './receipts.ts'
import { endingOf, readRecorded, recordedSummary, type RecordedRun } from './recorded.ts'
import { writeEnd } from './report.ts'
import { keyFingerprint, type Source } from './run.ts'
import { staleNote } from './stale-files.ts'
import { runFolder } from './store.ts'
import type { BulkTools } from './tools.ts'
import { acceptedBy } from './totals.ts'
import { ended } from './without-sending.ts'

/** Takes the lock of a run, reads it, and cuts off what a crash left at the end of its journal. */
export async function openRecorded(
  tools: BulkTools,
  held: Holdings,
  stateDir: string,
  id: string,
): Promise<RecordedRun> {
  const dir = runFolder(stateDir, id)
  await held.takeRun(dir, id)
  const recorded = await readRecorded(stateDir, id, true)
  const { state, replay } = recorded
  if (replay.torn === 0) return recorded
  if (replay.damagedLines === 0) await cutJournal(dir, id, replay.length)
  else {
    const event = { t: 'cut' as const, at: tools.host.now(), b: state.nextOpen() }
    await cutJournal(dir, id, replay.length, event)
    state.cut(event)
  }
  tools.note(
    `the end of the journal was lost in a crash; ${grouped(replay.torn)} bytes were cut off and count as not written`,
  )
  return recorded
}

/** How a recorded run is resumed: as it was, or, under a repeated `--once` command, as that says now. */
interface ResumeOptions {
  readonly concurrency: number
  readonly maxFailures?: number | undefined
  readonly deadline?: number | undefined
  readonly rate?: number | undefined
  readonly accept?: readonly Outcome[] | undefined
  readonly ignoreNotFound?: boolean | undefined
  readonly ignoreBlocked?: boolean | undefined
  readonly receipts?: string | undefined
  readonly annotate?: string | undefined
  readonly newKey?: boolean | undefined
  /** Of a repeated command, as are the bad lines of its input. */
  readonly once?: string | undefined
  readonly rejects?: OutputFile | undefined
  readonly source?: Source | undefined
}

interface Resuming {
  readonly tools: BulkTools
  readonly held: Holdings
  readonly recorded: RecordedRun
  readonly again?: ReopenEvent
  readonly options: ResumeOptions
}

export async function resumeRecorded(resuming: Resuming): Promise<BulkOutput<OutcomeRow>> {
  const { tools, held, recorded, again, options } = resuming
  const { run, dir, state, files } = recorded
  const { annotate, receipts } = options
  const annotation =
    annotate === undefined ? undefined : await Annotation.ofRun(run, annotate, tools.signal, options.source)
  const outputs = (): Promise<Outputs> => held.openOutputs({ receipts, annotation }, run.run, files)
  const takeOver = held.takenOver ? { takeOver: true as const } : {}
  const resumed: ResumeEvent = { t: 'resume', at: tools.host.now(), ...takeOver }
  state.resume(resumed)
  if (again !== undefined) state.reopen(again)
  const todo = state.openBatches()
  if (todo.length === 0) {
    const journal = await held.openJournal(dir, run.run)
    await held.placeRejects(options.rejects, journal, files)
    return showAgain(resuming, journal, await outputs())
  }
  const { profile, fingerprint } = await checkBelongs(tools, recorded, options.newKey)
  await tools.api()
  const ranges = todo.map((batch) => batchRange(state.batches, batch))
  const count = ranges.reduce((sum, { from, to }) => sum + to - from, 0)
  const target = run.target === null ? undefined : { id: run.target.id, name: run.target.name }
  tools.note(`resuming run ${run.run}: ${counted(run.operation, count)} left${toTarget(target)}`)
  const { items, operation } = state
  await confirm(tools, profile, { operation, count, items, first: ranges[0]?.from ?? 0, target, run })
  await held.recheck()
  const opened = await outputs()
  const journal = await held.openJournal(dir, run.run)
  const key = fingerprint === run.key.fingerprint ? {} : { key: fingerprint }
  await journal.append({ ...resumed, ...key })
  if (again !== undefined) await journal.append(again)
  await journal.sync()
  await held.placeRejects(options.rejects, journal, files)
  const { concurrency, maxFailures, deadline, rate } = options
  const shard = run.options.shard === undefined ? undefined : parseShard(run.options.shard)
  return execute(tools, {
    run: { id: run.run, name: run.once?.name },
    state,
    todo,
    plan: {
      target: run.target?.id,
      ifAssignee: run.options.ifAssignee,
      concurrency,
      maxFailures,
      deadline,
      rate: shareOf(rate, shard?.count),
    },
    journal,
    held,
    ...opened,
    files,
    input: run.input,
    profile: run.profile,
    ending: { ...endingOf(run), accept: acceptedBy(options) },
    stale: await staleNote(tools.host, recorded, { receipts, annotate }, true),
    durationBefore: recorded.durationMs,
  })
}

/** Nothing is left to send: the summary again, and the run's ending, which a killed process could not write. */
async function showAgain(
  { tools, held, recorded, options }: Resuming,
  journal: Journal,
  outputs: Outputs,
): Promise<BulkOutput<OutcomeRow>> {
  const { run, state, end, files } = recorded
  const { once } = options
  const summary = recordedSummary(recorded, { ...endingOf(run), accept: acceptedBy(options) })
  const isAsked = outputs.receipts !== undefined || outputs.annotated !== undefined
  if (isAsked || end?.exitCode !== summary.exitCode || end.left !== 0) {
    await writeEnd(tools, { state, journal, ...outputs, input: run.input, files }, () => summary)
  }
  await held.release()
  const when = new Date(end?.at ?? tools.host.now()).toISOString().slice(0, 10)
  tools.note(once === undefined ? `nothing is left to do in run ${run.run}` : `done on ${when}; nothing was sent`)
  if (run.operation === 'contacts.merge') tellUnknownMerges(tools, state)
  const stale = await staleNote(tools.host, recorded, { receipts: options.receipts, annotate: options.annotate }, false)
  if (stale !== undefined) tools.note(stale)
  return ended(summary, allReceipts(state))
}

/** Throws exit 2 when the run belongs to another service, or to another key without `--new-key`. */
export async function checkBelongs(
  tools: BulkTools,
  { run, keys }: RecordedRun,
  newKey: boolean | undefined,
): Promise<{ profile: Profile; fingerprint: string }> {
  const profile = (await tools.configuration()).profile()
  if (profile.baseUrl !== run.baseUrl) {
    const way =
      run.profile === null
        ? 'use the profile or the environment variables of that service'
        : `use its profile: -p ${run.profile}`
    throw usageError(
      `run ${run.run} belongs to ${run.baseUrl}, the profile to ${profile.baseUrl}; nothing was sent`,
      way,
    )
  }
  const fingerprint = keyFingerprint(profile.apiKey)
  if (!keys.has(fingerprint) && newKey !== true) {
    throw usageError(
      `run ${run.run} was started with the key ${run.key.ending}, this key is ${keyEnding(profile.apiKey)}; nothing was sent`,
      'another company does not know these ids; if both keys belong to the same company, add --new-key',
    )
  }
  return { profile, fingerprint }
}

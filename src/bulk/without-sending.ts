/** Endings without a request: a dry run, an empty input, a run of which nothing is left, a name whose run was removed. */
import { SvcError, usageError } from '../errors.ts'
import { grouped } from '../words.ts'
import type { BulkOutput, OutcomeRow } from '../output/result.ts'
import type { Profile } from '../config/profile.ts'
import { counted, onProfile, toTarget } from './confirm.ts'
import { tellUnknownMerges } from './ending-notes.ts'
import type { Holdings } from './holdings.ts'
import { checkSameJob, tellNameUse } from './job.ts'
import type { Journal } from './journal.ts'
import { readName, type NameRecord } from './names.ts'
import { find, itemsFor, stateOf } from './new-run.ts'
import type { GoOnOptions } from './open-run.ts'
import { noFiles, OutputFile } from './output-file.ts'
import type { Plan } from './plan.ts'
import { allReceipts } from './receipts.ts'
import { endingOf, recordedSummary, type RecordedRun } from './recorded.ts'
import { writeEnd } from './report.ts'
import { parseRunFile } from './run.ts'
import type { Receipt } from './ended-batches.ts'
import type { RunState } from './state.ts'
import { summaryOf, type Summary } from './summary.ts'
import type { BulkTarget, BulkTools } from './tools.ts'

/** An output that has come to its end. */
function ended(
  summary: Pick<Summary, 'document' | 'rows' | 'exitCode'>,
  receipts: Iterable<Receipt> = [],
): BulkOutput<OutcomeRow> {
  return {
    kind: 'bulk',
    receipts: {
      async *[Symbol.asyncIterator]() {
        yield* receipts
      },
    },
    summary: () => Promise.resolve(summary),
  }
}

/** The summary of a plan of which nothing was sent. */
function unsentSummary(plan: Plan, state: RunState, profile: Profile | undefined, started: number): Summary {
  return summaryOf({
    operation: plan.operation,
    run: undefined,
    profile: profile?.name ?? null,
    input: plan.input,
    state,
    ending: { dryRun: plan.options.dryRun === true },
    isolated: plan.options.isolate === true,
    durationMs: started,
  })
}

/** The plan and nothing else. */
export async function dryRun(tools: BulkTools, plan: Plan, wanted: BulkTarget): Promise<BulkOutput<OutcomeRow>> {
  const { operation, options } = plan
  await placeRejects(tools, plan)
  const found = await find(wanted)
  const cut = await plan.cut()
  const items = itemsFor(plan, cut, found)
  const state = stateOf(plan, cut, items)
  state.closeAll()
  const profile = await profileIfAny(tools)
  const { batches } = cut
  const count = batches.to - batches.from
  const requests = `${grouped(batches.total)} ${batches.total === 1 ? 'request' : 'requests'}`
  const where = `${toTarget(found.target)}${onProfile(profile)}`
  tools.note(`dry run: ${counted(operation, count)} in ${requests}${where}; nothing is sent`)
  if (count > 0) tools.note(`first ${items.id(batches.from)}, last ${items.id(batches.to - 1)}`)
  if (options.once !== undefined) {
    const stateDir = (await tools.configuration()).stateDir.value
    tellNameUse(tools, options.once, (await readName(stateDir, options.once))?.run)
  }
  return ended(unsentSummary({ ...plan, input: cut.input }, state, profile, 0))
}

/** No ids: a summary of zeros, and a receipts file with nothing but a header. An empty input claims no name. */
export async function nothingToDo(tools: BulkTools, plan: Plan): Promise<BulkOutput<OutcomeRow>> {
  const { options, input } = plan
  const { once } = options
  if (once !== undefined) {
    const used = await readName((await tools.configuration()).stateDir.value, once)
    if (used !== undefined && input.otherShards === undefined) {
      throw usageError(
        `the input is empty, and the name "${once}" belongs to run ${used.run}; nothing was sent`,
        `an empty input is what a failed command leaves; to resume that run:\n  svc runs resume ${once}`,
      )
    }
  }
  tools.note(`${input.otherShards === undefined ? 'the input' : 'this shard'} is empty; there is nothing to do`)
  await placeRejects(tools, plan)
  const profile = await profileIfAny(tools)
  const cut = await plan.cut()
  const state = stateOf(plan, cut, cut.items)
  const summary = unsentSummary(plan, state, profile, 0)
  if (options.receipts !== undefined) {
    const tag = `${tools.host.pid}-${tools.host.now()}`
    const receipts = await OutputFile.open(options.receipts, 'receipts', tag)
    await writeEnd(tools, { state, journal: undefined, receipts, files: noFiles }, () => summary)
  }
  return ended(summary)
}

async function placeRejects({ host }: BulkTools, { rejects }: Plan): Promise<void> {
  await rejects?.finish(host.now())
  await rejects?.place(noFiles)
}

/** A plan over ids alone needs no credentials; one with them says for whom it is. */
async function profileIfAny(tools: BulkTools): Promise<Profile | undefined> {
  try {
    return (await tools.configuration()).profile()
  } catch (error) {
    if (error instanceof SvcError && error.category === 'config') return undefined
    throw error
  }
}

/** Nothing is left to send: the summary again, and the run's ending, which a killed process could not write. */
export async function showAgain(
  tools: BulkTools,
  recorded: RecordedRun,
  { held, journal, options }: { readonly held: Holdings; readonly journal: Journal; readonly options: GoOnOptions },
): Promise<BulkOutput<OutcomeRow>> {
  const { run, state, end, files } = recorded
  const { ignoreNotFound, ignoreBlocked, receipts: path, once } = options
  const summary = recordedSummary(recorded, { ...endingOf(run), ignoreNotFound, ignoreBlocked })
  const receipts = path === undefined ? undefined : await held.openReceipts(path, { tag: run.run, files })
  if (receipts !== undefined || end?.exitCode !== summary.exitCode || end.left !== 0) {
    await writeEnd(tools, { state, journal, receipts, files }, () => summary)
  }
  await held.release()
  const when = new Date(end?.at ?? tools.host.now()).toISOString().slice(0, 10)
  tools.note(once === undefined ? `nothing is left to do of run ${run.run}` : `done on ${when}; nothing was sent`)
  if (run.operation === 'contacts.merge') tellUnknownMerges(tools, state)
  return ended(summary, allReceipts(state))
}

/** The record of the run was removed; its summary was kept for whoever repeats the command. */
export function showPruned(
  tools: BulkTools,
  record: NameRecord,
  job: { readonly plan: Plan; readonly wanted: BulkTarget; readonly profile: Profile },
): BulkOutput<OutcomeRow> {
  const { pruned, name } = record
  const run = parseRunFile(pruned?.description)
  if (pruned === undefined || typeof run === 'string') throw new TypeError(`the record of "${name}" cannot be read`)
  checkSameJob(run, new Set([run.key.fingerprint]), job)
  const { summary, rows, doneAt } = pruned
  const isDone = summary['resume'] === null
  const done = `done on ${doneAt.slice(0, 10)}; nothing was sent, and its receipts were removed since`
  tools.note(isDone ? done : `nothing was sent: run ${run.run} was removed before it was done`)
  // What was removed before it was done stays so: whoever repeats the command must not wait for its end.
  const exitCode = isDone ? pruned.exitCode : 3
  return ended({ document: { ...summary, resume: null, exitCode }, rows: [...rows], exitCode })
}

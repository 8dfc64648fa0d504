/** Recorded runs: which one is meant, as rows, and as `show` and `export` read them. */
import type { RunReference } from '../../bulk/runs/find-run.ts'
import type { EndEvent } from '../../bulk/record/events.ts'
import { messageOf, SvcError } from '../../errors.ts'
import { countDone } from '../../bulk/operations/outcome.ts'
import { aboutRun } from '../../bulk/outcomes/summary.ts'
import { acceptedBy } from '../../bulk/outcomes/totals.ts'
import type { ListedRun, RunStore } from '../../bulk/runs/store.ts'
import type { Run } from '../../views/documents.ts'
import { defineOptions, type OptionValues } from '../../cli/options.ts'
import type { Context } from '../../cli/context.ts'
import { isFuture } from '../../output/text/time.ts'
import { bulkOperations } from '../../api/operations.ts'
import { parseChoice } from '../../values.ts'
import { parseSpan, spanOptions, type TimeSpan } from '../time-span.ts'

export const runArgument = {
  name: 'run',
  takes: 'run',
  summary: 'its id, or its --once name',
} as const

/** Where `show` and `export` are told apart. */
export const otherForms = 'Receipts, annotated files, show and export compared: svc help outcomes'

export const lastOption = defineOptions({
  last: { summary: "the newest run of this profile's service, whatever its state" },
})

/** The run that is meant, as it was typed. */
export function typedRun(
  run: string | undefined,
  { last = false }: { readonly last?: boolean | undefined },
): RunReference {
  return { run, last }
}

/** Takes no lock and writes nothing, and notes who works on the run. Throws exit 2 when there is no such run, exit 10 when it cannot be read. */
export async function readRun(context: Context, reference: RunReference) {
  const { findRun } = await import('../../bulk/runs/find-run.ts')
  const store = await context.store()
  const id = await findRun(store, context, reference)
  const recorded = await store.read(id)
  const holder = await store.holderOf(id)
  // A process that works on it may be in the middle of a line.
  if (holder !== undefined) {
    const { describeHolder } = await import('../../disk/lock-file.ts')
    context.note(`${describeHolder(holder)} is working on this run; this is its progress`)
  } else if (recorded.damage !== undefined) {
    context.note(recorded.damage)
  }
  return { recorded, holder }
}

/** The ending of a run: as its last line says, or, when the process died before it wrote one, as its journal does. */
type Known = Pick<EndEvent, 'result' | 'left' | 'status'>

/** Recorded runs as rows. Of one that cannot be read to its end, a warning says so. */
export async function rowsOf(context: Context, listed: readonly ListedRun[]): Promise<Run[]> {
  const store = await context.store()
  const rows: Run[] = []
  for (const each of listed) {
    // A run of which nothing is left was not stopped, whatever its last line says.
    const isTold = each.end !== undefined && (each.end.stop === undefined || each.end.left !== 0)
    const isFree = each.run !== undefined && each.holder === undefined
    const isRead = isFree && (!isTold || !(await isWhole(store, each.id)))
    const { known = each.end, end = each.end } = isRead ? await readCounts(context, each.id) : {}
    rows.push(rowOf({ ...each, end }, known))
  }
  return rows
}

/** Whether the journal of a run that has ended is undamaged, or was removed. One that cannot be read is not. */
async function isWhole(store: RunStore, id: string): Promise<boolean> {
  try {
    return (await store.countTorn(id)) === 0
  } catch (error) {
    if (error instanceof SvcError) return false
    throw error
  }
}

async function readCounts(
  { store, warn, note }: Context,
  id: string,
): Promise<{ known?: Known; end?: EndEvent | undefined }> {
  const { recordedSummary } = await import('../../bulk/runs/recorded.ts')
  try {
    const recorded = await (await store()).read(id)
    if (recorded.damage !== undefined) note(recorded.damage)
    const known = recordedSummary(recorded)
    return { known, end: recorded.end && { ...recorded.end, exitCode: known.exitCode } }
  } catch (error) {
    warn(`run ${id}: ${messageOf(error)}`)
    return {}
  }
}

export function rowOf(listed: ListedRun, known: Partial<Known> = listed.end ?? {}): Run {
  const { id, run, end, holder, isEarlier } = listed
  const { result = null, left = null, status = 'interrupted' } = known
  const ending = {
    result,
    ids: run?.items ?? null,
    done: null,
    left,
    exitCode: end?.exitCode ?? null,
  }
  if (run === undefined) {
    const unknown = {
      name: null,
      operation: null,
      target: null,
      profile: null,
      host: null,
      by: null,
      reason: null,
    }
    const startedAt = new Date(listed.beganAt).toISOString()
    return {
      run: id,
      ...unknown,
      startedAt,
      endedAt: null,
      status: isEarlier === true ? 'earlier version' : 'damaged',
      ...ending,
    }
  }
  const { operation, startedAt, options } = run
  const { name, target, profile, host, by, reason, endedAt } = aboutRun(run, end?.at)
  const about = { name, operation, target, profile, host, by, reason, startedAt, endedAt }
  const done = result === null ? null : countDone(operation, result, acceptedBy(options))
  return {
    run: id,
    ...about,
    status: holder === undefined ? status : 'running',
    ...ending,
    done,
  }
}

/** Recorded runs by their time and operation. */
export const choiceOptions = defineOptions({
  ...spanOptions('runs that worked'),
  operation: {
    value: 'name',
    summary: `only runs of this operation: ${bulkOperations.join(', ')}`,
    choices: bulkOperations,
    parse: (text) => parseChoice(text, '--operation', bulkOperations),
  },
})

export type RunChoice = Partial<OptionValues<typeof choiceOptions>>

/** Runs that worked in a span of time, newest first, those that cannot be read among them; and how many earlier versions left. */
export async function chooseRuns(context: Context, { operation, ...typed }: RunChoice) {
  const span = parseSpan(typed, context.host.now())
  const all = await (await context.store()).list()
  const runs: ListedRun[] = []
  for (const each of all) {
    const { run, problem } = each
    const hasBegun = each.isEarlier !== true && (run !== undefined || problem !== undefined)
    const isOther = operation !== undefined && run !== undefined && run.operation !== operation
    if (hasBegun && !isOther && (await hasWorkedIn(context, each, span))) runs.push(each)
  }
  return { runs, earlier: all.filter(({ isEarlier }) => isEarlier === true).length }
}

/** Whether a run worked in a span of time. Times that lie in the future say nothing; a damaged run without another may have. */
async function hasWorkedIn(context: Context, listed: ListedRun, span: TimeSpan): Promise<boolean> {
  const { since = -Infinity, until = Infinity } = span
  if (since === -Infinity && until === Infinity) return true
  const now = context.host.now()
  const { run, beganAt } = listed
  const isBeginKnown = !isFuture(beganAt, now)
  if (isBeginKnown && beganAt >= until) return false
  if (isBeginKnown && beganAt >= since) return true
  if (run === undefined) return !isBeginKnown
  const last = await lastTimeOf(context, listed)
  return !isFuture(last, now) && last >= since && (isBeginKnown || last < until)
}

/** The time of the last that a run did: now while it is worked on, and where its journal cannot be read. */
async function lastTimeOf(
  { host, store }: Context,
  { id, end, holder }: ListedRun,
): Promise<number> {
  if (holder !== undefined) return host.now()
  if (end !== undefined) return end.at
  try {
    return (await (await store()).read(id)).lastAt
  } catch (error) {
    // The command that shows it says what is wrong with it.
    if (error instanceof SvcError) return host.now()
    throw error
  }
}

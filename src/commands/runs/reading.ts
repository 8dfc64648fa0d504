/** Recorded runs: which one is meant, as rows, and as `show` and `export` read them. */
import type { RunReference } from '../../bulk/runs/find-run.ts'
import { actorWords } from '../../bulk/record/actor.ts'
import type { EndEvent } from '../../bulk/record/events.ts'
import { messageOf } from '../../errors.ts'
import type { RunFile } from '../../bulk/record/run.ts'
import { countDone } from '../../bulk/operations/outcome.ts'
import { acceptedBy } from '../../bulk/outcomes/totals.ts'
import type { ListedRun } from '../../bulk/runs/store.ts'
import type { Run } from '../../resources/documents.ts'
import { defineOptions } from '../../cli/option.ts'
import type { Context } from '../../cli/verb.ts'
import { ageOrDate } from '../../output/text/time.ts'
import { shortOperation } from '../../resources/run.ts'
import { grouped } from '../../words.ts'

export const runArgument = { name: 'run', summary: 'its id, or its --once name; asked for on a terminal' } as const

export const lastOption = defineOptions({
  last: { summary: "the newest run of this profile's service, whatever its state" },
})

/** The run as typed, or chosen (`unfinished`: from those to resume); undefined with --last, or with nobody to ask. */
export async function typedRun(
  context: Context,
  typed: string | undefined,
  { last = false }: { readonly last?: boolean | undefined },
  unfinished = false,
): Promise<RunReference> {
  if (typed !== undefined || last) return { run: typed, last }
  const question = unfinished ? 'Which run should be resumed?' : 'Which run?'
  return { run: await context.choose(question, () => choices(context, unfinished)), last }
}

async function choices(context: Context, unfinished: boolean) {
  const [{ listRuns }, { noRun }] = await Promise.all([
    import('../../bulk/runs/store.ts'),
    import('../../bulk/runs/find-run.ts'),
  ])
  const configuration = await context.configuration()
  const { baseUrl } = configuration.profile()
  const all = await listRuns(context.host, configuration.stateDir.value)
  const found = all.flatMap((listed) => {
    const { id, run, end, holder } = listed
    if (run?.baseUrl !== baseUrl || (unfinished && (holder !== undefined || end?.left === 0))) return []
    const { name, operation, target, status, left } = rowOf(listed)
    const what = [
      ageOrDate(listed.beganAt, context.host.now()),
      operation === null ? operation : shortOperation(operation),
      status,
      // A run that was killed said nothing at its end.
      left === null ? `up to ${grouped(run.items)} left` : `${grouped(left)} left`,
      target,
    ]
    return [{ value: id, name: name ?? id, detail: what.filter((word) => word !== null).join(', ') }]
  })
  if (found.length === 0) throw noRun(baseUrl, unfinished)
  return found
}

/** Takes no lock and writes nothing. Throws exit 2 when there is no such run, exit 10 when it cannot be read. */
export async function readRun(context: Context, reference: RunReference) {
  const [{ findRun }, { readRecorded }, { findHolder }] = await Promise.all([
    import('../../bulk/runs/find-run.ts'),
    import('../../bulk/runs/recorded.ts'),
    import('../../bulk/locks/lock-file.ts'),
  ])
  const { stateDir } = await context.configuration()
  const recorded = await readRecorded(context.host, stateDir.value, await findRun(context, reference))
  const holder = await findHolder(context.host, recorded.dir)
  // A process that works on it may be in the middle of a line.
  if (holder === undefined && recorded.damage !== undefined) context.note(recorded.damage)
  return { recorded, holder }
}

/** The ending of a run: as its last line says, or, when the process died before it wrote one, as its journal does. */
type Known = Pick<EndEvent, 'result' | 'left' | 'status'>

/** Recorded runs as rows. Of one that cannot be read to its end, a warning says so. */
export async function rowsOf(context: Context, listed: readonly ListedRun[]): Promise<Run[]> {
  const rows: Run[] = []
  for (const each of listed) {
    const isCutOff = each.run !== undefined && each.end === undefined && each.holder === undefined
    const { known = each.end, end = each.end } = isCutOff ? await readCounts(context, each.id) : {}
    rows.push(rowOf({ ...each, end }, known))
  }
  return rows
}

async function readCounts(
  { configuration, warn, note, host }: Context,
  id: string,
): Promise<{ known?: Known; end?: EndEvent | undefined }> {
  const { readRecorded, recordedSummary } = await import('../../bulk/runs/recorded.ts')
  try {
    const recorded = await readRecorded(host, (await configuration()).stateDir.value, id)
    if (recorded.damage !== undefined) note(recorded.damage)
    return { known: recordedSummary(recorded), end: recorded.end }
  } catch (error) {
    warn(`run ${id}: ${messageOf(error)}`)
    return {}
  }
}

export function rowOf(listed: ListedRun, known: Known | undefined = listed.end): Run {
  const { id, run, end } = listed
  const { result = null, left = null } = known ?? {}
  const about = run === undefined ? aboutUnreadable(listed) : aboutRun(listed, run, known)
  const done = result === null || run === undefined ? null : doneOf(result, run)
  return { run: id, ...about, result, ids: run?.items ?? null, done, left, exitCode: end?.exitCode ?? null }
}

type About = Omit<Run, 'run' | 'result' | 'ids' | 'done' | 'left' | 'exitCode'>

function aboutUnreadable({ beganAt, isEarlier }: ListedRun): About {
  const startedAt = new Date(beganAt).toISOString()
  const status = isEarlier === true ? 'earlier version' : 'damaged'
  const unknown = { name: null, operation: null, target: null, profile: null, host: null, by: null, reason: null }
  return { ...unknown, startedAt, endedAt: null, status }
}

function aboutRun({ end, holder }: ListedRun, run: RunFile, known: Known | undefined): About {
  const { once, operation, target, profile, baseUrl, by, reason, startedAt } = run
  return {
    name: once?.name ?? null,
    operation,
    target: target?.name ?? target?.id ?? null,
    profile,
    host: new URL(baseUrl).host,
    by: by === undefined ? null : actorWords(by),
    reason: reason ?? null,
    startedAt,
    endedAt: end === undefined ? null : new Date(end.at).toISOString(),
    status: holder === undefined ? (known?.status ?? 'interrupted') : 'running',
  }
}

/** Ids with an accepted outcome. */
function doneOf(result: Readonly<Record<string, number>>, { operation, options }: RunFile): number {
  return countDone(operation, result, acceptedBy(options))
}

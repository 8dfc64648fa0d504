/** Recorded runs, as rows and as `show` and `export` read them. */
import type { Command } from '@commander-js/extra-typings'
import type { RunReference } from '../../bulk/runs/find-run.ts'
import type { EndEvent } from '../../bulk/record/events.ts'
import { messageOf } from '../../errors.ts'
import type { RunFile } from '../../bulk/record/run.ts'
import { acceptedBy } from '../../bulk/outcomes/totals.ts'
import type { RecordedRun } from '../../bulk/runs/recorded.ts'
import type { ListedRun } from '../../bulk/runs/store.ts'
import type { Run } from '../../resources/documents.ts'
import type { Context } from '../../cli/verb.ts'

/** A verb on one run. */
export function runVerb(command: Command) {
  return command
    .argument('[run]', 'its id, or its --once name; asked for on a terminal')
    .option('--last', "the newest run of this profile's service, whatever its state")
}

/** Takes no lock and writes nothing. Throws exit 2 when there is no such run, exit 10 when it cannot be read. */
export async function readRun(context: Context, reference: RunReference): Promise<RecordedRun> {
  const [{ findRun }, { readRecorded }] = await Promise.all([
    import('../../bulk/runs/find-run.ts'),
    import('../../bulk/runs/recorded.ts'),
  ])
  const { stateDir } = await context.configuration()
  return readRecorded(stateDir.value, await findRun(context, reference))
}

/** What became of the ids of a run: as its last line says, or, when the process died before it wrote one, as its journal does. */
type Known = Pick<EndEvent, 'result' | 'left'>

/** Recorded runs as rows. Of one that cannot be read to its end, a warning says so. */
export async function rowsOf(context: Context, listed: readonly ListedRun[]): Promise<Run[]> {
  const rows: Run[] = []
  for (const each of listed) {
    const isCutOff = each.run !== undefined && each.end === undefined && each.holder === undefined
    rows.push(rowOf(each, isCutOff ? await readCounts(context, each.id) : each.end))
  }
  return rows
}

async function readCounts({ configuration, warn }: Context, id: string): Promise<Known | undefined> {
  const { readRecorded, recordedSummary } = await import('../../bulk/runs/recorded.ts')
  try {
    return recordedSummary(await readRecorded((await configuration()).stateDir.value, id))
  } catch (error) {
    warn(`run ${id}: ${messageOf(error)}`)
    return undefined
  }
}

export function rowOf(listed: ListedRun, known: Known | undefined = listed.end): Run {
  const { id, beganAt, run, end, holder } = listed
  const { result = null, left = null } = known ?? {}
  const exitCode = end?.exitCode ?? null
  if (run === undefined) {
    const status = listed.isEarlier === true ? 'svc 1.0' : 'damaged'
    const unknown = { name: null, operation: null, target: null, profile: null, status, done: null }
    return { run: id, ...unknown, startedAt: new Date(beganAt).toISOString(), result, left, exitCode }
  }
  return {
    run: id,
    name: run.once?.name ?? null,
    operation: run.operation,
    target: run.target?.name ?? run.target?.id ?? null,
    profile: run.profile,
    startedAt: run.startedAt,
    status: holder === undefined ? (end?.status ?? 'interrupted') : 'running',
    result,
    done: result === null ? null : doneOf(result, run),
    left,
    exitCode,
  }
}

/** Ids with an accepted outcome. */
function doneOf(result: Readonly<Record<string, number>>, { options }: RunFile): number {
  const accepted = [
    ...['deleted', 'gone', 'added', 'skipped', 'addedOrSkipped', 'done'],
    ...acceptedBy(options).map((outcome) => (outcome === 'not-found' ? 'notFound' : outcome)),
  ]
  return accepted.reduce((sum, outcome) => sum + (result[outcome] ?? 0), 0)
}

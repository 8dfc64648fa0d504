/** Recorded runs, as rows and as `show` and `export` read them. */
import type { Command } from '@commander-js/extra-typings'
import type { RunReference } from '../../bulk/find-run.ts'
import type { EndEvent } from '../../bulk/events.ts'
import { messageOf } from '../../errors.ts'
import type { RunFile } from '../../bulk/run.ts'
import { acceptedBy } from '../../bulk/totals.ts'
import type { RecordedRun } from '../../bulk/recorded.ts'
import type { ListedRun } from '../../bulk/store.ts'
import type { Run } from '../../resources/documents.ts'
import type { Context } from '../../cli/verb.ts'

export function lastOption(command: Command) {
  return command.option('--last', "the newest run of this profile's service, whatever its state")
}

/** Takes no lock and writes nothing. Throws exit 2 when there is no such run, exit 10 when it cannot be read. */
export async function readRun(context: Context, reference: RunReference): Promise<RecordedRun> {
  const [{ findRun }, { readRecorded }] = await Promise.all([
    import('../../bulk/find-run.ts'),
    import('../../bulk/recorded.ts'),
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
  const { readRecorded, recordedSummary } = await import('../../bulk/recorded.ts')
  try {
    return recordedSummary(await readRecorded((await configuration()).stateDir.value, id))
  } catch (error) {
    warn(`run ${id}: ${messageOf(error)}`)
    return undefined
  }
}

/** `damaged` when its description cannot be read. */
export function rowOf({ id, beganAt, run, end, holder }: ListedRun, known: Known | undefined = end): Run {
  const exitCode = end?.exitCode ?? null
  const { result, left } = countsOf(known)
  if (run === undefined) {
    const unknown = { name: null, operation: null, target: null, profile: null }
    const startedAt = new Date(beganAt).toISOString()
    return { run: id, ...unknown, startedAt, status: 'damaged', result, done: null, left: null, exitCode }
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

function countsOf(known: Known | undefined): Pick<Run, 'result' | 'left'> {
  return { result: known?.result ?? null, left: known?.left ?? null }
}

/** Ids with an accepted outcome. */
function doneOf(result: Readonly<Record<string, number>>, { options }: RunFile): number {
  const accepted = [
    ...['deleted', 'gone', 'added', 'skipped', 'addedOrSkipped', 'done'],
    ...acceptedBy(options).map((outcome) => (outcome === 'not-found' ? 'notFound' : outcome)),
  ]
  return accepted.reduce((sum, outcome) => sum + (result[outcome] ?? 0), 0)
}

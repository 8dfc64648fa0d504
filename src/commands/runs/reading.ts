/** Recorded runs, as rows and as `show` and `export` read them. */
import type { Command } from '@commander-js/extra-typings'
import type { RunReference } from '../../bulk/find-run.ts'
import type { EndEvent } from '../../bulk/events.ts'
import type { RunFile } from '../../bulk/run.ts'
import type { RecordedRun } from '../../bulk/recorded.ts'
import type { ListedRun } from '../../bulk/store.ts'
import type { Run } from '../../resources/documents.ts'
import type { Context } from '../../cli/verb.ts'

export function lastOption(command: Command) {
  return command.option('--last', "the newest run of this profile's service")
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

/** A recorded run as a row; `damaged` when its description cannot be read. */
export function rowOf({ id, beganAt, run, end, holder }: ListedRun): Run {
  const { result, left, exitCode } = endOf(end)
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
    done: end === undefined ? null : doneOf(end, run),
    left,
    exitCode,
  }
}

/** Ids with an accepted outcome. */
function doneOf({ result }: EndEvent, { options }: RunFile): number {
  const accepted = [
    ...['deleted', 'gone', 'added', 'skipped', 'addedOrSkipped', 'done'],
    ...(options.ignoreNotFound === true ? ['notFound'] : []),
    ...(options.ignoreBlocked === true ? ['blocked'] : []),
  ]
  return accepted.reduce((sum, outcome) => sum + (result[outcome] ?? 0), 0)
}

function endOf(end: ListedRun['end']) {
  return { result: end?.result ?? null, left: end?.left ?? null, exitCode: end?.exitCode ?? null }
}

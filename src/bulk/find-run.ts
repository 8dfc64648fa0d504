/** Which recorded run is meant: by its id, by its `--once` name, or the newest one of this service. */
import { usageError, type SvcError } from '../errors.ts'
import { readName, type NameRecord } from './names.ts'
import { readRecorded } from './recorded.ts'
import { isRunId } from './run.ts'
import { listRuns, type ListedRun } from './store.ts'
import type { BulkTools } from './tools.ts'

type FindTools = Pick<BulkTools, 'configuration' | 'host' | 'note' | 'warn'>

export interface RunReference {
  /** A run's id or its `--once` name. */
  readonly run: string | undefined
  readonly last: boolean
}

/** The id of the run that is meant. `unfinished`: with `--last`, of those that resuming would work on. Throws exit 2. */
export async function findRun(tools: FindTools, { run, last }: RunReference, unfinished = false): Promise<string> {
  if (run !== undefined && last) throw usageError('--last cannot be used with a run')
  const stateDir = (await tools.configuration()).stateDir.value
  if (last) return newest(tools, stateDir, unfinished)
  if (run === undefined) {
    throw usageError(
      'which run?',
      'give its id, its --once name, or --last for the newest one; see them with:\n  svc runs list',
    )
  }
  if (isRunId(run)) return run
  const record = readName(stateDir, run)
  if (record === undefined) {
    throw usageError(`there is no run ${JSON.stringify(run)}`, 'see them with: svc runs list')
  }
  if (record.pruned !== undefined) throw wasPruned(record)
  return record.run
}

/** What was kept of a run that was removed, by its `--once` name; undefined when it is still there. */
export async function prunedName(
  tools: Pick<BulkTools, 'configuration'>,
  name: string,
): Promise<NonNullable<NameRecord['pruned']> | undefined> {
  if (isRunId(name)) return undefined
  const stateDir = (await tools.configuration()).stateDir.value
  return readName(stateDir, name)?.pruned
}

function wasPruned({ name, run, pruned }: NameRecord): Error {
  const when = pruned === undefined ? '' : ` on ${new Date(pruned.at).toISOString().slice(0, 10)}`
  return usageError(
    `the record of run ${run} ("${name}") was removed${when}; only its summary was kept`,
    `svc runs show ${name}`,
  )
}

/** Only runs of this profile's base URL are meant: another service's are nobody's business here. */
async function newest(tools: FindTools, stateDir: string, unfinished: boolean): Promise<string> {
  const { baseUrl } = (await tools.configuration()).profile()
  for (const listed of await listRuns(tools.host, stateDir)) {
    if (listed.problem !== undefined) tools.warn(`run ${listed.id} was skipped: ${listed.problem}`)
    if (listed.run?.baseUrl !== baseUrl) continue
    if (!unfinished) return listed.id
    if (listed.holder === undefined && (await leftOf(stateDir, listed)) === 0) continue
    // A crash right after it began left its name to another run.
    const { once } = listed.run
    if (once !== undefined && (readName(stateDir, once.name)?.run ?? listed.id) !== listed.id) continue
    if (listed.holder === undefined) return listed.id
    tools.note(`run ${listed.id} was skipped: another process is working on it`)
  }
  throw noRun(baseUrl, unfinished)
}

/** None of this service's, or none of them unfinished. */
export function noRun(baseUrl: string, unfinished: boolean): SvcError {
  return usageError(
    `there is no ${unfinished ? 'unfinished ' : ''}run on ${new URL(baseUrl).host}`,
    'see all of them with: svc runs list',
  )
}

/** Ids that resuming would work on: what the last line says, or what the whole journal does. */
async function leftOf(stateDir: string, { id, end }: ListedRun): Promise<number> {
  if (end?.left !== undefined) return end.left
  const { state } = await readRecorded(stateDir, id)
  state.closeAll()
  return state.left().ids
}

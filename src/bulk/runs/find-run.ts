/**
 * Which recorded run is meant: by its id, by its `--once` name, or the newest one of this service. The verbs of `runs` and the sessions
 * that begin with a recorded run ask here.
 */
import { continuing, join, say, svc, type Message } from '../../message.ts'
import { usageError, type SvcError } from '../../errors.ts'
import { checkFormat } from './names.ts'
import { isRunId } from '../record/run.ts'
import { missingRun } from '../record/run-files.ts'
import type { ListedRun, RunStore } from './store.ts'
import type { Profile } from '../../config/profile.ts'

/** Whose runs are meant by `--last`. */
interface Owner {
  readonly profile: () => Promise<Profile>
}

/** How many runs an error names. */
const mostNamed = 5

export interface RunReference {
  /** A run's id or its `--once` name. */
  readonly run: string | undefined
  readonly last: boolean
}

/**
 * The use of the run that is meant. With `--last`, a run to resume must have something left, and one to undo must
 * certainly be the last one.
 */
type Purpose = 'show' | 'resume' | 'undo'

/** The id of the run that is meant. Throws exit 2. */
export async function findRun(
  store: RunStore,
  owner: Owner,
  { run, last }: RunReference,
  purpose: Purpose = 'show',
): Promise<string> {
  if (run !== undefined && last) throw usageError('--last cannot be used with a run')
  if (last) return newestOf(store, (await owner.profile()).baseUrl, purpose)
  if (run === undefined)
    throw usageError('the argument <run> is missing', nameNewest(await store.list()))
  if (isRunId(run)) return run
  const record = store.names.read(run)
  if (record === undefined) throw missingRun(JSON.stringify(run), store.stateDir)
  const { name, pruned } = record
  if (pruned === undefined) return record.run
  const when = new Date(pruned.at).toISOString().slice(0, 10)
  const what = `the record of run ${record.run} ("${name}") was removed on ${when}; only its summary was kept`
  throw usageError(what, [svc`runs show ${name}`])
}

/** Record of a run that was removed, by its `--once` name; undefined when it is still there. */
export function prunedName(store: RunStore, { run }: RunReference) {
  if (run === undefined || isRunId(run)) return undefined
  const pruned = store.names.read(run)?.pruned
  if (pruned !== undefined) checkFormat(run, pruned.description)
  return pruned
}

/** The run of a base URL that began last, whatever its state: no other one is ever picked. */
async function newestOf(store: RunStore, baseUrl: string, purpose: Purpose): Promise<string> {
  const all = await store.list()
  const ofService = all.filter(({ run }) => run?.baseUrl === baseUrl)
  const [newest, ...others] = ofService
  // Which number a damaged run has is not known.
  const damaged = all.find(({ problem, isEarlier }) => problem !== undefined && isEarlier !== true)
  if (damaged !== undefined) {
    throw usageError(
      `run ${damaged.id} cannot be read, so which run is the newest on ${addressOf(baseUrl)} is not known: ${damaged.problem}`,
      say`give the id of the run instead of --last; see them with: ${svc`runs list`}`,
    )
  }
  if (newest === undefined) throw noRun(baseUrl)
  const { id, holder, run } = newest
  const [next] = others
  if (purpose === 'undo' && next !== undefined && next.run?.sequence === run?.sequence) {
    throw usageError(
      `runs ${next.id} and ${id} on ${addressOf(baseUrl)} began at the same moment, so which is the newest is not known; nothing was sent`,
      say`give the id of the run instead of --last; see them with: ${svc`runs list`}`,
    )
  }
  if (purpose !== 'resume' || holder !== undefined) return id
  if ((await leftOf(store, newest)) > 0) return id
  const what = `nothing is left to do in run ${id}, the newest on ${addressOf(baseUrl)}; nothing was sent`
  const unfinished = others.filter(({ holder, end }) => holder === undefined && end?.left !== 0)
  throw usageError(what, nameUnfinished(unfinished))
}

function nameUnfinished(runs: readonly ListedRun[]): Message {
  if (runs.length === 0) return 'no other run is unfinished'
  const named = runs
    .slice(0, mostNamed)
    .map(({ run, id }) => say`\n  ${continuing`runs resume ${run?.once?.name ?? id}`}`)
  const more =
    runs.length > mostNamed
      ? say`\nand ${String(runs.length - mostNamed)} more; see them with: ${svc`runs list`}`
      : ''
  return say`to resume an older one:${join(named, '')}${more}`
}

/** The newest runs, whatever service they are of. */
function nameNewest(runs: readonly ListedRun[]): Message {
  const see = say`see all of them with: ${svc`runs list`}`
  const named = runs.slice(0, mostNamed).map(({ id, run }) => {
    const words = [id, run?.operation, run?.once?.name].filter((word) => word !== undefined)
    return `\n  ${words.join('  ')}`
  })
  if (named.length === 0) return see
  return say`give its id, its --once name, or --last; the newest are:${join(named, '')}\n${see}`
}

const addressOf = (baseUrl: string): string => new URL(baseUrl).host

function noRun(baseUrl: string): SvcError {
  return usageError(
    `there is no run on ${addressOf(baseUrl)}`,
    say`see all of them with: ${svc`runs list`}`,
  )
}

/** Ids that resuming would work on: what the last line says, or what the whole journal does. */
async function leftOf(store: RunStore, { id, end }: ListedRun): Promise<number> {
  if (end?.left !== undefined) return end.left
  const { state } = await store.read(id)
  state.closeAll()
  return state.countLeft()
}

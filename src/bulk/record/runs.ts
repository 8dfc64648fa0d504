/**
 * The recorded runs of a state folder, `runs/@<name>` or `runs/<id>`: where they are, which ones there are, and which one a command means. Nothing here
 * takes a session or writes to a run. Sessions, `prune.ts`, the verbs of `runs`, `svc doctor` and completion ask it.
 */
import { join } from 'node:path'
import { lastSession, type ClaimHost } from '../../disk/claim.ts'
import { checkStateFolder } from '../../disk/trust.ts'
import { isThere, makeFolders, syncFolder } from '../../disk/whole.ts'
import { folderError, keptError } from '../../errno.ts'
import { systemCode, usageError, type SvcError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { join as joinMessages, say, svc, type Message } from '../../message.ts'
import { isName, isRunId, timeOfId } from './names.ts'
import { lookAtRecord, type KeptSummary } from './read-run.ts'
import type { Header } from './header.ts'

export type RunsHost = ClaimHost & Pick<Host, 'userId' | 'turn'>

export const runsFolder = (stateDir: string): string => join(stateDir, 'runs')

/** A run as lists have it. */
export interface ListedRun {
  /** Its id or its name. */
  readonly run: string
  readonly dir: string
  /** Milliseconds since 1970; NaN where the record cannot be read. */
  readonly startedAt: number
  readonly header: Header | undefined
  /** The current summary; undefined if the run cannot be read. */
  readonly summary: KeptSummary | undefined
  /** The process that works on it, in words. */
  readonly holder: string | undefined
  readonly isPruned: boolean
  /** Why it cannot be read. */
  readonly problem: string | undefined
}

/** Which run a command means. */
export interface RunReference {
  /** A run's id or its name. */
  readonly run: string | undefined
  readonly last?: boolean | undefined
}

const waysOut = 'name another folder with --state-dir or SVC_STATE_DIR'
const mostNamed = 5

export class Runs {
  readonly host: RunsHost
  readonly #findFolder: () => string

  /** `findFolder`: the state folder. */
  constructor(host: RunsHost, findFolder: () => string) {
    this.host = host
    this.#findFolder = findFolder
  }

  get stateDir(): string {
    return this.#findFolder()
  }

  /** The folder of a run by its id or its name. Throws exit 2 for what can be neither. */
  folderOf(run: string): string {
    if (isRunId(run)) return join(runsFolder(this.stateDir), run)
    if (isName(run)) return join(runsFolder(this.stateDir), `@${run.toLowerCase()}`)
    throw usageError(`"${run}" is not a run`, say`see them with: ${svc`runs list`}`)
  }

  /** Makes the state folder and its `runs` where they are missing. Throws exit 2, naming the ways out, when it cannot, 10 when the disk fails. */
  async prepare(): Promise<void> {
    const { host, stateDir } = this
    try {
      const runs = runsFolder(stateDir)
      checkStateFolder(host, stateDir)
      await makeFolders(host, runs)
      await syncFolder(host, stateDir)
      // Somebody else may have been quicker.
      checkStateFolder(host, stateDir)
      checkStateFolder(host, runs)
      const { W_OK, X_OK } = host.disk.constants
      await host.disk.promises.access(runs, W_OK | X_OK)
    } catch (error) {
      throw folderError(`the state folder cannot be written: ${stateDir}`, error, waysOut)
    }
  }

  /** Makes the folder of a run; its name is on disk when this resolves. `isNew`: exit 10 where there is one already. */
  async makeFolder(run: string, isNew: boolean): Promise<string> {
    const dir = this.folderOf(run)
    try {
      await this.host.disk.promises.mkdir(dir, { mode: 0o700 }).catch((error: unknown) => {
        if (isNew || systemCode(error) !== 'EEXIST') throw error
      })
      checkStateFolder(this.host, dir)
      await syncFolder(this.host, runsFolder(this.stateDir))
      return dir
    } catch (error) {
      throw keptError(`run ${run} cannot be recorded: ${dir}`, error).with({ run })
    }
  }

  /** Ids and names of all runs, of what never began too. A folder that is not there has none. */
  async all(): Promise<string[]> {
    const folder = runsFolder(this.stateDir)
    try {
      const entries = await this.host.disk.promises.readdir(folder)
      return entries
        .map((entry) => entry.replace(/^@/, ''))
        .filter((run) => isRunId(run) || isName(run))
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return []
      throw keptError(`the runs cannot be listed: ${folder}`, error)
    }
  }

  /** All runs that began, newest first. */
  async list(): Promise<ListedRun[]> {
    const listed: ListedRun[] = []
    for (const run of await this.all()) {
      const each = await this.look(run)
      if (each !== undefined) listed.push(each)
    }
    return listed.sort(newestFirst)
  }

  /** One run in its current state; undefined if none began. */
  async look(run: string): Promise<ListedRun | undefined> {
    const { host } = this
    const dir = this.folderOf(run)
    const record = await lookAtRecord(host, dir, run)
    if (record === undefined) return undefined
    const session = sessionOf(host, dir, record.problem)
    return {
      // A damaged header may have another name.
      run: record.problem === undefined ? (record.header?.name ?? run) : run,
      dir,
      startedAt:
        record.header === undefined ? timeOfId(run) : Date.parse(record.header.startedAt),
      // One that worked before a restart of this computer does not any more.
      holder: session?.kind === 'held' && !session.isWatched ? session.holder : undefined,
      ...record,
    }
  }

  /** The start of a new run: now, or one second after the newest run, if that is later. */
  async nextStart(): Promise<number> {
    let start = this.host.now()
    for (const { startedAt } of await this.list()) {
      if (startedAt >= start) start = startedAt + 1000
    }
    return start
  }

  /** The run that is meant. Throws exit 2. `baseUrl`: for `--last`. */
  async find(
    { run, last = false }: RunReference,
    baseUrl: () => Promise<string>,
  ): Promise<string> {
    if (run !== undefined && last) throw usageError('--last cannot be used with a run')
    if (last) return this.#newest(await baseUrl())
    if (run === undefined) {
      throw usageError('the argument <run> is missing', nameNewest(await this.list()))
    }
    if (isThere(this.host, this.folderOf(run))) return run
    throw this.missing(run)
  }

  /** Exit 2: no run of that id or name. */
  missing(run: string): SvcError {
    return usageError(
      `there is no run ${isRunId(run) ? run : JSON.stringify(run)} in ${this.stateDir}`,
      say`see all of them with: ${svc`runs list`}`,
    )
  }

  async #newest(baseUrl: string): Promise<string> {
    const all = await this.list()
    const { host } = new URL(baseUrl)
    const see = say`see all of them with: ${svc`runs list`}`
    const damaged = all.find(({ problem }) => problem !== undefined)
    if (damaged !== undefined) {
      throw usageError(
        `run ${damaged.run} cannot be read, so it is not known which run is the newest on ${host}: ${damaged.problem ?? ''}`,
        say`give the id of the run instead of --last; ${see}`,
      )
    }
    const [newest, next] = all.filter(({ header }) => header?.baseUrl === baseUrl)
    if (newest === undefined) throw usageError(`there is no run on ${host}`, see)
    if (next?.startedAt !== newest.startedAt) return newest.run
    throw usageError(
      `runs ${next.run} and ${newest.run} on ${host} began at the same moment, so neither is the newest; nothing was sent`,
      say`give the id of the run instead of --last; ${see}`,
    )
  }
}

/** Undefined for a run that cannot be read, if its folder cannot be listed either. */
function sessionOf(host: RunsHost, dir: string, problem: string | undefined) {
  try {
    return lastSession(host, dir)
  } catch (error) {
    if (problem === undefined || systemCode(error) === undefined) throw error
    return undefined
  }
}

/** Runs that cannot be read may be newer than all others. */
function newestFirst(one: ListedRun, other: ListedRun): number {
  const rank = ({ startedAt }: ListedRun): number =>
    Number.isNaN(startedAt) ? Infinity : startedAt
  const difference = rank(other) - rank(one)
  return difference === 0 || Number.isNaN(difference)
    ? other.run > one.run
      ? 1
      : -1
    : difference
}

/** The newest runs of any service. */
function nameNewest(runs: readonly ListedRun[]): Message {
  const see = say`see all of them with: ${svc`runs list`}`
  const named = runs
    .slice(0, mostNamed)
    .map(({ run, header }) => `\n  ${[run, header?.operation ?? 'damaged'].join('  ')}`)
  if (named.length === 0) return see
  return say`give its id, its name, or --last; the newest are:${joinMessages(named, '')}\n${see}`
}

/**
 * The recorded runs of a state folder, a file each in `runs`: where they are, which ones there are, and which one a command
 * means. Nothing here claims or writes to a run.
 */
import { join } from 'node:path'
import { checkStateFolder, type Owner } from '../config/trust.ts'
import {
  messageOf,
  SvcError,
  systemCode,
  usageError,
  fileError,
  recordError,
} from '../errors.ts'
import { join as joinMessages, say, svc, type Message } from '../message.ts'
import { isThere, makeFolders, syncFolder } from '../output/whole.ts'
import type { FileHost } from './file.ts'
import type { RecordedRun, RunLog } from './fold.ts'
import {
  fileName,
  isRunName,
  isRunId,
  runOf,
  timeOfId,
  undoName,
  type RunPlace,
} from './names.ts'
import { readEnd, readLog } from './reading.ts'
import { printedDocument, summaryOfRun, type Document } from './summary.ts'
import { holderWords, lifeOf } from './take.ts'

export type RunsHost = FileHost & Owner

/** A run as a list shows it. */
export interface ListedRun extends RunPlace {
  /** Milliseconds since 1970; NaN where the record cannot be read. */
  startedAt: number
  /** Time of the last line. */
  lastAt: number
  baseUrl?: string
  endedAt?: number | undefined
  /** The facts and counts of the run; undefined if it cannot be read. */
  summary?: Document
  /** The process that works on it, in words. */
  holder?: string | undefined
  isUndone: boolean
  /** Nothing is left or unknown, and its results were printed. */
  isFinished: boolean
  /** Why it cannot be read. */
  problem?: string
}

/** Which run a command means. `last`: the newest of a service. */
export interface RunReference {
  /** A run's id, its name, or the beginning of either. */
  run: string | undefined
  last?: boolean | undefined
}

const mostNamed = 5
/** How far in the future a run may begin, in milliseconds, to stay after the newest one. */
const mostAhead = 5 * 60_000

export class Runs {
  readonly host: RunsHost
  readonly #findFolder: () => string

  /** `findFolder`: the state folder. */
  constructor(host: RunsHost, findFolder: () => string) {
    this.host = host
    this.#findFolder = findFolder
  }

  get stateDir() {
    return this.#findFolder()
  }

  get folder() {
    return join(this.stateDir, 'runs')
  }

  /** The place of a run by its id or its name. Throws exit 2 for what can be neither. */
  placeOf(run: string): RunPlace {
    if (isRunId(run) || isRunName(run))
      return { run, path: join(this.folder, fileName(run)) }
    throw usageError(`"${run}" is not a run`, say`see them with: ${svc`runs list`}`)
  }

  /**
   * Makes the state folder and its `runs` where they are missing. Throws exit 2, naming the ways out, when it cannot, 10
   * when the disk fails.
   */
  async prepare(): Promise<void> {
    const { host, stateDir, folder } = this
    try {
      checkStateFolder(host, stateDir)
      const isNew = !isThere(host, folder)
      await makeFolders(host, folder)
      if (isNew) await syncFolder(host, stateDir)
      // Another process may have created it first.
      checkStateFolder(host, stateDir)
      checkStateFolder(host, folder)
      const { W_OK, X_OK } = host.disk.constants
      await host.disk.promises.access(folder, W_OK | X_OK)
    } catch (error) {
      const hint = 'name another folder with --state-dir or SVC_STATE_DIR'
      throw fileError(
        'config',
        `the state folder cannot be written: ${stateDir}`,
        error,
        hint,
      )
    }
  }

  /** The places of all files of runs, of those that never began too. A folder that is not there has none. */
  async places(): Promise<RunPlace[]> {
    const { folder } = this
    try {
      const files = await this.host.disk.promises.readdir(folder)
      return files.flatMap((file) => {
        const run = runOf(file)
        return run === undefined ? [] : [{ run, path: join(folder, file) }]
      })
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return []
      throw recordError(`the runs cannot be listed: ${folder}`, error)
    }
  }

  /** All runs that began, newest first. */
  async list(): Promise<ListedRun[]> {
    const listed: ListedRun[] = []
    for (const place of await this.places()) {
      const each = await this.look(place)
      if (each !== undefined) listed.push(each)
    }
    const names = new Set(listed.map(({ run }) => run.toLowerCase()))
    return listed
      .map((each) =>
        names.has(undoName(each.run).toLowerCase()) ? { ...each, isUndone: true } : each,
      )
      .sort(newestFirst)
  }

  /** One run in its current state; undefined if none began. Whether there is an undo of it is only known from `list`. */
  async look(place: RunPlace): Promise<ListedRun | undefined> {
    try {
      return readTailOf(this.host, place) ?? (await this.#lookWhole(place))
    } catch (error) {
      if (!(error instanceof SvcError) && systemCode(error) === undefined) throw error
      return damaged(place, messageOf(error))
    }
  }

  async #lookWhole(place: RunPlace): Promise<ListedRun | undefined> {
    const read = await readLog(this.host, place)
    if (read === undefined || read.log.isPruned) return undefined
    const { log, touchedAt } = read
    if (log.isHeadDamaged) return damaged(place, `run ${place.run} has a damaged head`)
    const { recorded } = log
    if (recorded === undefined) return undefined
    return {
      ...place,
      run: recorded.run,
      startedAt: Date.parse(recorded.head.startedAt),
      lastAt: recorded.lastAt,
      baseUrl: recorded.head.baseUrl,
      endedAt: recorded.endedAt,
      summary: summaryOfRun(recorded).document,
      holder: holderOf(this.host, log, touchedAt),
      isUndone: recorded.undone !== undefined,
      isFinished: isFinished(log),
    }
  }

  /** The start of a new run: now, or one second after the newest run, if that is later by at most five minutes. */
  async nextStart(): Promise<number> {
    const now = this.host.now()
    let start = now
    for (const place of await this.places()) {
      // An id has the second in which its run began.
      if (timeOfId(place.run) < now - 1000) continue
      const { startedAt = NaN } = (await this.look(place)) ?? {}
      const isAhead = startedAt >= start && startedAt <= now + mostAhead
      if (isAhead) start = startedAt + 1000
    }
    return start
  }

  /** The run that is meant. `isWanted`: for `--last`. Throws exit 2. */
  async find(
    { run, last = false }: RunReference,
    profile: () => Promise<{ baseUrl: string }>,
    isWanted: (listed: ListedRun) => boolean = () => true,
  ): Promise<RunPlace> {
    if (run !== undefined && last) throw usageError('--last cannot be used with a run')
    if (last) return this.#newest((await profile()).baseUrl, isWanted)
    if (run !== undefined) return this.findNamed(run)
    throw usageError(
      'the argument <run> is missing',
      nameNewest(await this.list(), 'its id, its name, or --last'),
    )
  }

  /** The run of an id or a name, or of a beginning that fits one run. Throws exit 2. */
  async findNamed(run: string): Promise<RunPlace> {
    const place = this.placeOf(run)
    if (isThere(this.host, place.path)) return place
    const beginning = run.toLowerCase()
    const fitting = (await this.places()).filter(({ run: each }) =>
      each.toLowerCase().startsWith(beginning),
    )
    const [only, another] = fitting
    if (only === undefined) throw this.missing(run)
    if (another === undefined) return only
    const names = fitting.slice(0, mostNamed).map((each) => `\n  ${each.run}`)
    throw usageError(
      `several runs begin with "${run}"`,
      `name one of them:${names.join('')}`,
    )
  }

  /** Exit 2: no run of that id or name. */
  missing(run: string): SvcError {
    return usageError(
      `there is no run ${isRunId(run) ? run : JSON.stringify(run)} in ${this.stateDir}`,
      say`see all of them with: ${svc`runs list`}`,
    )
  }

  async #newest(
    baseUrl: string,
    isWanted: (listed: ListedRun) => boolean,
  ): Promise<RunPlace> {
    const all = await this.list()
    const { host } = new URL(baseUrl)
    const see = nameNewest(all, 'its id or its name')
    const broken = all.find(({ problem }) => problem !== undefined)
    if (broken !== undefined) {
      throw usageError(
        `run ${broken.run} cannot be read, so it is not known which run is the newest on ${host}: ${broken.problem ?? ''}`,
        say`give the id of the run instead of --last; ${see}`,
      )
    }
    const ofService = all.filter((each) => each.baseUrl === baseUrl)
    const [newest] = ofService
    if (newest !== undefined && newest.startedAt > this.host.now()) {
      throw usageError(
        `run ${newest.run} is dated in the future, so it is not known which run is the newest on ${host}; nothing was sent`,
        say`give the id of the run instead of --last; ${see}`,
      )
    }
    const wanted = ofService.find(isWanted)
    if (wanted !== undefined) return wanted
    const which = newest === undefined ? 'no run' : 'no unfinished run'
    throw usageError(`there is ${which} on ${host}`, see)
  }
}

/** Whether nothing is left to send or to find out, and the results were printed. */
export function isFinished({ recorded, sessions }: RunLog) {
  return sessions.isFree && recorded?.state.isSettled() === true
}

/**
 * The process that works on a run, in words; undefined if the run is free, if the process is gone as far as this computer
 * can tell, and if the `session` line was lost. Such a run counts as free, and is taken `unsure`.
 */
export function holderOf(
  host: RunsHost,
  { sessions }: RunLog,
  touchedAt: number,
): string | undefined {
  const session = sessions.inForce?.line
  if (session === undefined) return undefined
  const life = lifeOf(host, session, touchedAt)
  return life === 'unknown' ? holderWords(session) : undefined
}

/** A run whose last lines are `end` and `free` of one session: its summary says it all, also what `isFinished` computes. */
function readTailOf(host: RunsHost, place: RunPlace): ListedRun | undefined {
  const end = readEnd(host, place)
  if (end?.baseUrl === undefined) return undefined
  const summary = printedDocument(end.summary)
  const { run } = end.summary
  const { startedAt, endedAt, result, left } = summary
  return {
    ...place,
    run,
    startedAt: Date.parse(startedAt ?? ''),
    lastAt: end.at,
    baseUrl: end.baseUrl,
    endedAt: endedAt === null ? end.at : Date.parse(endedAt),
    summary,
    isUndone: false,
    isFinished: left === 0 && (result['unknown'] ?? 0) === 0,
  }
}

const damaged = (place: RunPlace, problem: string): ListedRun => ({
  ...place,
  startedAt: timeOfId(place.run),
  lastAt: Number.NaN,
  isUndone: false,
  isFinished: false,
  problem,
})

/** Runs that cannot be read may be newer than all others. */
function newestFirst(one: ListedRun, other: ListedRun) {
  const rank = ({ startedAt }: ListedRun) =>
    Number.isNaN(startedAt) ? Infinity : startedAt
  if (rank(other) !== rank(one)) return rank(other) > rank(one) ? 1 : -1
  return other.run > one.run ? 1 : -1
}

/** The newest runs of any service. */
function nameNewest(runs: readonly ListedRun[], ways: string): Message {
  const see = say`see all of them with: ${svc`runs list`}`
  const named = runs
    .slice(0, mostNamed)
    .map(({ run, summary }) => `\n  ${[run, summary?.operation ?? 'damaged'].join('  ')}`)
  if (named.length === 0) return see
  return say`give ${ways}; the newest are:${joinMessages(named, '')}\n${see}`
}

/** The recorded run of a log. Throws exit 2 if none began. */
export function recordedIn({ recorded, run, isHeadDamaged }: RunLog): RecordedRun {
  if (recorded !== undefined) return recorded
  const what = isHeadDamaged ? 'has a damaged head' : 'never began, or was removed'
  throw usageError(`run ${run} ${what}`, say`see the others with: ${svc`runs list`}`)
}

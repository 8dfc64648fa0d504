/** The folders of recorded runs: `<state folder>/runs/<run>/`, for their owner alone. */
import { say, svc } from '../../message.ts'
import { dirname, join } from 'node:path'
import { SvcError, messageOf, systemCode } from '../../errors.ts'
import {
  checkStateFolder,
  makeFolders,
  missingFolders,
  modeOf,
  syncFolder,
} from '../../disk/folder.ts'
import { fileError, folderError, keptError } from '../../errno.ts'
import type { Host } from '../../host.ts'
import type { DiskHost } from '../../world.ts'
import { isThere } from '../../disk/files.ts'
import type { EndEvent } from '../record/events.ts'
import { findHolder, type Holder, type LockHost } from '../../disk/lock-file.ts'
import { readBegin, readEnd } from '../record/replay.ts'
import { hasBegun, readRunFile } from '../record/run-files.ts'
import { beganAt, isRunId, newRunId, type RunFile } from '../record/run.ts'

export type StoreHost = LockHost & Pick<Host, 'userId' | 'groupIds'>

export function runsFolder(stateDir: string): string {
  return join(stateDir, 'runs')
}

/** The folder of a run. Throws exit 2 when the text is not the id of one. */
export function runFolder(stateDir: string, run: string): string {
  if (!isRunId(run))
    throw new SvcError('usage', `"${run}" is not a run`, {
      hint: say`see them with: ${svc`runs list`}`,
    })
  return join(runsFolder(stateDir), run)
}

const waysOut = 'name another folder with --state-dir or SVC_STATE_DIR'

/** Makes the state folder and its `runs` where they are missing. Throws exit 2, naming the ways out, when it cannot, 10 when the disk fails. */
export async function prepareFolders(host: StoreHost, stateDir: string): Promise<void> {
  try {
    checkStateFolder(host, stateDir, waysOut)
    await makeLasting(host, stateDir)
    await checkFolder(host, stateDir, false)
    // Somebody else may have been quicker.
    checkStateFolder(host, stateDir, waysOut)
    const runs = runsFolder(stateDir)
    await makeLasting(host, runs)
    await syncFolder(host, stateDir)
    for (const own of [runs, join(stateDir, 'names')])
      if (isThere(host, own)) await checkFolder(host, own, true)
    await host.disk.promises.access(runs, host.disk.constants.W_OK | host.disk.constants.X_OK)
  } catch (error) {
    throw notWritable(stateDir, error)
  }
}

/**
 * Makes the folders that are missing. One whose name is lost in a power loss takes its runs with it, and one that is there may be of a
 * process that was killed before the name was on disk: so nothing is made in a folder before its own name lasts.
 */
async function makeLasting(host: StoreHost, path: string): Promise<void> {
  for (const folder of missingFolders(host, path)) {
    try {
      await syncFolder(host, dirname(dirname(folder)))
    } catch (error) {
      // No process of this user can have made a folder in one that it cannot read.
      if (systemCode(error) !== 'EACCES') throw error
    }
    makeFolders(host, folder)
  }
}

export function notWritable(path: string, error: unknown): SvcError {
  return folderError(`the state folder cannot be written: ${path}`, error, waysOut)
}

/** Refuses a symbolic link, and, of our `own`, a folder of another user and one that others can write. */
export async function checkFolder(host: StoreHost, path: string, own: boolean): Promise<void> {
  const refusal = (what: string, hint = waysOut): SvcError => new SvcError('config', what, { hint })
  const stat = await host.disk.promises.lstat(path)
  if (stat.isSymbolicLink())
    throw refusal(
      `the state folder is a symbolic link: ${path} -> ${await host.disk.promises.readlink(path)}`,
    )
  if (!stat.isDirectory()) throw refusal(`not a folder: ${path}`)
  if (!own || host.userId === undefined) return
  const whose = `(owner id ${stat.uid}, mode ${modeOf(stat)})`
  if (stat.uid !== host.userId) throw refusal(`${path} belongs to another user ${whose}`)
  if ((stat.mode & 0o022) !== 0)
    throw refusal(`others can write to the folder ${path} ${whose}`, `chmod 700 ${path}`)
}

/** A folder for a new run, with nothing in it: no run yet. Throws exit 10. */
export async function makeRunFolder(
  host: StoreHost,
  stateDir: string,
): Promise<{ run: string; dir: string }> {
  for (let attempt = 0; ; attempt += 1) {
    const run = newRunId(host.now(), host.random())
    const dir = runFolder(stateDir, run)
    try {
      await host.disk.promises.mkdir(dir, { mode: 0o700 })
      // Whatever the umask takes away, the owner keeps.
      await host.disk.promises.chmod(dir, 0o700)
      return { run, dir }
    } catch (error) {
      if (systemCode(error) !== 'EEXIST' || attempt === 100) throw notWritable(dir, error)
    }
  }
}

export interface ListedRun {
  readonly id: string
  readonly dir: string
  /** By the clock of its machine, in milliseconds since 1970. */
  readonly beganAt: number
  /** Undefined when it never began, or when `problem` says why. */
  readonly run: RunFile | undefined
  /** Undefined while a session works on it, and when one died. */
  readonly end: EndEvent | undefined
  readonly holder: Holder | 'unreadable' | undefined
  readonly problem: string | undefined
  readonly isEarlier?: boolean
}

/** Compares two runs, the later one first: by their numbers, by id where these are alike. */
export function laterFirst(one: ListedRun, other: ListedRun): number {
  const number = sequenceOf(one)
  const otherNumber = sequenceOf(other)
  if (number === otherNumber) return other.id > one.id ? 1 : -1
  return otherNumber > number ? 1 : -1
}

/** Runs of earlier formats have none; a damaged one may be the last of all. */
function sequenceOf({ run, isEarlier }: ListedRun): number {
  return run?.sequence ?? (isEarlier === true ? 0 : Infinity)
}

/** Ids of the runs of a state folder, those included that never began. A folder that is not there has none. */
export async function runIds(host: StoreHost, stateDir: string): Promise<string[]> {
  try {
    return (await host.disk.promises.readdir(runsFolder(stateDir))).filter(isRunId)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return []
    throw keptError(`the runs cannot be listed: ${runsFolder(stateDir)}`, error)
  }
}

/** Runs of a state folder, the last first, with those that never began. */
export async function listRuns(host: StoreHost, stateDir: string): Promise<ListedRun[]> {
  const listed: ListedRun[] = []
  for (const id of await runIds(host, stateDir)) listed.push(await lookAt(host, stateDir, id))
  return listed.sort(laterFirst)
}

/** How many runs a state folder holds, those that never began included, and how many bytes their files have. */
export function measureRuns(host: DiskHost, stateDir: string): { runs: number; bytes: number } {
  const folder = runsFolder(stateDir)
  const measured = { runs: 0, bytes: 0 }
  for (const run of namesIn(host, folder).filter(isRunId)) {
    measured.runs += 1
    for (const name of namesIn(host, join(folder, run))) {
      measured.bytes +=
        host.disk.lstatSync(join(folder, run, name), { throwIfNoEntry: false })?.size ?? 0
    }
  }
  return measured
}

/** Nothing where there is no folder, or none that can be read: the caller that needs its content reports that. */
function namesIn(host: DiskHost, folder: string): string[] {
  try {
    return host.disk.readdirSync(folder)
  } catch (error) {
    if (systemCode(error) === undefined) throw error
    return []
  }
}

/** A run as its files tell it, without reading all of its journal. */
export async function lookAt(host: StoreHost, stateDir: string, id: string): Promise<ListedRun> {
  const dir = runFolder(stateDir, id)
  const bare = { id, dir, beganAt: beganAt(id), run: undefined, end: undefined, problem: undefined }
  const holder = await findHolder(host, dir).catch((): 'unreadable' => 'unreadable')
  try {
    if (!hasBegun(host, dir)) return { ...bare, holder }
    const { run } = readRunFile(host, dir, id)
    if (readBegin(host, dir, id) === undefined) return { ...bare, holder }
    // The id of a run tells the second only.
    return { ...bare, beganAt: Date.parse(run.startedAt), run, end: readEnd(host, dir, id), holder }
  } catch (error) {
    const isEarlier = error instanceof SvcError && error.category === 'usage'
    return { ...bare, holder, problem: messageOf(error), isEarlier }
  }
}

/** Removes a run's folder, whose lock is held. Throws exit 10. */
export async function removeRun(host: DiskHost, dir: string, run: string): Promise<void> {
  try {
    await host.disk.promises.rm(dir, { recursive: true, force: true })
  } catch (error) {
    throw fileError('local', `run ${run} cannot be removed`, error).with({ run })
  }
}

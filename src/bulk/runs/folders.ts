/**
 * The state folder: `runs/<run>/` for each recorded run, `names/` for the names of jobs. For their owner alone, and made so that a name is
 * on disk before anything lies under it. `store.ts` and `names.ts` make and list them; `svc doctor` and completion look where they are.
 */
import { say, svc } from '../../message.ts'
import { dirname, join } from 'node:path'
import { SvcError, systemCode } from '../../errors.ts'
import { checkStateFolder, makeFolders, modeOf, syncFolder } from '../../disk/folder.ts'
import { missingFolders } from '../../disk/way.ts'
import { folderError } from '../../errno.ts'
import type { Host } from '../../host.ts'
import type { DiskHost } from '../../world.ts'
import { isThere } from '../../disk/files.ts'
import { hasBegun } from '../record/run-files.ts'
import { isRunId } from '../record/run.ts'

type OwnerHost = DiskHost & Pick<Host, 'userId' | 'groupIds'>

export function runsFolder(stateDir: string): string {
  return join(stateDir, 'runs')
}

/** The folder of a run. Throws exit 2 when the text is not the id of one. */
export function runFolder(stateDir: string, run: string): string {
  if (!isRunId(run)) {
    throw new SvcError('usage', `"${run}" is not a run`, {
      hint: say`see them with: ${svc`runs list`}`,
    })
  }
  return join(runsFolder(stateDir), run)
}

export function namesFolder(stateDir: string): string {
  return join(stateDir, 'names')
}

/** Whether a run is still there, which then speaks for its name alone. */
export function isRecorded(host: DiskHost, stateDir: string, run: string): boolean {
  return isRunId(run) && hasBegun(host, runFolder(stateDir, run))
}

const waysOut = 'name another folder with --state-dir or SVC_STATE_DIR'

/** Makes the state folder and its `runs` where they are missing. Throws exit 2, naming the ways out, when it cannot, 10 when the disk fails. */
export async function prepareFolders(host: OwnerHost, stateDir: string): Promise<void> {
  try {
    checkStateFolder(host, stateDir, waysOut)
    await makeLasting(host, stateDir)
    await checkFolder(host, stateDir, false)
    // Somebody else may have been quicker.
    checkStateFolder(host, stateDir, waysOut)
    const runs = runsFolder(stateDir)
    await makeLasting(host, runs)
    await syncFolder(host, stateDir)
    for (const own of [runs, namesFolder(stateDir)]) {
      if (isThere(host, own)) await checkFolder(host, own, true)
    }
    await host.disk.promises.access(runs, host.disk.constants.W_OK | host.disk.constants.X_OK)
  } catch (error) {
    throw notWritable(stateDir, error)
  }
}

/**
 * Makes the folders that are missing. One whose name is lost in a power loss takes its runs with it, and one that is there may be of a
 * process that was killed before the name was on disk: so nothing is made in a folder before its own name lasts.
 */
async function makeLasting(host: OwnerHost, path: string): Promise<void> {
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
export async function checkFolder(host: OwnerHost, path: string, own: boolean): Promise<void> {
  const refusal = (what: string, hint = waysOut): SvcError => new SvcError('config', what, { hint })
  const stat = await host.disk.promises.lstat(path)
  if (stat.isSymbolicLink()) {
    throw refusal(
      `the state folder is a symbolic link: ${path} -> ${await host.disk.promises.readlink(path)}`,
    )
  }
  if (!stat.isDirectory()) throw refusal(`not a folder: ${path}`)
  if (!own || host.userId === undefined) return
  const whose = `(owner id ${stat.uid}, mode ${modeOf(stat)})`
  if (stat.uid !== host.userId) throw refusal(`${path} belongs to another user ${whose}`)
  if ((stat.mode & 0o022) !== 0) {
    throw refusal(`others can write to the folder ${path} ${whose}`, `chmod 700 ${path}`)
  }
}

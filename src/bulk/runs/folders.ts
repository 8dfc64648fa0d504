/**
 * The state folder: `runs/<run>/` for each recorded run, `names/` for the names of jobs. For their owner alone, and made so that a name is
 * on disk before anything lies under it. `store.ts` and `names.ts` make and list them; `svc doctor` and completion look where they are.
 */
import { say, svc } from '../../message.ts'
import { join } from 'node:path'
import { SvcError } from '../../errors.ts'
import { checkStateFolder } from '../../disk/trust.ts'
import { isThere, makeFolders, syncFolder } from '../../disk/whole.ts'
import { folderError } from '../../errno.ts'
import type { Host } from '../../host.ts'
import type { DiskHost } from '../../world.ts'
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

/** Makes the state folder and its `runs` where they are missing. Throws exit 2, naming the ways out, when it cannot, 10 when the disk fails. */
export async function prepareFolders(host: OwnerHost, stateDir: string): Promise<void> {
  try {
    checkStateFolder(host, stateDir)
    await makeFolders(host, stateDir)
    // Somebody else may have been quicker.
    checkStateFolder(host, stateDir)
    const runs = runsFolder(stateDir)
    await makeFolders(host, runs)
    await syncFolder(host, stateDir)
    for (const own of [runs, namesFolder(stateDir)]) {
      if (isThere(host, own)) checkStateFolder(host, own, true)
    }
    await host.disk.promises.access(runs, host.disk.constants.W_OK | host.disk.constants.X_OK)
  } catch (error) {
    throw notWritable(stateDir, error)
  }
}

export function notWritable(path: string, error: unknown): SvcError {
  const waysOut = 'name another folder with --state-dir or SVC_STATE_DIR'
  return folderError(`the state folder cannot be written: ${path}`, error, waysOut)
}

/**
 * Folders that svc keeps things in: made where they are missing, refused where somebody else decides what lies in them, and
 * synced.
 */
import { constants, lstatSync, mkdirSync, realpathSync, statSync, type Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileError } from './errno.ts'
import { SvcError, systemCode } from './errors.ts'
import type { Host } from './host.ts'
import { shellWord } from './words.ts'

/** What is wrong, in words, and the command that fixes it where there is one. */
export interface Distrust {
  readonly problem: string
  readonly command: string | undefined
}

/**
 * Makes a folder and those above it that are missing, for this user alone. Throws the system's error. (Node's own recursive
 * mkdir never ends where folders cannot be made, as in /proc.)
 */
export function makeFolders(path: string): void {
  for (const folder of missingFolders(path)) {
    try {
      mkdirSync(folder, { mode: 0o700 })
    } catch (error) {
      // Another svc was quicker.
      if (systemCode(error) !== 'EEXIST' || !statSync(folder).isDirectory()) throw error
    }
  }
}

/** A folder and those above it, as far as they are not there; the topmost first. A link to nothing is there, and in the way. */
export function missingFolders(path: string): string[] {
  const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined
  return isThere ? [] : [...missingFolders(dirname(path)), path]
}

/** Makes the names in a folder last. */
export async function syncFolder(path: string): Promise<void> {
  const { open } = await import('node:fs/promises')
  // A folder cannot be opened on Windows; its entries are safe there without.
  let folder: FileHandle
  try {
    folder = await open(path, constants.O_RDONLY)
  } catch (error) {
    if (systemCode(error) === 'EISDIR' || systemCode(error) === 'EPERM') return
    throw error
  }
  try {
    await folder.sync()
  } catch (error) {
    if (systemCode(error) !== 'EINVAL' && systemCode(error) !== 'EPERM') throw error
  } finally {
    await folder.close()
  }
}

/**
 * Why a folder is not this user's alone: it belongs to somebody else, or others can write to it or, without a sticky bit, to
 * one above it. Of one that is not there yet, those above it count. Throws the system's error when it cannot be looked at.
 */
export function folderProblem({ userId }: Owner, folder: string): Distrust | undefined {
  const [missing] = missingFolders(folder)
  const there = missing === undefined ? folder : dirname(missing)
  const own = statSync(there)
  if (!own.isDirectory()) throw Object.assign(new Error(`${there} is not a folder`), { code: 'ENOTDIR' })
  // Windows has no such modes.
  if (userId === undefined) return undefined
  if (there === folder && own.uid !== userId)
    return { problem: `${folder} belongs to another user (id ${own.uid})`, command: undefined }
  for (const at of [there, ...foldersAbove(there), ...foldersAbove(realpathSync(there))]) {
    const stats = statSync(at)
    if (!isOpen(stats) || (stats.mode & 0o1000) !== 0) continue
    const where = at === folder ? '' : `, in which ${folder} lies`
    return {
      problem: `others can write to the folder ${at} (mode ${modeOf(stats)})${where}`,
      command: `chmod go-w ${shellWord(at)}`,
    }
  }
  return undefined
}

/**
 * Throws exit 10 when the folder of the runs cannot be used, or is not this user's alone; `waysOut` says what else there is.
 * One that is not there holds no runs.
 */
export function checkStateFolder(
  owner: Owner,
  folder: string,
  waysOut = 'name another folder with --state-dir or SVC_STATE_DIR',
): void {
  let distrust: Distrust | undefined
  try {
    distrust = folderProblem(owner, folder)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return
    throw fileError('local', `the state folder ${folder} cannot be used`, error, waysOut)
  }
  if (distrust !== undefined) throw new SvcError('local', distrust.problem, { hint: hintOf(distrust, waysOut) })
}

/** What to do about it: the command, or something else. */
export function hintOf({ command }: Distrust, otherwise: string): string {
  return command === undefined ? otherwise : `fix it with:\n  ${command}\nor ${otherwise}`
}

/** Whose files and folders are looked at. */
export type Owner = Pick<Host, 'userId'>

/** Whether others can write. */
export function isOpen({ mode }: Stats): boolean {
  return (mode & 0o022) !== 0
}

export function modeOf({ mode }: Stats): string {
  return (mode & 0o777).toString(8).padStart(4, '0')
}

function foldersAbove(path: string): string[] {
  const above = dirname(path)
  return above === path ? [] : [above, ...foldersAbove(above)]
}

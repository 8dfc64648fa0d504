/** Folders: makes them, syncs the names in them, removes hidden ones, and finds out whether one can still be written. */
import { dirname } from 'node:path'
import { systemCode } from '../errors.ts'
import type { Host } from '../host.ts'

/**
 * Makes the missing folders of a path, and syncs their names. Only this user can read them. Throws the system's error. Node's
 * recursive mkdir is not used, because it never ends in /proc.
 */
export function makeFolders(host: Host, path: string) {
  const { disk } = host
  // A broken link counts as existing.
  if (disk.lstatSync(path, { throwIfNoEntry: false }) !== undefined) return
  makeFolders(host, dirname(path))
  try {
    disk.mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another svc may have made the folder in the meantime.
    const isThere = systemCode(error) === 'EEXIST'
    if (!isThere || !disk.statSync(path).isDirectory()) throw error
  }
  syncFolder(host, dirname(path))
}

/** A folder that others own may not be opened, and some file systems cannot sync one. */
const harmlessCodes = ['EPERM', 'EACCES', 'EINVAL']

/** Syncs a folder, so that the names in it survive a crash. */
export function syncFolder({ disk }: Host, path: string) {
  let folder: number | undefined
  try {
    folder = disk.openSync(path, disk.constants.O_RDONLY)
    disk.fsyncSync(folder)
  } catch (error) {
    if (!harmlessCodes.includes(systemCode(error) ?? '')) throw error
  } finally {
    if (folder !== undefined) disk.closeSync(folder)
  }
}

/** Removes a hidden file or folder. If that fails, it stays, and the command goes on. */
export function removeHidden({ disk }: Host, path: string) {
  try {
    disk.rmSync(path, { recursive: true, force: true })
  } catch {
    // The next run that begins removes old folders of runs. Drafts of files stay.
  }
}

/** Linux's flag for a file without a name. Node has no constant for it. */
const O_TMPFILE = 0o20000000

/**
 * Throws the system's error if the file system of a folder has become read-only. After an error, ext4 still accepts writes that
 * do not need its log, and reports success for their sync. So this function creates a file without a name, which needs the
 * log and leaves nothing behind. Systems without such files are not checked.
 */
export function checkWritable({ disk }: Host, path: string) {
  try {
    const flags = O_TMPFILE | disk.constants.O_DIRECTORY | disk.constants.O_RDWR
    disk.closeSync(disk.openSync(path, flags, 0o600))
  } catch (error) {
    if (systemCode(error) === 'EROFS') throw error
  }
}

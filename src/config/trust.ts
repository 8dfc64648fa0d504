/**
 * Files and folders that svc trusts, judged as ssh judges its own: by owner and mode of the file itself, not of the folders
 * above it.
 */
import type { Stats } from 'node:fs'
import { SvcError, fileError } from '../errors.ts'
import type { Host } from '../host.ts'
import { shellWord } from '../words.ts'
import type { DiskHost } from '../world.ts'

/** The user whose files and folders are judged. */
export type Owner = Pick<Host, 'userId' | 'disk'>

/** The mode in four octal digits, as chmod takes it. */
function modeOf({ mode }: Stats) {
  return (mode & 0o7777).toString(8).padStart(4, '0')
}

/** Throws exit 2 if somebody other than this user and root can write to it. Windows has no such modes. */
export function refuseWritable({ userId }: Owner, path: string, stats: Stats) {
  const { uid, mode } = stats
  if (userId === undefined) return
  if (uid !== userId && uid !== 0)
    throw new SvcError('config', `${path} belongs to another user (owner id ${uid})`)
  if ((mode & 0o022) !== 0) throw openToOthers('write to', 'go-w', path, stats)
}

/** Throws exit 2 if others can read a file of this user that has a secret in it. */
export function refuseReadable({ userId }: Owner, path: string, stats: Stats) {
  if (stats.uid !== userId || (stats.mode & 0o077) === 0) return
  throw openToOthers('read', 'go-rwx', path, stats)
}

function openToOthers(verb: string, change: string, path: string, stats: Stats) {
  return new SvcError('config', `others can ${verb} ${path} (mode ${modeOf(stats)})`, {
    hint: `fix it with:\n  chmod ${change} ${shellWord(path)}`,
  })
}

/**
 * A regular file, opened only once, so that the file that is judged is the file that is read, and nothing can block. No
 * bytes for anything else, and for more than `most` bytes. Throws the system's error.
 */
export function readRegular(
  { disk }: DiskHost,
  path: string,
  most: number,
): { stats: Stats; bytes: Buffer | undefined } {
  const { O_RDONLY, O_NONBLOCK } = disk.constants
  const file = disk.openSync(path, O_RDONLY | O_NONBLOCK)
  try {
    const stats = disk.fstatSync(file)
    const isReadable = stats.isFile() && stats.size <= most
    return { stats, bytes: isReadable ? disk.readFileSync(file) : undefined }
  } finally {
    disk.closeSync(file)
  }
}

/** A configuration and a secret have a few kilobytes; what is larger is another file. */
const largest = 1024 * 1024

/** A file that nobody else can write to. Throws exit 2 if it cannot be read or trusted. */
export function readTrusted(owner: Owner, path: string): { stats: Stats; bytes: Buffer } {
  try {
    const { stats, bytes } = readRegular(owner, path, largest)
    if (!stats.isFile()) throw new SvcError('config', `${path} is not a regular file`)
    if (bytes === undefined) throw new SvcError('config', `${path} is larger than 1 MB`)
    refuseWritable(owner, path, stats)
    return { stats, bytes }
  } catch (error) {
    throw fileError('config', `${path} cannot be read`, error)
  }
}

/**
 * Throws exit 2 if the state folder, or one of svc's own folders in it, cannot be used: it is not a folder, is a link, is
 * not the user's, or others can write to it. A missing folder is fine: svc makes it for this user alone.
 */
export function checkStateFolder(owner: Owner, folder: string) {
  const wayOut = 'name another folder in SVC_STATE_DIR'
  const refuse = (problem: string): never => {
    throw new SvcError('config', `the state folder ${folder} ${problem}`, { hint: wayOut })
  }
  try {
    const stats = owner.disk.lstatSync(folder, { throwIfNoEntry: false })
    if (stats === undefined) return
    if (!stats.isDirectory()) refuse('is not a folder')
    if (owner.userId !== undefined && stats.uid !== owner.userId)
      refuse(`belongs to another user (owner id ${stats.uid})`)
    refuseWritable(owner, folder, stats)
  } catch (error) {
    throw fileError('config', `the state folder ${folder} cannot be used`, error, wayOut)
  }
}

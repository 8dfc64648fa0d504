/**
 * Files and folders that svc trusts, judged as ssh judges its own: by owner and mode of the file itself, not of the folders
 * above it.
 */
import type { Stats } from 'node:fs'
import { SvcError, fileError } from '../errors.ts'
import type { Host } from '../host.ts'
import { shellWord } from '../words.ts'

/** The user whose files and folders are judged. */
export type Owner = Pick<Host, 'userId' | 'disk'>

/** Throws exit 2 if somebody other than this user and root can write to it. Windows has no such modes. */
export function refuseWritable({ userId }: Owner, path: string, { uid, mode }: Stats) {
  if (userId === undefined) return
  if (uid !== userId && uid !== 0)
    throw new SvcError('config', `${path} belongs to another user (owner id ${uid})`)
  if ((mode & 0o022) !== 0) throw openToOthers('write to', 'go-w', path)
}

/** Throws exit 2 if others can read a file of this user that has a secret in it. */
export function refuseReadable({ userId }: Owner, path: string, { uid, mode }: Stats) {
  if (uid === userId && (mode & 0o077) !== 0) throw openToOthers('read', 'go-rwx', path)
}

function openToOthers(verb: string, change: string, path: string) {
  return new SvcError('config', `others can ${verb} ${path}`, {
    hint: `fix it with:\n  chmod ${change} ${shellWord(path)}`,
  })
}

/** A configuration and a secret have a few kilobytes; what is larger is another file. */
const largest = 1024 * 1024

/**
 * A regular file that nobody else can write to. It is opened only once, so that the file that is judged is the file that is
 * read, and nothing can block. Throws exit 2 if it cannot be read or trusted.
 */
export function readTrusted(owner: Owner, path: string): { stats: Stats; bytes: Buffer } {
  const { disk } = owner
  const { O_RDONLY, O_NONBLOCK } = disk.constants
  let file: number | undefined
  try {
    file = disk.openSync(path, O_RDONLY | O_NONBLOCK)
    const stats = disk.fstatSync(file)
    if (!stats.isFile() || stats.size > largest)
      throw new SvcError('config', `${path} is not a regular file of at most 1 MB`)
    refuseWritable(owner, path, stats)
    return { stats, bytes: disk.readFileSync(file) }
  } catch (error) {
    throw fileError('config', `${path} cannot be read`, error)
  } finally {
    if (file !== undefined) disk.closeSync(file)
  }
}

/**
 * Throws exit 2 if the state folder, or one of svc's own folders in it, cannot be used: it is not a folder, is a link, is
 * not the user's, or others can write to it. A missing folder is fine: svc makes it for this user alone.
 */
export function checkStateFolder(owner: Owner, folder: string) {
  const hint = 'name another folder in SVC_STATE_DIR'
  const refuse = (problem: string) =>
    new SvcError('config', `the state folder ${folder} ${problem}`, { hint })
  try {
    const stats = owner.disk.lstatSync(folder, { throwIfNoEntry: false })
    if (stats === undefined) return
    if (!stats.isDirectory()) throw refuse('is not a folder')
    refuseWritable(owner, folder, stats)
  } catch (error) {
    throw fileError('config', `the state folder ${folder} cannot be used`, error, hint)
  }
}

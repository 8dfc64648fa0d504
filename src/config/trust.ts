/**
 * Checks that nobody else can write to a file that svc trusts (configuration, secret, certificates), to its
 * folder, or to one of svc's own folders.
 */
import type { Stats } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { SvcError, fileError, folderError } from '../errors.ts'
import type { Host } from '../host.ts'
import { shellWord } from '../words.ts'
import type { DiskHost } from '../world.ts'

/** The user whose files and folders are checked. */
export type Owner = Pick<Host, 'userId' | 'disk'>

/** A problem in words, and the command that fixes it if there is one. */
interface Distrust {
  problem: string
  command?: string
}

/**
 * Why somebody other than the user and root can change or replace the file at an absolute path. It is safe if the file and
 * its folder belong to the user or root, and nobody else can write to them; root's sticky folders are safe too. A link is
 * judged by itself and by its target. Throws the system's error if it cannot be checked.
 */
export function findDistrust(owner: Owner, path: string): Distrust | undefined {
  const { disk, userId } = owner
  const folder = dirname(path)
  const above = disk.lstatSync(folder, { throwIfNoEntry: false })
  // Windows has no such modes.
  if (userId === undefined || above === undefined) return undefined
  const ofFolder =
    judge(owner, folder, above) ?? judge(owner, folder, disk.statSync(folder))
  const stats = disk.lstatSync(path, { throwIfNoEntry: false })
  if (ofFolder !== undefined || stats === undefined) return ofFolder
  const distrust = judge(owner, path, stats)
  if (distrust !== undefined || !stats.isSymbolicLink()) return distrust
  return findDistrust(owner, resolve(disk.realpathSync(folder), disk.readlinkSync(path)))
}

/** Judges a file or folder alone. `isStrict`: root and sticky folders are not trusted. The mode of a link says nothing. */
function judge(
  { userId }: Owner,
  at: string,
  stats: Stats,
  isStrict = false,
): Distrust | undefined {
  const { uid, gid, mode } = stats
  const ids = `(owner id ${uid}, group id ${gid}, mode ${modeOf(stats)})`
  if (uid !== userId && (isStrict || uid !== 0))
    return { problem: `${at} belongs to another user ${ids}` }
  const isSticky = stats.isDirectory() && uid === 0 && (mode & 0o1000) !== 0
  const isWritable = (mode & 0o022) !== 0 && (isStrict || !isSticky)
  if (!isWritable || stats.isSymbolicLink()) return undefined
  const problem = `others can write to ${at} ${ids}`
  const mayChange = uid === userId || userId === 0
  return mayChange ? { problem, command: `chmod go-w ${shellWord(at)}` } : { problem }
}

/** The mode in four octal digits, as chmod takes it. */
export function modeOf({ mode }: Stats) {
  const bits = mode & 0o7777
  return bits.toString(8).padStart(4, '0')
}

/** Throws exit 2 for a distrust. Its hint has the command that fixes it, if there is one, and then `wayOut`. */
export function refuseDistrust(distrust: Distrust | undefined, wayOut: string) {
  if (distrust === undefined) return
  const { problem, command } = distrust
  const hint = command === undefined ? wayOut : `fix it with:\n  ${command}\nor ${wayOut}`
  throw new SvcError('config', problem, { hint })
}

/**
 * The bytes of a file that is opened only once, so that the file that is checked is the file that is read. Only a regular
 * file is read, so that nothing can block. Undefined for anything else, and for more than `most` bytes. Throws the system's
 * error.
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
    const bytes = isReadable ? disk.readFileSync(file) : undefined
    return { stats, bytes }
  } finally {
    disk.closeSync(file)
  }
}

/**
 * The bytes of a file that svc trusts. The file is judged through the descriptor by which it is read, and so is its folder.
 * `wayOut`: what to do if it cannot be used. Throws exit 2.
 */
export function readTrusted(
  owner: Owner,
  path: string,
  { most, wayOut }: { most: number; wayOut: string },
): { stats: Stats; bytes: Buffer } {
  const refuse = (problem: string): never => {
    throw new SvcError('config', `${path} ${problem}`, { hint: wayOut })
  }
  try {
    const { stats, bytes } = readRegular(owner, path, most)
    if (!stats.isFile()) return refuse('is not a regular file')
    if (bytes === undefined) return refuse(`is larger than ${most / 2 ** 20} MB`)
    if (owner.userId !== undefined)
      refuseDistrust(judge(owner, path, stats) ?? findDistrust(owner, path), wayOut)
    return { stats, bytes }
  } catch (error) {
    throw fileError('config', `${path} cannot be read`, error, wayOut)
  }
}

/**
 * Throws exit 2 if the state folder, or one of svc's own folders in it, cannot be used: it is not a folder, is a link, is
 * not the user's, or others can write to it. A missing folder is fine: svc makes it for this user alone.
 */
export function checkStateFolder(owner: Owner, folder: string) {
  const wayOut = 'name another folder with --state-dir or SVC_STATE_DIR'
  try {
    const stats = owner.disk.lstatSync(folder, { throwIfNoEntry: false })
    if (stats === undefined) return
    if (stats.isSymbolicLink() || !stats.isDirectory())
      throw new SvcError('config', `the state folder is not a folder: ${folder}`, {
        hint: wayOut,
      })
    if (owner.userId !== undefined)
      refuseDistrust(judge(owner, folder, stats, true), wayOut)
  } catch (error) {
    throw folderError(`the state folder ${folder} cannot be used`, error, wayOut)
  }
}

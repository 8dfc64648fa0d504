/**
 * The one check whether others can write to a place: a file that decides trust (configuration, secret,
 * certificates) and the folder it is in, or one of svc's own folders.
 */
import type { Stats } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileError, folderError } from '../errno.ts'
import { SvcError } from '../errors.ts'
import type { Host } from '../host.ts'
import { shellWord } from '../words.ts'
import type { DiskHost } from '../world.ts'

/** The user whose files and folders are checked. */
export type Owner = Pick<Host, 'userId' | 'disk'>

/** A problem in words, and the command that fixes it where there is one. */
interface Distrust {
  readonly problem: string
  readonly command: string | undefined
}

/**
 * Why somebody other than the user and root can change the file at an absolute path or put another in its place: it and the folder it is in
 * belong to the user or root, and nobody else writes to them, but for root's sticky folders. A link is judged as itself and as its target.
 * Throws the system's error if it cannot be checked.
 */
export function findDistrust(owner: Owner, path: string): Distrust | undefined {
  // Windows has no such modes.
  if (owner.userId === undefined) return undefined
  let at = path
  for (let links = 0; links <= mostLinks; links += 1) {
    const folder = dirname(at)
    const distrust = findFolderDistrust(owner, folder)
    if (distrust !== undefined) return distrust
    const stats = owner.disk.lstatSync(at, { throwIfNoEntry: false })
    if (stats === undefined) return undefined
    if (!stats.isSymbolicLink()) return judge(owner, at, stats)
    if (!isTrusted(owner, stats)) return judge(owner, at, stats)
    at = resolve(owner.disk.realpathSync(folder), owner.disk.readlinkSync(at))
  }
  const error = new Error(`too many links in ${path}`)
  throw Object.assign(error, { code: 'ELOOP' })
}

/** As many as Linux follows. */
const mostLinks = 40

/** Why somebody else can change what is in a folder; undefined too for one that is not there. */
export function findFolderDistrust(owner: Owner, folder: string): Distrust | undefined {
  if (owner.userId === undefined) return undefined
  const link = owner.disk.lstatSync(folder, { throwIfNoEntry: false })
  if (link === undefined) return undefined
  if (!isTrusted(owner, link)) return judge(owner, folder, link)
  const stats = owner.disk.statSync(folder, { throwIfNoEntry: false })
  return stats && judge(owner, folder, stats)
}

function isTrusted({ userId }: Owner, { uid }: Stats): boolean {
  return uid === userId || uid === 0
}

function judge(owner: Owner, at: string, stats: Stats): Distrust | undefined {
  const { uid, mode } = stats
  if (!isTrusted(owner, stats)) return { problem: foreign(at, stats), command: undefined }
  const isSticky = stats.isDirectory() && uid === 0 && (mode & 0o1000) !== 0
  if ((mode & 0o022) === 0 || isSticky) return undefined
  return writable(owner, at, stats)
}

function foreign(at: string, stats: Stats): string {
  return `${at} belongs to another user ${idsOf(stats)}`
}

function writable({ userId }: Owner, at: string, stats: Stats): Distrust {
  const mayChange = stats.uid === userId || userId === 0
  return {
    problem: `others can write to ${at} ${idsOf(stats)}`,
    command: mayChange ? `chmod go-w ${shellWord(at)}` : undefined,
  }
}

function idsOf(stats: Stats): string {
  return `(owner id ${stats.uid}, group id ${stats.gid}, mode ${modeOf(stats)})`
}

/** The mode in four octal digits, as chmod takes it. */
export function modeOf({ mode }: Stats): string {
  const bits = mode & 0o7777
  return bits.toString(8).padStart(4, '0')
}

/** An error with the command that fixes it, where there is one, before another way out. */
export function distrustError({ problem, command }: Distrust, wayOut: string): SvcError {
  const hint = command === undefined ? wayOut : `fix it with:\n  ${command}\nor ${wayOut}`
  return new SvcError('config', problem, { hint })
}

/**
 * The bytes of a file that is opened only once, so that the file that is checked is the file that is read. Only a regular file is read, so
 * that nothing can block. Undefined for anything else, and for more than `most` bytes. Throws the system's error.
 */
export function readRegular(
  { disk }: DiskHost,
  path: string,
  most: number,
  links: 'followed' | 'refused' = 'followed',
): { readonly stats: Stats; readonly bytes: Buffer | undefined } {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = disk.constants
  const file = disk.openSync(
    path,
    O_RDONLY | O_NONBLOCK | (links === 'refused' ? O_NOFOLLOW : 0),
  )
  try {
    const stats = disk.fstatSync(file)
    const isReadable = stats.isFile() && stats.size <= most
    const bytes = isReadable ? disk.readFileSync(file) : undefined
    return { stats, bytes }
  } finally {
    disk.closeSync(file)
  }
}

/** A look at a file. `wayOut` says what to do when it cannot be used. */
interface TrustedRead {
  readonly most: number
  readonly wayOut: string
}

/**
 * The bytes of a file that decides trust, judged through the descriptor by which it is read, and with its folder. Throws exit 2.
 */
export function readTrusted(
  owner: Owner,
  path: string,
  { most, wayOut }: TrustedRead,
): { readonly stats: Stats; readonly bytes: Buffer } {
  const unusable = (problem: string): SvcError =>
    new SvcError('config', `${path} ${problem}`, { hint: wayOut })
  try {
    const { stats, bytes } = readRegular(owner, path, most)
    if (!stats.isFile()) throw unusable('is not a regular file')
    if (bytes === undefined) throw unusable(`is larger than ${most / 2 ** 20} MB`)
    if (owner.userId === undefined) return { stats, bytes }
    const distrust = judge(owner, path, stats) ?? findDistrust(owner, path)
    if (distrust !== undefined) throw distrustError(distrust, wayOut)
    return { stats, bytes }
  } catch (error) {
    throw fileError('config', `${path} cannot be read`, error, wayOut)
  }
}

const waysOut = 'name another folder with --state-dir or SVC_STATE_DIR'

/**
 * Throws exit 2 if the state folder, or one of svc's own in it, cannot be used: it is not a folder, or a link, or it is not the user's, or others
 * can write to it. One that does not exist is made for this user alone.
 */
export function checkStateFolder(owner: Owner, folder: string): void {
  const refuse = (problem: string): never => {
    throw new SvcError('config', problem, { hint: waysOut })
  }
  try {
    const stats = owner.disk.lstatSync(folder, { throwIfNoEntry: false })
    if (stats === undefined) return
    if (stats.isSymbolicLink()) {
      const target = owner.disk.readlinkSync(folder)
      refuse(`the state folder is a symbolic link: ${folder} -> ${target}`)
    }
    if (!stats.isDirectory()) refuse(`not a folder: ${folder}`)
    if (owner.userId === undefined) return
    if (stats.uid !== owner.userId) refuse(foreign(folder, stats))
    if ((stats.mode & 0o022) !== 0)
      throw distrustError(writable(owner, folder, stats), waysOut)
  } catch (error) {
    throw folderError(`the state folder ${folder} cannot be used`, error, waysOut)
  }
}

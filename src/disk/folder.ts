/**
 * Folders for svc's own things: made where missing, refused where somebody else decides what lies in them, synced. Configuration, runs and
 * policies ask here before they believe a file or write one. Callers: `config/load.ts`, `bulk/runs/folders.ts`, `plans/policy-files.ts`,
 * and `whole-file.ts`, which syncs.
 *
 * The rule: a user who can write to a folder can replace every file in it, and one who can write to a folder above it can replace the folder. So
 * all folders up to the root are looked at, by the names that were typed and by those that links lead to.
 */
import type { Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { folderError } from '../errno.ts'
import { SvcError, systemCode } from '../errors.ts'
import { shellWord } from '../words.ts'
import type { Disk, DiskHost } from '../world.ts'
import { findOpenPlace, isOpen, missingFolders, type Owner } from './way.ts'

/** A problem in words, and the command that fixes it where there is one. */
export interface Distrust {
  readonly problem: string
  readonly command: string | undefined
}

/** Makes folders for this user alone. Throws the system's error. (Node's own recursive mkdir never ends in /proc.) */
export function makeFolders(host: DiskHost, path: string): void {
  for (const folder of missingFolders(host, path)) {
    try {
      host.disk.mkdirSync(folder, { mode: 0o700 })
    } catch (error) {
      // Another svc was quicker.
      if (systemCode(error) !== 'EEXIST') throw error
      const stats = host.disk.statSync(folder)
      if (!stats.isDirectory()) throw error
    }
  }
}

/** The flag of Linux for a file without a name, for which Node has no constant. */
const O_TMPFILE = 0o20000000

/**
 * Throws the system's error when nothing can be created in a folder. A file system that turns read-only during a sync may call it done
 * although nothing is on disk: ext4 does, and keeps accepting what needs no journal of its own. A file without a name needs it, and
 * leaves nothing behind. Where there are no such files nothing is checked.
 */
export function checkWritable({ disk }: DiskHost, path: string): void {
  try {
    const flags = O_TMPFILE | disk.constants.O_DIRECTORY | disk.constants.O_RDWR
    disk.closeSync(disk.openSync(path, flags, 0o600))
  } catch (error) {
    if (!hasNoSuchFiles.includes(systemCode(error) ?? '')) throw error
  }
}

const hasNoSuchFiles = ['EISDIR', 'EINVAL', 'EOPNOTSUPP', 'ENOTSUP', 'ENOENT', 'EPERM', 'EACCES']

/** Makes the names in a folder last. */
export async function syncFolder(host: DiskHost, path: string): Promise<void> {
  // A folder cannot be opened on Windows; its entries are safe there without.
  let folder: FileHandle
  try {
    folder = await host.disk.promises.open(path, host.disk.constants.O_RDONLY)
  } catch (error) {
    const code = systemCode(error)
    if (code === 'EISDIR' || code === 'EPERM') return
    throw error
  }
  try {
    await folder.sync()
  } catch (error) {
    const code = systemCode(error)
    if (code !== 'EINVAL' && code !== 'EPERM') throw error
  } finally {
    await folder.close()
  }
}

/**
 * Why others decide what lies in a folder. It and those above it are the user's or root's. Its group may write to one that is the
 * user's when that is the user's private group, and to one of root's when the user is in it (a volume of a scheduler); everybody
 * only where a sticky bit keeps them from the things of others. `mustBeOwned`: the folder itself must be the user's. Of one that
 * is not there yet, those above it count. Throws the system's error when it cannot be looked at.
 */
export function folderProblem(
  owner: Owner,
  folder: string,
  mustBeOwned = true,
): Distrust | undefined {
  const [missing] = missingFolders(owner, folder)
  const there = missing === undefined ? folder : dirname(missing)
  if (!owner.disk.statSync(there).isDirectory()) {
    const error = new Error(`${there} is not a folder`)
    throw Object.assign(error, { code: 'ENOTDIR' })
  }
  // Windows has no such modes.
  if (owner.userId === undefined) return undefined
  const realAbove = foldersAbove(owner.disk.realpathSync(there))
  for (const at of [there, ...foldersAbove(there), ...realAbove]) {
    const stats = owner.disk.statSync(at)
    const isOwn = mustBeOwned && at === folder
    const weakness = weaknessOf(owner, stats, isOwn)
    if (weakness === undefined) continue
    const where = at === folder ? '' : `, in which ${folder} lies`
    if (weakness === 'other-owner') {
      const problem = `${at} belongs to another user (${describeOwner(stats)})${where}`
      return { problem, command: undefined }
    }
    const mayChange = stats.uid === owner.userId || owner.userId === 0
    return {
      problem: `others can write to the folder ${at} (${describeOwner(stats)})${where}`,
      command: mayChange ? closeCommand(at) : undefined,
    }
  }
  return undefined
}

/**
 * Why others can write a file or put another in its place. `own`: it and its folder are the user's; `trusted`: they may be root's;
 * `named`: so may the file, and it lies where it lies. Throws the system's error when it cannot be looked at.
 */
export function writersProblem(
  host: Owner,
  path: string,
  stats: Stats,
  kind: 'own' | 'trusted' | 'named',
): Distrust | undefined {
  if (host.userId === undefined) return undefined
  if (stats.uid !== host.userId && (kind === 'own' || stats.uid !== 0)) {
    return { problem: `${path} belongs to another user (id ${stats.uid})`, command: undefined }
  }
  if (isOpen(stats)) {
    const problem = `${path} can be written by others (mode ${modeOf(stats)})`
    return { problem, command: closeCommand(path) }
  }
  // A symbolic link leads to where the file really lies.
  const places = kind === 'named' ? [] : [path, host.disk.realpathSync(path)]
  const problems = places.map((at) => folderProblem(host, dirname(at), kind === 'own'))
  return problems.find((problem) => problem !== undefined)
}

/** Why somebody else than a user and root can write a file or put another in its place. Throws the system's error when it cannot be looked at. */
export function soleWriterProblem(owner: Owner, path: string): Distrust | undefined {
  const place = findOpenPlace(owner, path)
  if (place === undefined) return undefined
  const { kind, at, stats } = place
  const way = at === path ? '' : `, on the way to ${path}`
  const details = `(${describeOwner(stats)})${way}`
  if (kind === 'other-owner')
    return { problem: `${at} belongs to another user ${details}`, command: undefined }
  return { problem: `others can write to ${at} ${details}`, command: closeCommand(at) }
}

function describeOwner(stats: Stats): string {
  return `owner id ${stats.uid}, group id ${stats.gid}, mode ${modeOf(stats)}`
}

/** The command after which only the owner can write. */
function closeCommand(path: string): string {
  return `chmod go-w ${shellWord(path)}`
}

/** Why others decide what lies in this one folder, if they do. A sticky bit keeps each to the things that are theirs. */
function weaknessOf(
  { userId, disk, groupIds = [] }: Owner,
  { uid, gid, mode }: Stats,
  mustBeOwned: boolean,
): 'other-owner' | 'open' | undefined {
  const isTrusted = uid === userId || (uid === 0 && !mustBeOwned)
  if (!isTrusted) return 'other-owner'
  const isSticky = (mode & 0o1000) !== 0
  if (isSticky || !isOpen({ mode })) return undefined
  const mayEverybodyWrite = (mode & 0o002) !== 0
  if (mayEverybodyWrite) return 'open'
  const isOfUser = uid === userId
  const isGroupTrusted = isOfUser ? isPrivateGroup(disk, gid, uid) : groupIds.includes(gid)
  return isGroupTrusted ? undefined : 'open'
}

/** Whether a group has the number of the user, or the name. */
function isPrivateGroup(disk: Disk, gid: number, uid: number): boolean {
  if (gid === uid) return true
  const userName = nameIn(disk, '/etc/passwd', uid)
  return userName !== undefined && userName === nameIn(disk, '/etc/group', gid)
}

/** The first field of the line whose third is `id`; undefined where there is none. */
function nameIn(disk: Disk, path: string, id: number): string | undefined {
  try {
    const lines = disk.readFileSync(path, 'utf8').split('\n')
    const rows = lines.map((line) => line.split(':'))
    const row = rows.find((fields) => fields[2] === String(id))
    return row?.[0]
  } catch {
    return undefined
  }
}

/** Throws exit 2 when the runs' folder is unusable, or others decide what lies in it; `waysOut` says what to do. */
export function checkStateFolder(
  owner: Owner,
  folder: string,
  waysOut = 'name another folder with --state-dir or SVC_STATE_DIR',
): void {
  let distrust: Distrust | undefined
  try {
    distrust = folderProblem(owner, folder, false)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return
    throw folderError(`the state folder ${folder} cannot be used`, error, waysOut)
  }
  if (distrust === undefined) return
  const ways = `${waysOut}; a volume must belong to the user, or to root and a group of the user (fsGroup)`
  throw new SvcError('config', distrust.problem, { hint: hintOf(distrust, ways) })
}

/** Advice: the command that fixes it, or something else. */
export function hintOf({ command }: Distrust, otherwise: string): string {
  return command === undefined ? otherwise : `fix it with:\n  ${command}\nor ${otherwise}`
}

/** The mode in four octal digits, as chmod takes it. */
export function modeOf({ mode }: Stats): string {
  const bits = mode & 0o7777
  return bits.toString(8).padStart(4, '0')
}

/** All folders above a path, the nearest first. */
function foldersAbove(path: string): string[] {
  const above = dirname(path)
  if (above === path) return []
  return [above, ...foldersAbove(above)]
}

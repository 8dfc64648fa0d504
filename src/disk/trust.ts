/**
 * The one check whether others can write to a place: a file that decides trust (configuration, certificates), or one of svc's own
 * folders. A user who can write to a folder can replace everything in it. So the check covers everything on the way: each folder, each link,
 * and the file itself. `config/load.ts`, `config/network.ts`, `bulk/record/runs.ts` and `config/code-folder.ts`
 * call it.
 */
import type { Stats } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { fileError, folderError } from '../errno.ts'
import { SvcError } from '../errors.ts'
import type { Host } from '../host.ts'
import { shellWord } from '../words.ts'
import type { Disk, DiskHost } from '../world.ts'

/** The user whose files and folders are checked. */
export type Owner = Pick<Host, 'userId' | 'groupIds' | 'disk'>

/** A problem in words, and the command that fixes it where there is one. */
interface Distrust {
  readonly problem: string
  readonly command: string | undefined
}

/**
 * Everything belongs to the user or root. `usual`: a folder's group may write to it when it is the user's private group, or the folder is
 * root's and the user is in the group (a volume of a scheduler); everybody may only where a sticky bit keeps them from the things of
 * others. `strict`: nobody else writes, by no group and in no sticky folder.
 */
type Rule = 'usual' | 'strict'

/**
 * Why somebody other than the user and root can change an absolute path. If the path does not exist yet, the folders above it count.
 * Throws the system's error if it cannot be checked.
 */
export function findDistrust(
  owner: Owner,
  path: string,
  rule: Rule = 'usual',
): Distrust | undefined {
  // Windows has no such modes.
  if (owner.userId === undefined) return undefined
  for (const [at, stats] of wayTo(owner.disk, path)) {
    const distrust = judge(owner, { at, path, stats, rule })
    if (distrust !== undefined) return distrust
  }
  return undefined
}

/** Every folder and link that is there on the way to a path, and what is there itself. */
function* wayTo(disk: Disk, path: string): Generator<[string, Stats]> {
  let at = '/'
  yield [at, disk.lstatSync(at)]
  let links = 0
  for (let rest = path.split('/'); rest.length > 0;) {
    const [name = '', ...more] = rest
    rest = more
    if (name === '' || name === '.') continue
    const next = name === '..' ? dirname(at) : join(at, name)
    const stats = disk.lstatSync(next, { throwIfNoEntry: false })
    if (stats === undefined) return
    yield [next, stats]
    if (!stats.isSymbolicLink()) {
      at = next
      continue
    }
    links += 1
    if (links > mostLinks) {
      const error = new Error(`too many links in ${path}`)
      throw Object.assign(error, { code: 'ELOOP' })
    }
    const target = disk.readlinkSync(next)
    rest = [...target.split('/'), ...more]
    if (isAbsolute(target)) at = '/'
  }
}

/** As many as Linux follows. */
const mostLinks = 40

interface JudgedPlace {
  readonly at: string
  readonly path: string
  readonly stats: Stats
  readonly rule: Rule
}

function judge(owner: Owner, { at, path, stats, rule }: JudgedPlace): Distrust | undefined {
  const { uid, gid } = stats
  const way = at === path ? '' : `, on the way to ${path}`
  const details = `(owner id ${uid}, group id ${gid}, mode ${modeOf(stats)})${way}`
  const isTrusted = uid === owner.userId || uid === 0
  if (!isTrusted) {
    return { problem: `${at} belongs to another user ${details}`, command: undefined }
  }
  if (stats.isSymbolicLink() || !canOthersWrite(owner, stats, rule)) return undefined
  const mayChange = uid === owner.userId || owner.userId === 0
  return {
    problem: `others can write to ${at} ${details}`,
    command: mayChange ? `chmod go-w ${shellWord(at)}` : undefined,
  }
}

function canOthersWrite(
  { userId, disk, groupIds = [] }: Owner,
  stats: Stats,
  rule: Rule,
): boolean {
  const { uid, gid, mode } = stats
  if ((mode & 0o022) === 0) return false
  if (rule === 'strict' || !stats.isDirectory()) return true
  const isSticky = (mode & 0o1000) !== 0
  if (isSticky) return false
  const mayEverybodyWrite = (mode & 0o002) !== 0
  if (mayEverybodyWrite) return true
  return uid === userId ? !isPrivateGroup(disk, gid, uid) : !groupIds.includes(gid)
}

/** Whether a group has the number of the user, or the name. */
function isPrivateGroup(disk: Disk, gid: number, uid: number): boolean {
  if (gid === uid) return true
  const userName = nameIn(disk, '/etc/passwd', uid)
  return userName !== undefined && userName === nameIn(disk, '/etc/group', gid)
}

/** The first field of the line whose third is `id`; undefined if there is no such line. */
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
interface Look {
  readonly most: number
  readonly rule?: Rule
  readonly wayOut: string
}

/**
 * The bytes of a file that decides trust, judged through the descriptor by which it is read, and by its way. Throws exit 2.
 */
export function readTrusted(
  owner: Owner,
  path: string,
  { most, rule = 'usual', wayOut }: Look,
): { readonly stats: Stats; readonly bytes: Buffer } {
  const unusable = (problem: string): SvcError =>
    new SvcError('config', `${path} ${problem}`, { hint: wayOut })
  try {
    const { stats, bytes } = readRegular(owner, path, most)
    if (!stats.isFile()) throw unusable('is not a regular file')
    if (bytes === undefined) throw unusable(`is larger than ${most / 2 ** 20} MB`)
    if (owner.userId === undefined) return { stats, bytes }
    const distrust =
      judge(owner, { at: path, path, stats, rule }) ?? findDistrust(owner, path, rule)
    if (distrust !== undefined) throw distrustError(distrust, wayOut)
    return { stats, bytes }
  } catch (error) {
    throw fileError('config', `${path} cannot be read`, error, wayOut)
  }
}

const waysOut = 'name another folder with --state-dir or SVC_STATE_DIR'

/**
 * Throws exit 2 if the state folder, or one of svc's `own` folders in it, cannot be used: it is not a folder, or a link, or others can change its
 * content. For a folder that does not exist, the folders above it count.
 */
export function checkStateFolder(owner: Owner, folder: string, isOwn = false): void {
  const refuse = (problem: string, hint = waysOut): never => {
    throw new SvcError('config', problem, { hint })
  }
  try {
    const stats = owner.disk.lstatSync(folder, { throwIfNoEntry: false })
    if (stats?.isSymbolicLink() === true) {
      const target = owner.disk.readlinkSync(folder)
      refuse(`the state folder is a symbolic link: ${folder} -> ${target}`)
    }
    if (stats?.isDirectory() === false) refuse(`not a folder: ${folder}`)
    const isOthers = isOwn && owner.userId !== undefined && stats?.uid !== owner.userId
    if (stats !== undefined && isOthers) refuse(`${folder} belongs to another user`)
    const distrust = findDistrust(owner, folder, 'usual')
    if (distrust === undefined) return
    const volumes =
      'a volume must belong to the user, or to root and a group of the user (fsGroup)'
    throw distrustError(distrust, `${waysOut}; ${volumes}`)
  } catch (error) {
    throw folderError(`the state folder ${folder} cannot be used`, error, waysOut)
  }
}

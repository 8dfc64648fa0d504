/**
 * The way to a file or folder: what of it is there, and who else can write on it. Without words, which take longer to load than to look.
 * `folder.ts` refuses in words what it finds; `program/code-folder.ts` and `bulk/runs/folders.ts` ask it alone.
 */
import type { Stats } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import type { Host } from '../host.ts'
import type { Disk, DiskHost } from '../world.ts'

/** The user whose files and folders are looked at. */
export type Owner = Pick<Host, 'userId' | 'groupIds' | 'disk'>

/** A folder and those above it, as far as they are not there; the topmost first. A link to nothing is there, and in the way. */
export function missingFolders(host: DiskHost, path: string): string[] {
  const stats = host.disk.lstatSync(path, { throwIfNoEntry: false })
  if (stats !== undefined) return []
  return [...missingFolders(host, dirname(path)), path]
}

/** A folder, link or file at which somebody else than a user and root can write. */
export interface OpenPlace {
  readonly kind: 'other-owner' | 'open'
  readonly at: string
  readonly stats: Stats
}

/**
 * The first place on the way to a file, itself included, at which others could put another in its place: it, every folder above it, and every
 * link on the way belong to the user or root, and nobody else may write, by no group and no sticky folder. Throws the system's error when
 * it cannot be looked at.
 */
export function findOpenPlace({ userId, disk }: Owner, path: string): OpenPlace | undefined {
  if (userId === undefined) return undefined
  for (const at of wayTo(disk, path)) {
    const stats = disk.lstatSync(at)
    const isTrusted = stats.uid === userId || stats.uid === 0
    if (!isTrusted) return { kind: 'other-owner', at, stats }
    if (!stats.isSymbolicLink() && isOpen(stats)) return { kind: 'open', at, stats }
  }
  return undefined
}

/** Every folder and link that is passed on the way to a file, and the file itself. */
function* wayTo(disk: Disk, path: string): Generator<string> {
  let at = '/'
  yield at
  let links = 0
  for (let rest = path.split('/'); rest.length > 0;) {
    const [name = '', ...more] = rest
    rest = more
    if (name === '' || name === '.') continue
    const next = name === '..' ? dirname(at) : join(at, name)
    yield next
    if (!disk.lstatSync(next).isSymbolicLink()) {
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

/** Whether others can write. */
export function isOpen({ mode }: Pick<Stats, 'mode'>): boolean {
  return (mode & 0o022) !== 0
}

/**
 * The bytes of a file that somebody else wrote: what is looked at is what is read, and nothing but a regular file is ever waited for.
 * Undefined for what is no regular file, and for one of more than `most` bytes. Throws the system's error.
 */
export function readRegular(
  { disk }: Pick<Host, 'disk'>,
  path: string,
  most: number,
): { readonly stats: Stats; readonly bytes: Buffer | undefined } {
  // Links are followed: a person may keep such a file wherever it is convenient.
  const nonBlocking = disk.constants.O_NONBLOCK ?? 0
  const file = disk.openSync(path, disk.constants.O_RDONLY | nonBlocking)
  try {
    const stats = disk.fstatSync(file)
    const isReadable = stats.isFile() && stats.size <= most
    const bytes = isReadable ? disk.readFileSync(file) : undefined
    return { stats, bytes }
  } finally {
    disk.closeSync(file)
  }
}

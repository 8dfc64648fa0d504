/**
 * Files of a run as they are read and replaced: opened so that nothing keeps the reader waiting, never through a symbolic link. `journal.ts`,
 * `replay.ts` and `run-files.ts` call it.
 */
import { basename, dirname, join } from 'node:path'
import { keptError } from '../../errno.ts'
import { SvcError } from '../../errors.ts'
import { newToken, writeNew, type DraftHost, type Pieces } from '../../disk/whole.ts'
import type { Disk, DiskHost } from '../../world.ts'

/** A flag for opening: not through a symbolic link. Windows has none. */
export const noFollow = ({ constants }: Disk): number => constants.O_NOFOLLOW ?? 0

/** The same, and not waiting: a FIFO in a file's place would keep an ordinary open waiting. */
function noWait(disk: Disk): number {
  const nonBlocking = disk.constants.O_NONBLOCK ?? 0
  return noFollow(disk) | nonBlocking
}

/** Writes all of it without a trip through the thread pool, which costs more than these few bytes into the page cache. */
export function writeAllSync({ disk }: DiskHost, descriptor: number, bytes: Uint8Array): void {
  let at = 0
  while (at < bytes.length) at += disk.writeSync(descriptor, bytes, at, bytes.length - at)
}

/**
 * Replaces a file whole: after a crash there is the old one or the new one. Only the holder of its lock may. `draft` begins a name
 * beside it that no other process has. `check` looks at the lock before a file is removed or moved, and throws when it is lost.
 * With it, drafts that earlier holders left are removed first, so that none of them can still be moved.
 */
export async function replaceFile(
  host: DraftHost,
  path: string,
  pieces: Pieces,
  { draft, check }: Replacement,
): Promise<void> {
  if (check !== undefined) await removeDrafts(host, draft, check)
  const file = await writeNew(host, `${draft}.${newToken(host)}`, pieces)
  try {
    await check?.()
    await file.move(path, true)
  } catch (error) {
    await file.remove()
    throw error
  }
}

interface Replacement {
  readonly draft: string
  readonly check?: (() => Promise<void>) | undefined
}

/** Removes what earlier holders of the lock left. */
async function removeDrafts(
  { disk }: DiskHost,
  draft: string,
  check: () => Promise<void>,
): Promise<void> {
  const folder = dirname(draft)
  const start = `${basename(draft)}.`
  for (const name of await disk.promises.readdir(folder)) {
    const token = name.slice(start.length)
    const isDraft = name.startsWith(start) && /^[0-9a-f]{16}$/.test(token)
    if (!isDraft) continue
    // A process that lost the lock would take its successor's draft away.
    await check()
    await disk.promises.rm(join(folder, name), { force: true })
  }
}

function unreadable(path: string, run: string, error: unknown): SvcError {
  const failure = keptError(`run ${run} cannot be read: ${path}`, error)
  return failure.with({ run })
}

/**
 * At most so many bytes of a recorded file, `from` a place or the last ones, and its whole size. At once, without a trip
 * through the thread pool for each step: a list reads thousands of small files. Throws exit 10 for what is not there, cannot be
 * read or is no file; 2 for what this user may not read.
 */
export function readPart(
  { disk }: DiskHost,
  path: string,
  run: string,
  { most, from }: { most: number; from: number | 'end' },
) {
  try {
    const file = disk.openSync(path, disk.constants.O_RDONLY | noWait(disk))
    try {
      const stat = disk.fstatSync(file)
      if (!stat.isFile()) {
        throw new SvcError('local', `run ${run} is damaged: not a file: ${path}`, { run })
      }
      const start = from === 'end' ? Math.max(0, stat.size - most) : from
      const length = Math.min(stat.size - start, most)
      const bytes = Buffer.alloc(Math.max(0, length))
      let at = 0
      // A disk may give less than was asked for; nothing at all is the end of a file that became shorter.
      for (let read = -1; read !== 0 && at < bytes.length; at += read) {
        read = disk.readSync(file, bytes, at, bytes.length - at, start + at)
      }
      return { bytes: bytes.subarray(0, at), size: stat.size }
    } finally {
      disk.closeSync(file)
    }
  } catch (error) {
    throw unreadable(path, run, error)
  }
}

/** The text of a recorded file of at most `bound` bytes. Throws exit 10 or 2. */
export function readRecordedText(host: DiskHost, path: string, run: string, bound: number): string {
  const { bytes, size } = readPart(host, path, run, { most: bound, from: 0 })
  if (size <= bound) return bytes.toString('utf8')
  const damage = `run ${run} is damaged: ${path} has ${size} bytes`
  throw unreadable(path, run, new SvcError('local', damage, { run }))
}

const longestChunk = 1 << 18

/** The bytes of a recorded file. A chunk is valid until the next one is asked for. */
export async function* chunksOf(
  host: DiskHost,
  path: string,
  run: string,
): AsyncGenerator<Buffer, void, undefined> {
  // A small file at once, as `readPart` says; a large one must not keep a signal waiting.
  const { bytes, size } = readPart(host, path, run, { most: longestChunk, from: 0 })
  if (size <= longestChunk) {
    if (bytes.length > 0) yield bytes
    return
  }
  const { constants, promises } = host.disk
  try {
    const file = await promises.open(path, constants.O_RDONLY | noWait(host.disk))
    try {
      const buffer = Buffer.allocUnsafe(longestChunk)
      for (let length = -1; length !== 0;) {
        const { bytesRead } = await file.read(buffer, 0, buffer.length, null)
        length = bytesRead
        yield buffer.subarray(0, length)
      }
    } finally {
      await file.close()
    }
  } catch (error) {
    // The disk's, not the reader's: what a reader throws does not come back here.
    throw unreadable(path, run, error)
  }
}

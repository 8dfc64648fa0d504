/**
 * Reading the files of a run: never through a symbolic link, and never waiting for a FIFO or a device in a file's place. `record.ts` and `journal.ts`
 * read by it.
 */
import { keptError } from '../../errno.ts'
import { SvcError } from '../../errors.ts'
import type { Disk, DiskHost } from '../../world.ts'

/** A flag for opening: not through a symbolic link. Windows has none. */
export const noFollow = ({ constants }: Disk): number => constants.O_NOFOLLOW ?? 0

const forReading = (disk: Disk): number =>
  disk.constants.O_RDONLY | noFollow(disk) | (disk.constants.O_NONBLOCK ?? 0)

/** Writes all of it without a trip through the thread pool, which costs more than these few bytes into the page cache. */
export function writeAllSync(
  { disk }: DiskHost,
  descriptor: number,
  bytes: Uint8Array,
): void {
  for (let at = 0; at < bytes.length;) {
    at += disk.writeSync(descriptor, bytes, at, bytes.length - at)
  }
}

const unreadable = (path: string, run: string, error: unknown): SvcError =>
  keptError(`run ${run} cannot be read: ${path}`, error).with({ run })

/** At most so many bytes of a file from its beginning, or the last ones, and its whole size. Throws exit 10, or 2 for what this user may not read. */
export function readPart(
  { disk }: DiskHost,
  path: string,
  run: string,
  { most, from }: { most: number; from: 0 | 'end' },
) {
  try {
    const file = disk.openSync(path, forReading(disk))
    try {
      const stat = disk.fstatSync(file)
      if (!stat.isFile()) {
        throw new SvcError('local', `run ${run} is damaged: not a file: ${path}`, { run })
      }
      const start = from === 'end' ? Math.max(0, stat.size - most) : 0
      const bytes = Buffer.alloc(Math.min(stat.size - start, most))
      let at = 0
      // Nothing at all is the end of a file that became shorter.
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

/** The text of a file of at most `bound` bytes. Throws exit 10 or 2. */
export function readRunText(
  host: DiskHost,
  path: string,
  run: string,
  bound: number,
): string {
  const { bytes, size } = readPart(host, path, run, { most: bound, from: 0 })
  if (size <= bound) return bytes.toString('utf8')
  throw new SvcError('local', `run ${run} is damaged: ${path} has ${size} bytes`, { run })
}

const longestChunk = 1 << 18

/** The bytes of a file. A chunk is valid until the next one is asked for. */
export async function* chunksOf(
  host: DiskHost,
  path: string,
  run: string,
): AsyncGenerator<Buffer> {
  // A small file at once; a large one must not keep a signal waiting.
  const { bytes, size } = readPart(host, path, run, { most: longestChunk, from: 0 })
  if (bytes.length > 0) yield bytes
  if (size <= longestChunk) return
  const buffer = Buffer.allocUnsafe(longestChunk)
  try {
    const file = await host.disk.promises.open(path, forReading(host.disk))
    try {
      let position = bytes.length
      for (let length = -1; length !== 0; position += length) {
        length = (await file.read(buffer, 0, buffer.length, position)).bytesRead
        yield buffer.subarray(0, length)
      }
    } finally {
      await file.close()
    }
  } catch (error) {
    throw unreadable(path, run, error)
  }
}

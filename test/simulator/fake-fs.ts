/** Node's `fs`, as far as the engine uses it, whose calls go somewhere else: to the world, or at once to its disk. */
import { constants, type StatSyncOptions } from 'node:fs'
import { join } from 'node:path'
import type { Disk as Fs } from '../../src/host.ts'
import type { Call, Stats } from './disk.ts'

/** Most bytes of one read. */
const longestRead = 1 << 16

/** Makes an `fs`. `make` makes a call, or throws an error with a `code`. `later` starts a sync that ends some time later. */
export function fakeFs(
  make: (call: Call) => unknown,
  later: (fd: number, done: (error: Error | null) => void) => void,
): Fs {
  // Each answer has the form that belongs to its call.
  const statOf = (stats: Stats) => ({
    ...stats,
    dev: 1,
    uid: 0,
    mode: 0o600,
    isFile: () => !stats.isFolder,
    isDirectory: () => stats.isFolder,
  })
  const lstatSync = (path: string, { throwIfNoEntry = true }: StatSyncOptions = {}) => {
    const stats = make({ op: 'lstat', path }) as Stats | undefined
    if (stats !== undefined) return statOf(stats)
    if (throwIfNoEntry) throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' })
    return undefined
  }
  const openSync = (path: string, flags: number) => make({ op: 'open', path, flags }) as number
  const closeSync = (fd: number) => void make({ op: 'close', fd })
  const writeSync = (fd: number, bytes: Uint8Array) =>
    make({ op: 'write', fd, text: Buffer.from(bytes).toString('latin1') }) as number
  const rmSync = (path: string, { force = false, recursive = false }) => {
    const stats = lstatSync(path, { throwIfNoEntry: !force })
    if (stats === undefined) return
    const isFolder = stats.isDirectory()
    try {
      if (isFolder && recursive)
        for (const name of make({ op: 'readdir', path }) as string[])
          rmSync(join(path, name), { force, recursive })
      make({ op: isFolder ? 'rmdir' : 'unlink', path })
    } catch (error) {
      const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT'
      if (!force || !isGone) throw error
    }
  }
  const writeAll = (fd: number, bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes.subarray(at))
  }
  const { O_CREAT, O_EXCL, O_WRONLY } = constants
  const fake = {
    constants,
    lstatSync,
    statSync: lstatSync,
    openSync,
    closeSync,
    writeSync,
    rmSync,
    fstatSync: (fd: number) => statOf(make({ op: 'fstat', fd }) as Stats),
    readdirSync: (path: string) => make({ op: 'readdir', path }) as string[],
    accessSync: (path: string) => void make({ op: 'access', path }),
    mkdirSync: (path: string) => void make({ op: 'mkdir', path }),
    renameSync: (path: string, to: string) => void make({ op: 'rename', path, to }),
    linkSync: (path: string, to: string) => void make({ op: 'link', path, to }),
    fsyncSync: (fd: number) => void make({ op: 'fsync', fd }),
    fdatasync: later,
    futimesSync: (fd: number, _: Date, time: Date) =>
      void make({ op: 'futimes', fd, ms: time.getTime() }),
    readSync(fd: number, buffer: Buffer, offset: number, length: number, position: number) {
      const call: Call = { op: 'read', fd, length: Math.min(length, longestRead), position }
      return buffer.write(make(call) as string, offset, 'latin1')
    },
    promises: {
      open(path: string, flags: string | number) {
        const fd = openSync(path, flags === 'wx' ? O_WRONLY | O_CREAT | O_EXCL : constants.O_RDONLY)
        return Promise.resolve({
          fd,
          sync: () => Promise.resolve(make({ op: 'fsync', fd })),
          close: () => Promise.resolve(closeSync(fd)),
        })
      },
      async writeFile({ fd }: { fd: number }, pieces: AsyncIterable<Uint8Array>) {
        for await (const piece of pieces) writeAll(fd, piece)
      },
    },
  }
  // The engine asks for nothing else of it.
  return fake as unknown as Fs
}

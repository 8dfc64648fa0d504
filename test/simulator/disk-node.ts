/** The calls of the simulated disk in the shape of Node's `fs`, as far as simulated commands make them: at once, as promises and as file handles. */
import { constants } from 'node:fs'
import type { Disk } from '../../src/world.ts'
import type { Calls } from './disk-calls.ts'
import { systemError } from './disk-paths.ts'
import { Killed } from './disk.ts'
import { FolderNode, type Inode } from './inodes.ts'

type RemoveOptions = { readonly force?: boolean }

export interface Owner {
  isAlive(): boolean
  pause(): Promise<void>
}

/** Throws for what is asked of it and is not simulated, instead of going on without. */
function strict<T extends object>(what: string, parts: T): T {
  return new Proxy(parts, {
    get(target, name): unknown {
      // A promise looks for `then` in what it resolves to.
      if (typeof name === 'string' && name !== 'then' && !(name in target))
        throw new Error(`the simulated ${what} has no ${name}`)
      return Reflect.get(target, name)
    },
  })
}

function statsOf(node: Inode) {
  const { type, mode, links, size, id } = node
  const changes = BigInt(node instanceof FolderNode ? 0 : node.changes)
  return strict('stat', {
    ino: id,
    mtimeNs: changes,
    mtimeMs: node.time,
    ctimeNs: changes,
    mode: type | mode,
    nlink: links,
    uid: 0,
    gid: 0,
    size,
    isFile: () => type === constants.S_IFREG,
    isDirectory: () => type === constants.S_IFDIR,
    isSymbolicLink: () => false,
  })
}

const has = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.some((code) => code === error.code)

/** Removes a file; with `force` one that is not there is no matter. */
function remove(calls: Calls, path: string, { force = false }: RemoveOptions = {}): void {
  try {
    if (!(calls.stat(path, 'lstat') instanceof FolderNode)) return calls.unlink(path)
  } catch (error) {
    if (force && has(error, 'ENOENT')) return
    throw error
  }
  const problem = systemError('EISDIR', { syscall: 'rm', path })
  throw Object.assign(problem, { code: 'ERR_FS_EISDIR', errno: 21 })
}

/** Synchronous calls, by the names of `fs` without their `Sync`. */
function callsOf(calls: Calls) {
  const stats =
    (syscall: 'stat' | 'lstat') =>
    (path: string, options: { readonly throwIfNoEntry?: boolean } = {}) => {
      try {
        return statsOf(calls.stat(path, syscall))
      } catch (error) {
        if (options.throwIfNoEntry === false && has(error, 'ENOENT', 'ENOTDIR')) return undefined
        throw error
      }
    }
  return {
    stat: stats('stat'),
    lstat: stats('lstat'),
    readFile(path: string | number, encoding?: BufferEncoding) {
      const file = typeof path === 'number' ? path : calls.open(path)
      try {
        const bytes = Buffer.alloc(calls.fstat(file).size)
        const read = bytes.subarray(0, calls.read(file, bytes))
        return encoding === undefined ? read : read.toString(encoding)
      } finally {
        if (file !== path) calls.close(file)
      }
    },
    mkdir: (path: string, { mode }: { readonly mode?: number } = {}) => calls.mkdir(path, mode),
    access: (path: string, mode?: number) => calls.access(path, mode),
    link: (path: string, to: string) => calls.link(path, to),
    readdir: (path: string) => calls.readdir(path),
    rename: (path: string, to: string) => calls.rename(path, to),
    unlink: (path: string) => calls.unlink(path),
    rm: (path: string, options?: RemoveOptions) => remove(calls, path, options),
    utimes: (path: string, _: number, seconds: number) => calls.utimes(path, seconds * 1000),
  }
}

export function nodeDisk(calls: Calls, { isAlive, pause }: Owner): Disk {
  const soon = async <T>(work: () => T): Promise<T> => {
    const problem: unknown[] = []
    let result: T | undefined
    await pause()
    try {
      result = work()
    } catch (error) {
      if (!(error instanceof Killed)) problem.push(error)
    }
    await pause()
    if (!isAlive()) return new Promise(() => undefined)
    if (problem.length > 0) throw problem[0]
    return result as T
  }
  const later = <Words extends unknown[], T>(work: (...words: Words) => T) => {
    return (...words: Words): Promise<T> => soon(() => work(...words))
  }
  const once = callsOf(calls)
  const fileHandle = (file: number) => {
    let isClosed = false
    const sync = (syscall: 'fsync' | 'fdatasync') => async () =>
      (await soon(() => calls.sync(file, syscall)))()
    return strict('file handle', {
      fd: file,
      stat: later(() => statsOf(calls.fstat(file))),
      sync: sync('fsync'),
      datasync: sync('fdatasync'),
      read: later(
        (buffer: Uint8Array, offset?: number, length?: number, position?: number | null) => {
          return { bytesRead: calls.read(file, buffer, offset, length, position), buffer }
        },
      ),
      write: later(
        (
          data: string | Uint8Array,
          start?: number | null,
          length?: number,
          position?: number | null,
        ) => {
          const [bytes, at] =
            typeof data === 'string'
              ? [Buffer.from(data), start]
              : [data.subarray(start ?? 0, (start ?? 0) + (length ?? data.length)), position]
          return {
            bytesWritten: bytes.length === 0 ? 0 : calls.write(file, bytes, at),
            buffer: data,
          }
        },
      ),
      close: later(() => {
        if (!isClosed) calls.close(file)
        isClosed = true
      }),
    })
  }
  const promises = {
    ...Object.fromEntries(
      Object.entries(once).map(([name, call]) => [
        name,
        later(call as (...words: unknown[]) => unknown),
      ]),
    ),
    open: async (...words: Parameters<Calls['open']>) =>
      fileHandle(await soon(() => calls.open(...words))),
  }
  const disk = {
    ...Object.fromEntries(Object.entries(once).map(([name, call]) => [`${name}Sync`, call])),
    openSync: calls.open.bind(calls),
    closeSync: (file: number) => calls.close(file),
    readSync: calls.read.bind(calls),
    writeSync(
      file: number,
      bytes: Uint8Array,
      offset = 0,
      length = bytes.length - offset,
      position?: number | null,
    ) {
      return length === 0 ? 0 : calls.write(file, bytes.subarray(offset, offset + length), position)
    },
    fstatSync: (file: number) => statsOf(calls.fstat(file)),
    existsSync: (path: string) =>
      path !== '' && once.stat(path, { throwIfNoEntry: false }) !== undefined,
    realpathSync: (path: string) => calls.realpath(path),
    constants,
    promises: strict('disk, as promises,', promises),
  }
  return strict('disk', disk) as unknown as Disk
}

/** The calls of the simulated disk in the shape of Node's `fs`: at once, as promises, as file handles and as a stream. */
import { constants } from 'node:fs'
import { Readable } from 'node:stream'
import type { Disk } from '../../src/world.ts'
import type { Calls } from './disk-calls.ts'
import { systemError } from './disk-paths.ts'
import { Killed } from './disk.ts'
import { FolderNode, type Inode } from './inodes.ts'

type StatOptions = { readonly bigint?: boolean; readonly throwIfNoEntry?: boolean }
type WriteOptions = { readonly flag?: string; readonly mode?: number; readonly flush?: boolean }
type RemoveOptions = { readonly force?: boolean; readonly recursive?: boolean }
type Data = string | Uint8Array

export interface Owner {
  readonly userId: number
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

function statsOf(node: Inode, userId: number, { bigint = false }: StatOptions = {}) {
  const number = (value: number): number | bigint => (bigint ? BigInt(value) : value)
  const { type, size, writtenAt, changedAt } = node
  return strict('stat', {
    dev: number(1),
    ino: number(node.id),
    mode: number(type | node.mode),
    nlink: number(node.links),
    uid: number(userId),
    gid: number(userId),
    size: number(size),
    ...(bigint ? { mtimeNs: writtenAt, ctimeNs: changedAt } : {}),
    isFile: () => type === constants.S_IFREG,
    isDirectory: () => type === constants.S_IFDIR,
    isSymbolicLink: () => type === constants.S_IFLNK,
    isFIFO: () => false,
    isCharacterDevice: () => false,
  })
}

const has = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.some((code) => code === error.code)

/** Removes step by step, so that a process can die between them. */
function* removal(calls: Calls, path: string, { force = false, recursive = false }: RemoveOptions): Generator {
  let node: Inode
  try {
    node = calls.stat(path, false)
  } catch (error) {
    if (force && has(error, 'ENOENT')) return
    throw error
  }
  if (!(node instanceof FolderNode)) return calls.unlink(path)
  if (!recursive)
    throw Object.assign(systemError('EISDIR', { syscall: 'rm', path }), { code: 'ERR_FS_EISDIR', errno: 21 })
  for (const name of calls.readdir(path)) {
    yield* removal(calls, `${path}/${name}`, { force: true, recursive })
    yield
  }
  calls.rmdir(path)
}

/** What is done at once, by the names of `fs` without their `Sync`. */
function callsOf(calls: Calls, userId: number) {
  const stats =
    (follow: boolean) =>
    (path: string, options: StatOptions = {}) => {
      try {
        return statsOf(calls.stat(path, follow), userId, options)
      } catch (error) {
        if (options.throwIfNoEntry === false && has(error, 'ENOENT', 'ENOTDIR')) return undefined
        throw error
      }
    }
  const withFile = <T>(path: string | number, flag: string, mode: number, use: (file: number) => T): T => {
    if (typeof path === 'number') return use(path)
    const file = calls.open(path, flag, mode)
    try {
      return use(file)
    } finally {
      calls.close(file)
    }
  }
  const writeAll = (
    path: string | number,
    data: Data,
    { flag = 'w', mode = 0o666, flush = false }: WriteOptions = {},
  ) =>
    withFile(path, flag, mode, (file) => {
      const bytes = Buffer.from(data)
      for (let at = 0; at < bytes.length;) at += calls.write(file, bytes.subarray(at))
      if (flush) calls.sync(file, 'fsync')()
    })
  return {
    stat: stats(true),
    lstat: stats(false),
    readFile: (path: string | number, options?: BufferEncoding | { readonly encoding?: BufferEncoding }) =>
      withFile(path, 'r', 0, (file) => {
        const pieces: Buffer[] = []
        for (let read = -1; read !== 0;) {
          const piece = Buffer.alloc(65_536)
          read = calls.read(file, piece)
          pieces.push(piece.subarray(0, read))
        }
        const encoding = typeof options === 'string' ? options : options?.encoding
        return encoding === undefined ? Buffer.concat(pieces) : Buffer.concat(pieces).toString(encoding)
      }),
    writeFile: writeAll,
    appendFile: (path: string, data: Data, options: WriteOptions = {}) =>
      writeAll(path, data, { flag: 'a', ...options }),
    mkdir: (path: string, options: number | { readonly mode?: number; readonly recursive?: boolean } = {}) =>
      typeof options === 'number' ? calls.mkdir(path, options) : calls.mkdir(path, options.mode, options.recursive),
    mkdtemp: (prefix: string) => calls.mkdtemp(prefix),
    access: (path: string, mode?: number) => calls.access(path, mode),
    chmod: (path: string, mode: number) => calls.chmod(path, mode),
    link: (path: string, to: string) => calls.link(path, to),
    symlink: (target: string, path: string) => calls.symlink(target, path),
    readdir: (path: string) => calls.readdir(path),
    readlink: (path: string) => calls.readlink(path),
    rename: (path: string, to: string) => calls.rename(path, to),
    rmdir: (path: string) => calls.rmdir(path),
    truncate: (path: string, size?: number) => calls.truncate(path, size),
    unlink: (path: string) => calls.unlink(path),
  }
}

export function nodeDisk(calls: Calls, { userId, isAlive, pause }: Owner): Disk {
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
  const once = callsOf(calls, userId)
  const fileHandle = (file: number) => {
    let isClosed = false
    const sync = (syscall: 'fsync' | 'fdatasync') => async () => (await soon(() => calls.sync(file, syscall)))()
    return strict('file handle', {
      fd: file,
      stat: later((options?: StatOptions) => statsOf(calls.fstat(file), userId, options)),
      sync: sync('fsync'),
      datasync: sync('fdatasync'),
      read: later((buffer: Uint8Array, offset?: number, length?: number, position?: number | null) => {
        return { bytesRead: calls.read(file, buffer, offset, length, position), buffer }
      }),
      write: later((data: Data, start?: number | null, length?: number, position?: number | null) => {
        const [bytes, at] =
          typeof data === 'string'
            ? [Buffer.from(data), start]
            : [data.subarray(start ?? 0, (start ?? 0) + (length ?? data.length)), position]
        return { bytesWritten: bytes.length === 0 ? 0 : calls.write(file, bytes, at), buffer: data }
      }),
      close: later(() => {
        if (!isClosed) calls.close(file)
        isClosed = true
      }),
    })
  }
  async function* pieces(path: string, end: number): AsyncGenerator<Buffer> {
    const file = await soon(() => calls.open(path))
    try {
      for (let left = end + 1; left > 0;) {
        const piece = Buffer.alloc(Math.min(left, 65_536))
        const read = await soon(() => calls.read(file, piece))
        if (read === 0) return
        left -= read
        yield piece.subarray(0, read)
      }
    } finally {
      if (isAlive()) calls.close(file)
    }
  }
  const promises = {
    ...Object.fromEntries(
      Object.entries(once).map(([name, call]) => [name, later(call as (...words: unknown[]) => unknown)]),
    ),
    open: async (...words: Parameters<Calls['open']>) => fileHandle(await soon(() => calls.open(...words))),
    realpath: later((path: string) => calls.realpath(path, 'realpath')),
    async rm(path: string, options: RemoveOptions = {}) {
      const steps = removal(calls, path, options)
      while ((await soon(() => steps.next())).done !== true);
    },
  }
  const disk = {
    ...Object.fromEntries(Object.entries(once).map(([name, call]) => [`${name}Sync`, call])),
    openSync: calls.open.bind(calls),
    closeSync: (file: number) => calls.close(file),
    readSync: calls.read.bind(calls),
    writeSync(file: number, bytes: Uint8Array, offset = 0, length = bytes.length - offset, position?: number | null) {
      return length === 0 ? 0 : calls.write(file, bytes.subarray(offset, offset + length), position)
    },
    fstatSync: (file: number, options?: StatOptions) => statsOf(calls.fstat(file), userId, options),
    fsyncSync: (file: number) => calls.sync(file, 'fsync')(),
    fdatasyncSync: (file: number) => calls.sync(file, 'fdatasync')(),
    existsSync: (path: string) => path !== '' && once.stat(path, { throwIfNoEntry: false }) !== undefined,
    realpathSync: (path: string) => calls.realpath(path, 'lstat'),
    rmSync: (path: string, options: RemoveOptions = {}) => void [...removal(calls, path, options)],
    createReadStream(path: string, { end = Infinity }: { readonly end?: number } = {}) {
      return Readable.from(pieces(path, end), { objectMode: false })
    },
    constants,
    promises: strict('disk, as promises,', promises),
  }
  return strict('disk', disk) as unknown as Disk
}

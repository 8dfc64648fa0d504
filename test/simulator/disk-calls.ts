/** The system calls of the simulated disk, with Linux's errors. Each takes effect at once. */
import { constants } from 'node:fs'
import { resolve } from 'node:path/posix'
import { Paths, systemError, type Call, type Place } from './disk-paths.ts'
import { FileNode, FolderNode, type Inode } from './inodes.ts'

const { O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC, O_APPEND, O_DIRECTORY } = constants
const flagsOf: Readonly<Record<string, number>> = {
  r: 0,
  w: O_WRONLY | O_CREAT | O_TRUNC,
  wx: O_WRONLY | O_CREAT | O_TRUNC | O_EXCL,
  'wx+': O_RDWR | O_CREAT | O_TRUNC | O_EXCL,
  a: O_WRONLY | O_CREAT | O_APPEND,
}
const umask = 0o022
/** A file without a name: Node has no name for it. */
const O_TMPFILE = 0o20000000

export class Calls extends Paths {
  open(path: string, flags: number | string = 'r', mode = 0o666): number {
    const bits = typeof flags === 'number' ? flags : (flagsOf[flags] ?? 0)
    const call = { syscall: 'open', path }
    if ((bits & O_TMPFILE) !== 0) return this.#openUnnamed(call)
    if ((bits & O_CREAT) === 0) return this.#open(call, bits, mode)
    const file = this.change(call, () => this.#open(call, bits, mode))
    if ((bits & O_EXCL) !== 0) this.disk.loseAnswer(() => systemError('EEXIST', call))
    return file
  }

  close(file: number): void {
    this.file(file, { syscall: 'close' })
    this.process.files.delete(file)
  }

  read(
    file: number,
    into: Uint8Array,
    offset = 0,
    length = into.byteLength - offset,
    position?: number | null,
  ): number {
    const call = { syscall: 'read' }
    const open = this.file(file, call)
    if (!open.reads) throw systemError('EBADF', call)
    if (open.node instanceof FolderNode) throw systemError('EISDIR', call)
    const from = position ?? open.position
    const bytes = open.node.content.subarray(from, from + length)
    into.set(bytes, offset)
    if (position === undefined || position === null) open.position = from + bytes.length
    return bytes.length
  }

  write(file: number, bytes: Uint8Array, position?: number | null): number {
    const call = { syscall: 'write' }
    const open = this.file(file, call)
    if (!open.writes || open.node instanceof FolderNode) throw systemError('EBADF', call)
    const { node } = open
    const put = (some: Uint8Array): number => {
      const at = open.appends ? node.size : (position ?? open.position)
      const room = this.disk.bytesLeft ?? Infinity
      const fits = some.subarray(0, Math.max(0, room + node.size - at))
      if (fits.length === 0 && some.length > 0) throw systemError('ENOSPC', call)
      const { size } = node
      node.write(at, fits)
      node.time = this.disk.now()
      this.disk.grow(node.size - size)
      if (position === undefined || position === null) open.position = at + fits.length
      return fits.length
    }
    return this.change(
      call,
      () => put(bytes),
      (share) => put(bytes.subarray(0, Math.floor(bytes.length * share))),
    )
  }

  /** Begins a sync; what is returned ends it. */
  sync(file: number, syscall: 'fsync' | 'fdatasync'): () => void {
    const { node } = this.file(file, { syscall })
    const begun = this.change({ syscall }, () => node.beginSync())
    return () => {
      // A disk that turned read-only meanwhile says that all is well.
      if (this.disk.failure !== 'EROFS') node.endSync(begun)
    }
  }

  stat(path: string, syscall: 'stat' | 'lstat'): Inode {
    return this.there({ syscall, path }).node
  }

  fstat(file: number): Inode {
    return this.file(file, { syscall: 'fstat' }).node
  }

  access(path: string, mode = 0): void {
    const call = { syscall: 'access', path }
    const { node } = this.there(call)
    if (this.disk.failure === 'EROFS' && (mode & constants.W_OK) !== 0)
      throw systemError('EROFS', call)
    const isRunnable = node instanceof FolderNode || (node.mode & 0o111) !== 0
    if ((mode & constants.X_OK) !== 0 && !isRunnable) throw systemError('EACCES', call)
  }

  utimes(path: string, time: number): void {
    const call = { syscall: 'utime', path }
    this.change(call, () => {
      this.there(call).node.time = time
    })
  }

  mkdir(path: string, mode = 0o777): void {
    const call = { syscall: 'mkdir', path }
    this.change(call, () => {
      const place = this.locate(call, path)
      if (place.node !== undefined) throw systemError('EEXIST', call)
      this.#name(
        place,
        this.disk.make((id) => new FolderNode(mode & ~umask & 0o7777, id)),
      )
    })
  }

  link(path: string, dest: string): void {
    const call = { syscall: 'link', path, dest }
    this.change(call, () => {
      const { node } = this.there(call)
      const place = this.locate(call, dest)
      if (place.node !== undefined) throw systemError('EEXIST', call)
      if (node instanceof FolderNode || !this.disk.hasLinks) throw systemError('EPERM', call)
      this.#name(place, node)
    })
  }

  unlink(path: string): void {
    const call = { syscall: 'unlink', path }
    this.change(call, () => {
      const place = this.there(call)
      if (place.node instanceof FolderNode) throw systemError('EISDIR', call)
      this.#name(place, undefined)
    })
  }

  rename(path: string, dest: string): void {
    const call = { syscall: 'rename', path, dest }
    this.change(call, () => {
      const from = this.locate(call, path)
      const to = this.locate(call, dest)
      const [moved, gone] = [from.node, to.node]
      if (moved === undefined) throw systemError('ENOENT', call)
      if (moved === gone) return
      if (moved instanceof FolderNode && to.way.includes(moved)) throw systemError('EINVAL', call)
      if (gone instanceof FolderNode && from.way.includes(gone))
        throw systemError('ENOTEMPTY', call)
      if (gone instanceof FolderNode && !(moved instanceof FolderNode))
        throw systemError('EISDIR', call)
      if (gone instanceof FolderNode && gone.entries.size > 0) throw systemError('ENOTEMPTY', call)
      if (gone !== undefined && moved instanceof FolderNode && !(gone instanceof FolderNode))
        throw systemError('ENOTDIR', call)
      if (gone !== undefined) this.#drop(gone)
      const entries = [
        { folder: from.folder, name: from.name, node: undefined },
        { folder: to.folder, name: to.name, node: moved },
      ]
      this.disk.enter({ entries, isSynced: false })
    })
  }

  readdir(path: string): string[] {
    const { node } = this.there({ syscall: 'scandir', path })
    if (!(node instanceof FolderNode)) throw systemError('ENOTDIR', { syscall: 'scandir', path })
    return [...node.entries.keys()].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  }

  realpath(path: string): string {
    this.there({ syscall: 'lstat', path })
    return resolve(path)
  }

  /** A file without a name, of which only the folder matters: nobody writes to it. It changes nothing that lasts. */
  #openUnnamed(call: Call): number {
    if (this.disk.failure !== undefined) throw systemError(this.disk.failure, call)
    return this.#open(call, O_DIRECTORY, 0)
  }

  #open(call: Call, bits: number, mode: number): number {
    const creates = (bits & O_CREAT) !== 0
    const isExclusive = creates && (bits & O_EXCL) !== 0
    const place = this.locate(call, call.path ?? '')
    if (isExclusive && place.node !== undefined) throw systemError('EEXIST', call)
    if (place.node === undefined && !creates) throw systemError('ENOENT', call)
    const writes = (bits & (O_WRONLY | O_RDWR)) !== 0
    if (place.node instanceof FolderNode && (writes || creates)) throw systemError('EISDIR', call)
    if (place.node instanceof FileNode && (bits & O_DIRECTORY) !== 0)
      throw systemError('ENOTDIR', call)
    if (writes && this.disk.failure === 'EROFS') throw systemError('EROFS', call)
    const node = place.node ?? this.disk.make((id) => new FileNode(mode & ~umask & 0o7777, id))
    if (place.node === undefined) {
      node.time = this.disk.now()
      this.#name(place, node)
    } else if (node instanceof FileNode && (bits & O_TRUNC) !== 0) node.write(0, undefined)
    const { files } = this.process
    let file = 3
    while (files.has(file)) file += 1
    files.set(file, {
      node,
      reads: (bits & O_WRONLY) === 0,
      writes,
      appends: (bits & O_APPEND) !== 0,
      position: 0,
    })
    return file
  }

  /** Gives a name to an inode, or takes it away. */
  #name({ folder, name, node: before }: Place, node: Inode | undefined): void {
    if (before !== undefined) this.#drop(before)
    if (node !== undefined && !(node instanceof FolderNode)) node.links += 1
    this.disk.enter({ entries: [{ folder, name, node }], isSynced: false })
  }

  #drop(node: Inode): void {
    node.links -= 1
    if (node instanceof FileNode && node.links === 0) this.disk.grow(-node.size)
  }
}

/** The folder of the runs, and the open files in it: the calls of the disk that a run needs, in words of its own. */
import { dirname, join } from 'node:path'
import { checkStateFolder, type Owner } from '../config/trust.ts'
import { fileError, SvcError, systemCode } from '../errors.ts'
import { checkWritable, isThere, makeFolders, syncFolder } from '../output/whole.ts'
import type { DiskHost } from '../world.ts'

/** A file by its name: its number on the disk, its size in bytes, and when it was last written, in milliseconds. */
export interface FileFacts {
  ino: number
  size: number
  mtimeMs: number
}

/** An open run file. Each method throws the system's error. */
export interface OpenFile {
  facts(): Promise<FileFacts>
  /** Up to `length` bytes. */
  read(from: number, length: number): Promise<Buffer>
  /** Appends in one call. Returns how many bytes were written. */
  append(bytes: Buffer): Promise<number>
  sync(): Promise<void>
  touch(): Promise<void>
  close(): Promise<void>
}

export interface RunFolder {
  readonly path: string
  /** Makes the folder, for this user alone. Throws exit 2 if it cannot be written. */
  prepare(): Promise<void>
  /** The names of all files. A folder that is not there has none. */
  names(): Promise<string[]>
  /** Opens a file that is there, or creates one. Undefined if there is none, or one. */
  open(name: string, how: 'present' | 'new'): Promise<OpenFile | undefined>
  /** Undefined if the name leads to no file of this folder. */
  factsOf(name: string): Promise<FileFacts | undefined>
  sync(): Promise<void>
}

/** The folder on this disk. Its calls do not wait where a trip through the thread pool would cost more. */
export class DiskFolder implements RunFolder {
  readonly path: string
  readonly #host: Owner

  constructor(host: Owner, stateFolder: string) {
    this.#host = host
    this.path = join(stateFolder, 'runs')
  }

  pathOf(name: string) {
    return join(this.path, name)
  }

  async prepare(): Promise<void> {
    const { disk } = this.#host
    try {
      const isNew = !isThere(this.#host, this.path)
      await makeFolders(this.#host, this.path)
      if (isNew) await syncFolder(this.#host, dirname(this.path))
      checkStateFolder(this.#host, this.path)
      checkWritable(this.#host, this.path)
      disk.accessSync(this.path, disk.constants.W_OK | disk.constants.X_OK)
    } catch (error) {
      const hint = 'nothing was sent; SVC_STATE_DIR names another folder'
      throw fileError(
        'usage',
        `the state folder cannot be written: ${this.path}`,
        error,
        hint,
      )
    }
  }

  async names(): Promise<string[]> {
    try {
      return await this.#host.disk.promises.readdir(this.path)
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return []
      throw fileError('local', `the runs cannot be listed: ${this.path}`, error)
    }
  }

  async open(name: string, how: 'present' | 'new'): Promise<OpenFile | undefined> {
    const { disk } = this.#host
    const { O_RDWR, O_APPEND, O_NOFOLLOW, O_NONBLOCK, O_CREAT, O_EXCL } = disk.constants
    const flags = how === 'new' ? O_CREAT | O_EXCL : O_NONBLOCK
    try {
      const path = this.pathOf(name)
      const fd = disk.openSync(path, O_RDWR | O_APPEND | O_NOFOLLOW | flags, 0o600)
      if (disk.fstatSync(fd).isFile())
        return await Promise.resolve(new DiskFile(this.#host, this.path, fd))
      disk.closeSync(fd)
      throw new SvcError('usage', `this is not a file: ${path}`)
    } catch (error) {
      if (systemCode(error) === (how === 'new' ? 'EEXIST' : 'ENOENT')) return undefined
      throw fileError('usage', `the run cannot be opened: ${this.pathOf(name)}`, error)
    }
  }

  factsOf(name: string): Promise<FileFacts | undefined> {
    const facts = this.#host.disk.lstatSync(this.pathOf(name), { throwIfNoEntry: false })
    return Promise.resolve(facts)
  }

  async sync(): Promise<void> {
    await syncFolder(this.#host, this.path)
  }
}

class DiskFile implements OpenFile {
  readonly #disk: DiskHost['disk']
  readonly #folder: string
  readonly #fd: number

  constructor({ disk }: DiskHost, folder: string, fd: number) {
    this.#disk = disk
    this.#folder = folder
    this.#fd = fd
  }

  facts(): Promise<FileFacts> {
    return Promise.resolve(this.#disk.fstatSync(this.#fd))
  }

  read(from: number, length: number): Promise<Buffer> {
    const left = this.#disk.fstatSync(this.#fd).size - from
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, left)))
    const count =
      bytes.length === 0 ? 0 : this.#disk.readSync(this.#fd, bytes, 0, bytes.length, from)
    return Promise.resolve(bytes.subarray(0, count))
  }

  append(bytes: Buffer): Promise<number> {
    return Promise.resolve(this.#disk.writeSync(this.#fd, bytes))
  }

  async sync(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#disk.fdatasync(this.#fd, (error) =>
        error === null ? resolve() : reject(error),
      )
    })
    // A disk that turned read-only may have synced nothing, and still report success.
    checkWritable({ disk: this.#disk }, this.#folder)
  }

  touch(): Promise<void> {
    const now = new Date()
    this.#disk.futimesSync(this.#fd, now, now)
    return Promise.resolve()
  }

  close(): Promise<void> {
    this.#disk.closeSync(this.#fd)
    return Promise.resolve()
  }
}

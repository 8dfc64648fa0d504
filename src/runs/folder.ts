/** The folder of the run files, with the operations of the disk that runs need. */
import { join } from 'node:path'
import { checkStateFolder, type TrustHost } from '../config/paths.ts'
import { SvcError, fileError, systemCode } from '../errors.ts'
import { checkWritable, makeFolders, syncFolder } from '../output/whole.ts'
import type { DiskHost } from '../world.ts'

/** The simulator has its own folder and files, with the same methods. */
export type RunFolder = ReturnType<typeof diskFolder>
export type OpenFile = ReturnType<typeof openFile>
/** `append` opens a file that is there, `create` makes a new one. */
export type OpenMode = 'read' | 'append' | 'create'
export type FileFacts = Awaited<ReturnType<OpenFile['facts']>>

/**
 * Returns the folder on this disk. Short calls are synchronous, because the thread pool would take longer. They return promises,
 * as the simulator's do.
 */
export function diskFolder(host: TrustHost, stateFolder: string) {
  const { disk } = host
  const folder = join(stateFolder, 'runs')
  return {
    path: folder,

    /** Makes the folder, for this user alone. Throws exit 2 if it cannot be written. */
    async prepare() {
      try {
        await makeFolders(host, folder)
        checkStateFolder(host, folder)
        // The first finds a disk that has become read-only, the second finds missing permissions.
        checkWritable(host, folder)
        disk.accessSync(folder, disk.constants.W_OK | disk.constants.X_OK)
      } catch (error) {
        const problem = `the state folder cannot be written: ${folder}`
        const hint = 'nothing was sent; SVC_STATE_DIR names another folder'
        throw fileError('usage', problem, error, hint)
      }
    },

    /** Returns the names of all files; none if there is no folder. */
    async names(): Promise<string[]> {
      try {
        return await disk.promises.readdir(folder)
      } catch (error) {
        if (systemCode(error) === 'ENOENT') return []
        throw fileError('local', `the runs cannot be listed: ${folder}`, error)
      }
    },

    /** Opens a file. Returns undefined if there is none, or for `create` if there is one already. */
    async open(name: string, mode: OpenMode): Promise<OpenFile | undefined> {
      const { O_RDWR, O_RDONLY, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = disk.constants
      const { O_CREAT, O_EXCL } = disk.constants
      // Without O_NONBLOCK, opening a named pipe would wait for its other end.
      const flags = {
        read: O_RDONLY | O_NONBLOCK,
        append: O_RDWR | O_APPEND | O_NONBLOCK,
        create: O_RDWR | O_APPEND | O_CREAT | O_EXCL,
      }
      const path = join(folder, name)
      const expectedCode = mode === 'create' ? 'EEXIST' : 'ENOENT'
      try {
        const fd = disk.openSync(path, flags[mode] | O_NOFOLLOW, 0o600)
        if (disk.fstatSync(fd).isFile()) return openFile(host, folder, fd)
        disk.closeSync(fd)
        throw new SvcError('usage', `this is not a file: ${path}`)
      } catch (error) {
        if (systemCode(error) === expectedCode) return undefined
        // An SvcError stays as it is.
        throw fileError('usage', `the run cannot be opened: ${path}`, error)
      }
    },

    /** Returns the facts about the file with this name; undefined if there is none. */
    factsOf(name: string): Promise<FileFacts | undefined> {
      return Promise.resolve(disk.lstatSync(join(folder, name), { throwIfNoEntry: false }))
    },

    sync: () => syncFolder(host, folder),
  }
}

/** An open run file. Each method throws the system's error. */
function openFile({ disk }: DiskHost, folder: string, fd: number) {
  return {
    /** Returns the inode of the file, its size in bytes, and when it was last written, in milliseconds since 1970. */
    async facts(): Promise<{ ino: number; size: number; mtimeMs: number }> {
      return Promise.resolve(disk.fstatSync(fd))
    },

    /** Reads up to `length` bytes, from a position on. */
    read(from: number, length: number): Promise<Buffer> {
      const left = disk.fstatSync(fd).size - from
      const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, left)))
      const count = bytes.length === 0 ? 0 : disk.readSync(fd, bytes, 0, bytes.length, from)
      return Promise.resolve(bytes.subarray(0, count))
    },

    /** Appends bytes in one call. Returns how many were written: fewer if the disk is full. */
    append: (bytes: Buffer) => Promise.resolve(disk.writeSync(fd, bytes)),

    async sync() {
      await new Promise<void>((resolve, reject) => {
        disk.fdatasync(fd, (error) => (error === null ? resolve() : reject(error)))
      })
      // A disk that has become read-only may report success although it synced nothing.
      checkWritable({ disk }, folder)
    },

    touch() {
      const now = new Date()
      return Promise.resolve(disk.futimesSync(fd, now, now))
    },

    close: () => Promise.resolve(disk.closeSync(fd)),
  }
}

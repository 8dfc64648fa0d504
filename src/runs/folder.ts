/** The folder of the runs and its files: the operations that runs need of the disk. */
import { join } from 'node:path'
import { checkStateFolder, type TrustHost } from '../config/paths.ts'
import { SvcError, fileError, systemCode } from '../errors.ts'
import { checkWritable, makeFolders, syncFolder } from '../output/whole.ts'
import type { DiskHost } from '../world.ts'

/** The simulator has a folder and files of its own. */
export type RunFolder = ReturnType<typeof diskFolder>
export type OpenFile = ReturnType<typeof openFile>
export type HowToOpen = 'read' | 'present' | 'new'
export type FileFacts = Awaited<ReturnType<OpenFile['facts']>>

/** The folder on this disk. Short calls are synchronous, because the thread pool would take longer. */
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
        checkWritable(host, folder)
        disk.accessSync(folder, disk.constants.W_OK | disk.constants.X_OK)
      } catch (error) {
        const problem = `the state folder cannot be written: ${folder}`
        const hint = 'nothing was sent; SVC_STATE_DIR names another folder'
        throw fileError('usage', problem, error, hint)
      }
    },

    /** The names of all files; none if there is no folder. */
    async names(): Promise<string[]> {
      try {
        return await disk.promises.readdir(folder)
      } catch (error) {
        if (systemCode(error) === 'ENOENT') return []
        throw fileError('local', `the runs cannot be listed: ${folder}`, error)
      }
    },

    /** Opens a file to read it or to append, or creates a new one. Undefined if there is none, or if a new one is there. */
    async open(name: string, how: HowToOpen): Promise<OpenFile | undefined> {
      const { O_RDWR, O_RDONLY, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = disk.constants
      const { O_CREAT, O_EXCL } = disk.constants
      const flags = {
        read: O_RDONLY | O_NONBLOCK,
        present: O_RDWR | O_APPEND | O_NONBLOCK,
        new: O_RDWR | O_APPEND | O_CREAT | O_EXCL,
      }
      const path = join(folder, name)
      try {
        const fd = disk.openSync(path, flags[how] | O_NOFOLLOW, 0o600)
        if (disk.fstatSync(fd).isFile())
          return await Promise.resolve(openFile(host, folder, fd))
        disk.closeSync(fd)
        throw new SvcError('usage', `this is not a file: ${path}`)
      } catch (error) {
        if (systemCode(error) === (how === 'new' ? 'EEXIST' : 'ENOENT')) return undefined
        throw fileError('usage', `the run cannot be opened: ${path}`, error)
      }
    },

    /** Size, time and number on the disk of the file with this name. Undefined if there is none. */
    factsOf(name: string): Promise<FileFacts | undefined> {
      return Promise.resolve(disk.lstatSync(join(folder, name), { throwIfNoEntry: false }))
    },

    sync: () => syncFolder(host, folder),
  }
}

/** An open run file. Each method throws the system's error. */
function openFile({ disk }: DiskHost, folder: string, fd: number) {
  return {
    /** Its number on the disk, its size in bytes, and when it was last written, in milliseconds. */
    async facts(): Promise<{ ino: number; size: number; mtimeMs: number }> {
      return Promise.resolve(disk.fstatSync(fd))
    },

    /** Up to `length` bytes. */
    read(from: number, length: number): Promise<Buffer> {
      const left = disk.fstatSync(fd).size - from
      const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, left)))
      const count = bytes.length === 0 ? 0 : disk.readSync(fd, bytes, 0, bytes.length, from)
      return Promise.resolve(bytes.subarray(0, count))
    },

    /** Appends in one call. Returns how many bytes were written. */
    append: (bytes: Buffer) => Promise.resolve(disk.writeSync(fd, bytes)),

    async sync() {
      await new Promise<void>((resolve, reject) => {
        disk.fdatasync(fd, (error) => (error === null ? resolve() : reject(error)))
      })
      // A disk that turned read-only may have synced nothing, and still report success.
      checkWritable({ disk }, folder)
    },

    touch() {
      const now = new Date()
      return Promise.resolve(disk.futimesSync(fd, now, now))
    },

    close: () => Promise.resolve(disk.closeSync(fd)),
  }
}

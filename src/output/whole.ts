/**
 * The one way to write a whole file: exclusively create a draft next to the final place, write and sync it, link or rename
 * it to that place, and sync the folder. A failure or a crash leaves the old file, or none. Outputs, receipts and the
 * configuration are written so.
 */
import type { FileHandle } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { usageError } from '../errors.ts'
import { fileError, systemCode } from '../system-errors.ts'
import type { Host } from '../host.ts'
import type { DiskHost } from '../world.ts'

export type DraftHost = Pick<Host, 'disk' | 'randomBytes'>

/** A new file that only this user can read. Methods throw the system's errors. */
export class Draft {
  readonly path: string
  readonly #disk: Host['disk']
  readonly #file: FileHandle

  private constructor({ disk }: DiskHost, path: string, file: FileHandle) {
    this.path = path
    this.#disk = disk
    this.#file = file
  }

  /** Creates it exclusively: never follows a link, and never opens an existing file. */
  static async create(host: DiskHost, path: string): Promise<Draft> {
    return new Draft(host, path, await host.disk.promises.open(path, 'wx', 0o600))
  }

  /** Writes all bytes: a disk that fills up can accept part of a buffer without an error. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      const { bytesWritten } = await this.#file.write(bytes, at, bytes.length - at)
      at += bytesWritten
    }
  }

  /** When this resolves, the content is on disk, but not the name. */
  async close(): Promise<void> {
    await this.#file.sync()
    await this.#file.close()
  }

  /** Moves it to a place, durably. Unless `isReplacing`, throws EEXIST if a file has appeared there (where links exist). */
  async move(place: string, { isReplacing }: { isReplacing: boolean }): Promise<void> {
    const { rename, unlink } = this.#disk.promises
    const isLinked = !isReplacing && (await this.#link(place))
    await (isLinked ? unlink(this.path) : rename(this.path, place))
    await syncFolder({ disk: this.#disk }, dirname(resolve(place)))
  }

  /** Returns false if the file system has no links. */
  async #link(place: string) {
    const { link, lstat } = this.#disk.promises
    try {
      await link(this.path, place)
      return true
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') return false
      // Nobody else knows the draft's name, so a second link to it is ours: a network disk lost the answer.
      if ((await lstat(this.path)).nlink === 2) return true
      throw error
    }
  }

  async remove(): Promise<void> {
    await this.#file.close().catch(() => undefined)
    await this.#disk.promises.rm(this.path, { force: true })
  }
}

/** A path of a draft beside a file, of which no other process has the name. It is short, whatever the name of the file. */
export function draftBeside({ randomBytes }: Pick<Host, 'randomBytes'>, path: string) {
  return join(dirname(resolve(path)), `.svc-${randomBytes(8).toString('hex')}.part`)
}

/** Writes a new file. When this resolves, it is on disk except for its final name. A failure leaves no file. */
export async function writeNew(
  host: DiskHost,
  path: string,
  pieces: Iterable<Uint8Array>,
): Promise<Draft> {
  const draft = await Draft.create(host, path)
  return finishDraft(draft, async () => {
    for (const piece of pieces) await draft.write(piece)
    await draft.close()
    return draft
  })
}

/** Does the work on a draft, and removes the draft if it fails. */
export async function finishDraft<T>(draft: Draft, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    // Report the first error: a failing disk may not let the draft be removed either.
    await draft.remove().catch(() => undefined)
    throw error
  }
}

/** A file that a person named. Errors begin with `what`: `the output`. */
interface NamedFile {
  path: string
  what: string
  /** A regular file that is there is replaced. */
  isReplacing?: boolean
}

/** Writes a file that a person named. Throws exit 2 if it exists or cannot be created, 1 if writing fails. */
export async function writeWhole<T>(
  host: DraftHost,
  file: NamedFile,
  write: (draft: Draft) => Promise<T>,
): Promise<T> {
  const { path, isReplacing = false } = file
  const draft = await beginDraft(host, file)
  try {
    return await finishDraft(draft, async () => {
      const result = await write(draft)
      await draft.close()
      await draft.move(path, { isReplacing })
      return result
    })
  } catch (error) {
    if (systemCode(error) === 'EEXIST') throw alreadyThere(file)
    if (systemCode(error) === undefined) throw error
    const hint = 'free some space, or name another place'
    throw fileError('local', cannotWrite(file), error, hint)
  }
}

/**
 * Throws exit 2 if a file that a person named cannot be written. Callers check before they have anything to write. Leaves
 * nothing behind.
 */
export async function checkPlace(host: DraftHost, file: NamedFile): Promise<void> {
  const draft = await beginDraft(host, file)
  await draft.remove()
}

async function beginDraft(host: DraftHost, file: NamedFile): Promise<Draft> {
  const { path, what, isReplacing = false } = file
  try {
    const isOther = host.disk.lstatSync(path, { throwIfNoEntry: false })?.isFile() === false
    if (isReplacing && isOther) throw usageError(`${what} "${path}" is no regular file`)
    if (!isReplacing && isThere(host, path)) throw alreadyThere(file)
    return await Draft.create(host, draftBeside(host, path))
  } catch (error) {
    // A random name is in use: a network disk made the file but lost the answer. The same command can work again.
    const category = systemCode(error) === 'EEXIST' ? 'local' : 'usage'
    throw fileError(category, cannotWrite(file), error)
  }
}

function cannotWrite({ path, what }: NamedFile) {
  return `${what} cannot be written to "${path}"`
}

function alreadyThere({ path, what }: NamedFile) {
  return usageError(
    `${what} "${path}" already exists`,
    'choose another file, or remove this one',
  )
}

/** Whether something exists at a path. Throws the system's error if that cannot be determined. */
export function isThere({ disk }: DiskHost, path: string) {
  return disk.lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

/** The missing ones of a folder and the folders above it, topmost first. A dangling link counts as existing. */
export function missingFolders(host: DiskHost, path: string): string[] {
  if (isThere(host, path)) return []
  return [...missingFolders(host, dirname(path)), path]
}

/**
 * Makes missing folders that only this user can read. First syncs the name of each parent, which a killed process may have
 * made without syncing it. Throws the system's error. (Node's own recursive mkdir never ends in /proc.)
 */
export async function makeFolders(host: DiskHost, path: string): Promise<void> {
  for (const folder of missingFolders(host, path)) {
    try {
      await syncFolder(host, dirname(dirname(folder)))
    } catch (error) {
      // A process of this user cannot have made a folder inside one that it cannot read.
      if (systemCode(error) !== 'EACCES') throw error
    }
    try {
      host.disk.mkdirSync(folder, { mode: 0o700 })
    } catch (error) {
      // Another svc was faster.
      if (systemCode(error) !== 'EEXIST') throw error
      const stats = host.disk.statSync(folder)
      if (!stats.isDirectory()) throw error
    }
  }
}

/** Makes the names in a folder durable. */
export async function syncFolder({ disk }: DiskHost, path: string): Promise<void> {
  let folder: FileHandle | undefined
  try {
    folder = await disk.promises.open(path, disk.constants.O_RDONLY)
    await folder.sync()
  } catch (error) {
    // Windows cannot open a folder, and some file systems cannot sync one. Their entries are safe without it.
    const code = systemCode(error) ?? ''
    const noSyncCodes = folder === undefined ? ['EISDIR', 'EPERM'] : ['EINVAL', 'EPERM']
    if (!noSyncCodes.includes(code)) throw error
  } finally {
    await folder?.close()
  }
}

/** Linux's flag for a file without a name. Node has no constant for it. */
const O_TMPFILE = 0o20000000

/** Codes of systems and file systems that cannot create a file without a name. */
const noTmpfileCodes = [
  'EISDIR',
  'EINVAL',
  'EOPNOTSUPP',
  'ENOTSUP',
  'ENOENT',
  'EPERM',
  'EACCES',
]

/**
 * Throws the system's error if nothing can be created in a folder. A file system that turns read-only during a sync may
 * report success although nothing is on disk. ext4 does, and keeps accepting writes that do not need its journal. Creating a
 * file without a name needs the journal, and leaves nothing behind. Systems without such files are not checked.
 */
export function checkWritable({ disk }: DiskHost, path: string) {
  try {
    const flags = O_TMPFILE | disk.constants.O_DIRECTORY | disk.constants.O_RDWR
    disk.closeSync(disk.openSync(path, flags, 0o600))
  } catch (error) {
    if (!noTmpfileCodes.includes(systemCode(error) ?? '')) throw error
  }
}

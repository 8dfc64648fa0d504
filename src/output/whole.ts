/**
 * Writes a file whole or not at all, and writes to streams. A file is first a draft in the same folder. The draft is written and
 * synced, then linked or renamed to its final place, and the folder is synced. After a failure or a crash, there is the old file,
 * none, or the whole new one. Outputs, receipts and the configuration are written this way.
 */
import { dirname, join, resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { usageError, fileError, systemCode, SvcError, fileReason } from '../errors.ts'
import type { Host } from '../host.ts'
import type { DiskHost } from '../world.ts'

export type DraftHost = Pick<Host, 'disk' | 'randomBytes'>

/** A file that a person named. */
interface NamedFile {
  path: string
  /** The kind of file, with which errors begin: `the output`. */
  what: string
  /** Whether an existing regular file is replaced. Otherwise it is an error. */
  isReplacing?: boolean
}

/**
 * Writes a file. Throws a usage error if the file exists or cannot be created, and an error with exit code 1 if writing
 * fails. Passes on an error that `pieces` throws. After an error there is no new file, unless only its folder could not be synced.
 */
export async function writeWhole(
  host: DraftHost,
  file: NamedFile,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<'written'> {
  const { disk } = host
  const { path, isReplacing = false } = file
  const draft = await createDraft(host, file)
  try {
    await disk.promises.writeFile(draft.handle, pieces)
    await draft.handle.sync()
    await draft.handle.close()
    if (isReplacing) await disk.promises.rename(draft.path, path)
    else await moveToFreePlace(host, draft.path, path)
    await syncFolder(host, dirname(resolve(path)))
    return 'written'
  } catch (error) {
    // Removing the draft can fail too, but the first error is reported.
    await draft.remove().catch(() => undefined)
    if (systemCode(error) === 'EEXIST') throw alreadyThere(file)
    if (systemCode(error) === undefined) throw error
    const hint = 'free some space, or name another place'
    throw fileError('local', cannotWrite(file), error, hint)
  }
}

/** Throws a usage error if a file cannot be written. Callers check this before they send anything. Leaves nothing behind. */
export async function checkPlace(host: DraftHost, file: NamedFile): Promise<void> {
  const draft = await createDraft(host, file)
  await draft.remove()
}

/**
 * Creates a draft in the folder of a named file. Only this user can read the draft. Its name is random, so that no other process
 * uses it, and does not contain that of the file, which can be as long as a name may be.
 */
async function createDraft({ disk, randomBytes }: DraftHost, file: NamedFile) {
  const { path, what, isReplacing = false } = file
  const name = `.svc-${randomBytes(8).toString('hex')}.part`
  const draft = join(dirname(resolve(path)), name)
  try {
    const present = disk.lstatSync(path, { throwIfNoEntry: false })
    if (present !== undefined && !isReplacing) throw alreadyThere(file)
    if (present?.isFile() === false)
      throw usageError(`${what} "${path}" is not a regular file`)
    const handle = await disk.promises.open(draft, 'wx', 0o600)
    const remove = async () => {
      await handle.close().catch(() => undefined)
      await disk.promises.rm(draft, { force: true })
    }
    return { path: draft, handle, remove }
  } catch (error) {
    // `fileError` returns the errors that were thrown above as they are.
    throw fileError('usage', cannotWrite(file), error)
  }
}

/**
 * Moves a draft to its place by a link, which never replaces a file: throws EEXIST if there is one by now. On a file system
 * without links, renames the draft, which would replace such a file.
 */
async function moveToFreePlace({ disk }: DiskHost, draft: string, place: string) {
  const { link, rename, unlink } = disk.promises
  try {
    await link(draft, place)
  } catch (error) {
    if (systemCode(error) === 'EEXIST') throw error
    return rename(draft, place)
  }
  return unlink(draft)
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

/** Returns those folders of a path that are missing, with the topmost first. A broken link counts as existing. */
export function missingFolders(host: DiskHost, path: string): string[] {
  const isThere = host.disk.lstatSync(path, { throwIfNoEntry: false }) !== undefined
  return isThere ? [] : [...missingFolders(host, dirname(path)), path]
}

/**
 * Makes the missing folders of a path, and syncs their names. Only this user can read them. Throws the system's error. Node's
 * recursive mkdir is not used, because it never ends in /proc.
 */
export async function makeFolders(host: DiskHost, path: string): Promise<void> {
  for (const folder of missingFolders(host, path)) {
    try {
      host.disk.mkdirSync(folder, { mode: 0o700 })
    } catch (error) {
      // Another svc may have made the folder in the meantime.
      const isMade = systemCode(error) === 'EEXIST'
      if (!isMade || !host.disk.statSync(folder).isDirectory()) throw error
    }
    await syncFolder(host, dirname(folder))
  }
}

/** Syncs a folder, so that the names in it survive a crash. */
export async function syncFolder({ disk }: DiskHost, path: string): Promise<void> {
  // Windows cannot open a folder, and some file systems cannot sync one. Names there survive a crash all the same.
  let harmlessCodes = ['EISDIR', 'EPERM', 'EACCES']
  try {
    const folder = await disk.promises.open(path, disk.constants.O_RDONLY)
    harmlessCodes = ['EINVAL', 'EPERM']
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  } catch (error) {
    if (!harmlessCodes.includes(systemCode(error) ?? '')) throw error
  }
}

/** Linux's flag for a file without a name. Node has no constant for it. */
const O_TMPFILE = 0o20000000

/**
 * Throws the system's error if the file system of a folder has become read-only. After an error, ext4 still accepts writes that
 * do not need its journal, and reports success for their sync. So this function creates a file without a name, which needs the
 * journal and leaves nothing behind. Systems without such files are not checked.
 */
export function checkWritable({ disk }: DiskHost, path: string) {
  try {
    const flags = O_TMPFILE | disk.constants.O_DIRECTORY | disk.constants.O_RDWR
    disk.closeSync(disk.openSync(path, flags, 0o600))
  } catch (error) {
    if (systemCode(error) === 'EROFS') throw error
  }
}

/** The error if stdout cannot be written. `program/report.ts` adds the hint, which depends on the command. */
export class OutputFailed extends SvcError {}

/** The maximum size of one write. A terminal blocks the process during a write, and signals are handled only between writes. */
const maxWriteBytes = 128 * 1024

/** The codes of a stream that nobody reads anymore. */
const closedCodes =
  /^(?:EPIPE|ECONNRESET|ERR_STREAM_(?:DESTROYED|PREMATURE_CLOSE|WRITE_AFTER_END))$/

/**
 * Writes pieces to a stream, which stays open. Returns `closed` if nobody reads the stream anymore. Throws an `OutputFailed` if the
 * stream cannot be written.
 */
export async function writeBytes(
  { turn }: Pick<Host, 'turn'>,
  stream: Writable,
  pieces: Iterable<Uint8Array>,
): Promise<'written' | 'closed'> {
  let fail: (error: Error) => void = () => undefined
  /** Rejects when `fail` is called. */
  const failed = new Promise<never>((_resolve, reject) => (fail = reject))
  // Without a handler, a failure between two writes would end the process.
  failed.catch(() => undefined)
  const onClose = () => fail(Object.assign(new Error('closed'), { code: 'EPIPE' }))
  // This listener stays: without one, an error after the last write would end the process.
  stream.on('error', fail)
  stream.on('close', onClose)
  const write = (bytes: Uint8Array) =>
    new Promise<void>((resolve, reject) => {
      stream.write(bytes, (error) => {
        if (error == null) resolve()
        else reject(error)
      })
    })
  try {
    for (const piece of pieces) {
      for (let start = 0; start < piece.length; start += maxWriteBytes) {
        const part = piece.subarray(start, start + maxWriteBytes)
        await Promise.race([write(part), failed])
        // Signals are handled between the parts.
        await turn()
      }
    }
    return 'written'
  } catch (error) {
    const code = systemCode(error) ?? ''
    if (closedCodes.test(code)) return 'closed'
    const problem = code === 'EBADF' ? 'it is not open for writing' : fileReason(error)
    const message = `the output could not be written: ${problem}`
    throw new OutputFailed('local', message, { cause: error })
  } finally {
    stream.off('close', onClose)
  }
}

/**
 * Writes a file whole or not at all. The file is first a draft in the same folder. The draft is written and synced, then linked or
 * renamed to its final place, and the folder is synced. After a failure or a crash, there is the old file, none, or the whole new
 * one. Only without hard links can a crash leave a part of a new file, because the draft is copied then. Outputs and the configuration are written this way.
 */
import { dirname, join, resolve } from 'node:path'
import { usageError, fileError, systemCode } from '../errors.ts'
import type { Host } from '../host.ts'
import { removeHidden, syncFolder } from './folders.ts'

/**
 * Writes a file, which replaces a regular file only if `isReplacing`. Throws a usage error if the file cannot be created, and an
 * error with exit code 1 if writing fails. Passes on an error that `pieces` throws. After an error there is no new file, unless only
 * its folder could not be synced.
 */
export async function writeWhole(
  host: Host,
  path: string,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  { isReplacing = false } = {},
): Promise<void> {
  const { disk } = host
  checkPlace(host, path, { isReplacing })
  const draft = newDraft(host, path)
  try {
    // `flush` syncs the file.
    const options = { flag: 'wx', mode: 0o600, flush: true }
    await disk.promises.writeFile(draft, pieces, options)
    nameDraft(host, draft, path, isReplacing)
  } catch (error) {
    if (systemCode(error) === undefined) throw error
    const hint = 'free some space, or name another place'
    throw fileError('local', `"${path}" cannot be written`, error, hint)
  } finally {
    removeHidden(host, draft)
  }
}

/**
 * Throws a usage error if a file cannot be written, or is there and would not be replaced. Callers check this before they send
 * anything. Leaves nothing behind.
 */
export function checkPlace(host: Host, path: string, { isReplacing = false } = {}) {
  const { disk } = host
  try {
    const present = disk.lstatSync(path, { throwIfNoEntry: false })
    if (present !== undefined && !isReplacing)
      throw usageError(
        `"${path}" already exists`,
        'choose another file, or remove this one',
      )
    if (present?.isFile() === false) throw usageError(`"${path}" is not a regular file`)
    const draft = newDraft(host, path)
    disk.closeSync(disk.openSync(draft, 'wx', 0o600))
    removeHidden(host, draft)
  } catch (error) {
    // `fileError` returns the errors that were thrown above as they are.
    throw fileError('usage', `"${path}" cannot be written`, error)
  }
}

/**
 * Returns the path of a draft in the folder of a file. Its name is random, so that no other process uses it, and does not contain
 * that of the file, which can be as long as a name may be.
 */
function newDraft({ randomBytes }: Host, path: string) {
  const name = `.svc-${randomBytes(8).toString('hex')}.part`
  return join(dirname(resolve(path)), name)
}

/** Gives a draft its final name, and syncs that. Throws EEXIST if there is such a file, unless it is replaced. */
export function nameDraft(host: Host, draft: string, path: string, isReplacing: boolean) {
  if (isReplacing) host.disk.renameSync(draft, path)
  else linkOrCopy(host, draft, path)
  syncFolder(host, dirname(resolve(path)))
}

function linkOrCopy({ disk }: Host, draft: string, path: string) {
  try {
    disk.linkSync(draft, path)
  } catch (error) {
    // Some file systems have no links.
    if (!/^(?:EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS)$/.test(systemCode(error) ?? '')) throw error
    disk.copyFileSync(draft, path, disk.constants.COPYFILE_EXCL)
    const file = disk.openSync(path, disk.constants.O_RDONLY)
    disk.fsyncSync(file)
    disk.closeSync(file)
  }
}

/**
 * The file of `--receipts`. It is drafted beside its place under a name that tells the run, synced, and linked to its name, so that
 * it never replaces a file that this run did not write. The draft stays until the run's `end` names the file: after a kill, it
 * shows whose the file is.
 */
import { basename, dirname, join } from 'node:path'
import { removeHidden, syncFolder } from '../disk/folders.ts'
import { nameDraft } from '../disk/whole.ts'
import { fileError, systemCode, usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import type { Receipt } from './receipts.ts'
import type { State } from './state.ts'

/** A file for receipts. */
export interface ReceiptsFile {
  /** An absolute path. */
  path: string
  /** Returns the bytes of the file. */
  bytes: (receipts: Iterable<Receipt>) => AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

const draftOf = (path: string, run: string) =>
  join(dirname(path), `.${basename(path)}.${run}.part`)

/** Whether a run wrote the file: its `end` names it, or its draft is the same file. */
const isOwn = (host: Host, path: string, run: string, state: State | undefined) =>
  state?.receiptsFiles.has(path) === true || isLinked(host, path, run)

/** Whether a file is the draft of a run, so that it was written whole. */
function isLinked({ disk }: Host, path: string, run: string) {
  const file = disk.lstatSync(path, { throwIfNoEntry: false })
  const draft = disk.lstatSync(draftOf(path, run), { throwIfNoEntry: false })
  return file !== undefined && file.ino === draft?.ino && file.dev === draft.dev
}

/** Throws exit 2 if the file exists and is not this run's, or if its folder cannot be written. `state` is that of a recorded run. */
export function checkReceiptsPlace(host: Host, path: string, run: string, state?: State) {
  const { disk } = host
  try {
    disk.accessSync(dirname(path), disk.constants.W_OK | disk.constants.X_OK)
    // Also finds a name that is too long.
    disk.lstatSync(draftOf(path, run), { throwIfNoEntry: false })
    if (disk.lstatSync(path, { throwIfNoEntry: false }) === undefined) return
    if (isOwn(host, path, run, state)) return
  } catch (error) {
    throw fileError(
      'usage',
      `the receipts cannot be written to "${path}"`,
      error,
      'nothing was sent',
    )
  }
  throw usageError(
    `the file "${path}" already exists; nothing was sent`,
    'choose another file for --receipts, or remove this one',
  )
}

/** Writes the file. Throws an error with exit code 1 if that fails, or if another file has its name by now. */
export async function writeReceipts(
  host: Host,
  { path, bytes }: ReceiptsFile,
  receipts: Iterable<Receipt>,
  { run, state }: { run: string; state: State },
): Promise<void> {
  const { disk } = host
  const draft = draftOf(path, run)
  try {
    const isReplacing = state.receiptsFiles.has(path)
    // A killed command wrote it whole. The draft proves that until the next `end` names the file.
    if (!isReplacing && isLinked(host, path, run)) return
    disk.rmSync(draft, { force: true })
    const file = await disk.promises.open(draft, 'wx', 0o600)
    try {
      await disk.promises.writeFile(file, bytes(receipts))
      await file.sync()
    } finally {
      await file.close()
    }
    // The name of the draft shows whose the file is, so it is on disk first.
    if (!isReplacing) syncFolder(host, dirname(path))
    nameDraft(host, draft, path, isReplacing)
  } catch (error) {
    // Another file has the name, so the draft proves nothing.
    if (systemCode(error) === 'EEXIST') removeDraft(host, path, run)
    throw fileError('local', `the receipts cannot be written to "${path}"`, error)
  }
}

/** Removes the draft, once the run's `end` names the file. */
export function removeDraft(host: Host, path: string, run: string) {
  removeHidden(host, draftOf(path, run))
}

/** The receipts of a run: what became of each id, in the order of its input, and why; and the file of `--receipts`. */
import { basename, dirname, join } from 'node:path'
import { removeHidden, syncFolder, type DiskHost } from '../disk/folders.ts'
import { linkOrCopy } from '../disk/whole.ts'
import { fileError, systemCode, usageError } from '../errors.ts'
import { meanings, outcomes, type Outcome } from './outcomes.ts'
import type { State } from './state.ts'

/** The result of one id. */
export interface Receipt {
  id: string
  /** Its line in the input; null for an argument. */
  line: number | null
  /** The target of a merge, or the new assignee of a ticket. */
  other: string | undefined
  outcome: Outcome
  /** Why the outcome is not `done`; empty if it says it all. */
  reason: string
  /** When its last attempt ended, or else began. ISO 8601; null if there was none. */
  at: string | null
}

/** A file for receipts. */
export interface ReceiptsFile {
  /** An absolute path. */
  path: string
  /** Returns the bytes of the file. */
  bytes: (receipts: Iterable<Receipt>) => AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/** Yields all receipts, or those with the wanted outcomes. */
export function* receiptsOf(
  state: State,
  wanted: readonly Outcome[] = outcomes,
): Generator<Receipt> {
  for (let at = 0; at < state.items.size; at += 1) {
    const outcome = state.outcomeOf(at)
    if (!wanted.includes(outcome)) continue
    const { id, line, other } = state.items.at(at)
    const last = state.lastLineOf(at)
    yield {
      id,
      line: line === 0 ? null : line,
      other: other ?? state.job.target?.id,
      outcome,
      reason: reasonFor(state, at) ?? (outcome === 'done' ? '' : meanings[outcome]),
      at: last === undefined ? null : new Date(last.at).toISOString(),
    }
  }
}

/** Returns what is recorded about an outcome: the service's words, or what went wrong on the way. */
function reasonFor(state: State, at: number): string | undefined {
  const { m, st } = state.resultOf(at) ?? {}
  return m === undefined ? undefined : withStatus(m, st)
}

/** Adds the HTTP status to a message, unless it has it. */
export const withStatus = (message: string, status: number | null = null) =>
  status === null || message.includes(String(status))
    ? message
    : `${message} (HTTP ${status})`

/** How many ids with one outcome failed in the same way. */
export interface ErrorRow {
  outcome: Outcome
  httpStatus: number | null
  code: number | null
  message: string
  count: number
}

const maxErrorRows = 100

/** Returns the ways in which ids failed. Ways after the first hundred are left out. */
export function errorsOf(state: State): ErrorRow[] {
  const rows = new Map<string, ErrorRow>()
  for (let at = 0; at < state.items.size; at += 1) {
    const outcome = state.outcomeOf(at)
    const last = state.lastLineOf(at)
    const isFailure =
      outcome === 'error' || outcome === 'unknown' || outcome === 'not-attempted'
    if (!isFailure || last === undefined) continue
    const { st: httpStatus = null, code = null, m } = state.resultOf(at) ?? {}
    const message =
      m ?? (httpStatus === null ? 'no answer was recorded' : `HTTP ${httpStatus}`)
    const key = JSON.stringify([outcome, httpStatus, code, message])
    const row = rows.get(key)
    if (row !== undefined) row.count += 1
    else if (rows.size < maxErrorRows)
      rows.set(key, { outcome, httpStatus, code, message, count: 1 })
  }
  return [...rows.values()]
}

/**
 * The draft of a `--receipts` file. It is written beside its place under a name that tells the run, synced, and linked to its name,
 * so that it never replaces a file that this run did not write. It stays until the run's `end` names the file: after a kill, it
 * shows whose the file is.
 */
const draftOf = (path: string, run: string) =>
  join(dirname(path), `.${basename(path)}.${run}.part`)

/** Whether a run wrote the file: its `end` names it, or its draft is the same file. */
const isOwn = (host: DiskHost, path: string, run: string, state: State | undefined) =>
  state?.receipts.has(path) === true || isLinked(host, path, run)

/** Whether a file is the draft of a run, so that it was written whole. */
function isLinked({ disk }: DiskHost, path: string, run: string) {
  const file = disk.lstatSync(path, { throwIfNoEntry: false })
  const draft = disk.lstatSync(draftOf(path, run), { throwIfNoEntry: false })
  return file !== undefined && file.ino === draft?.ino && file.dev === draft.dev
}

/** Throws exit 2 if the file exists and is not this run's, or if its folder cannot be written. `state` is that of a recorded run. */
export function checkReceiptsPlace(
  host: DiskHost,
  path: string,
  run: string,
  state?: State,
) {
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
  host: DiskHost,
  { path, bytes }: ReceiptsFile,
  receipts: Iterable<Receipt>,
  { run, state }: { run: string; state: State },
): Promise<void> {
  const { disk } = host
  const draft = draftOf(path, run)
  try {
    const isReplacing = state.receipts.has(path)
    // Without the draft, a kill before the next `end` would leave a file that belongs to nobody.
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
    if (isReplacing) disk.renameSync(draft, path)
    else linkOrCopy(host, draft, path)
    syncFolder(host, dirname(path))
  } catch (error) {
    // The draft shows whose a file is. Here another file has the name.
    if (systemCode(error) === 'EEXIST') removeDraft(host, path, run)
    throw fileError('local', `the receipts cannot be written to "${path}"`, error)
  }
}

/** Removes the draft, once the run's `end` names the file. */
export function removeDraft(host: DiskHost, path: string, run: string) {
  removeHidden(host, draftOf(path, run))
}

/**
 * Names of jobs that are done once (`--once <name>`). `<state folder>/names/<SHA-256 of the name in lower case>/` holds the
 * lock of the name and `name.json`, which says which run has it. Only the holder of that lock decides that a name is free.
 */
import { say, svc } from '../../message.ts'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import * as v from 'valibot'
import { SvcError, messageOf, systemCode, usageError } from '../../errors.ts'
import { fileError, fileProblem, keptError } from '../../errno.ts'
import type { StateDir } from '../../config/paths.ts'
import { shellWord } from '../../words.ts'
import { syncFolder } from '../../disk/folder.ts'
import type { DraftHost } from '../../disk/whole-file.ts'
import type { DiskHost } from '../../world.ts'
import { readRecordedText, replaceFile } from '../../disk/files.ts'
import type { Lock, LockOptions } from '../../disk/lock.ts'
import type { LockHost } from '../../disk/lock-file.ts'
import { takeLock } from '../../disk/take.ts'
import { parseEvent } from '../record/events.ts'
import { beganAt, isRunId, otherVersion, parseRunFile } from '../record/run.ts'
import { hasBegun } from '../record/run-files.ts'
import { runFolder, type ListedRun } from './store.ts'

const NameFile = v.object({
  schema: v.literal('svc.name/1'),
  name: v.string(),
  run: v.string(),
  /**
   * Facts that stay when the run is pruned: its summary, and its `run.json`, which a repetition is compared with. It is on disk
   * before the run is removed, and counts only once the run is gone: until then the run may be retried.
   */
  pruned: v.optional(
    v.object({
      /** Milliseconds since 1970. */
      at: v.number(),
      /** ISO 8601. */
      doneAt: v.string(),
      summary: v.record(v.string(), v.unknown()),
      rows: v.array(v.object({ outcome: v.string(), count: v.number() })),
      exitCode: v.number(),
      description: v.unknown(),
      /** Fingerprints of the keys that worked on it. */
      keys: v.optional(v.array(v.string())),
    }),
  ),
})

export type NameEntry = v.InferOutput<typeof NameFile>

/** 1 to 64 ASCII letters, digits, `.`, `_`, `-`, beginning with a letter or digit, not of the form of a run's id. Throws exit 2. */
export function checkJobName(text: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text)) {
    throw usageError(
      '--once takes a name of 1 to 64 letters, digits, ".", "_" and "-" that begins with a letter or a digit',
      'for example --once cleanup-2026-03-01; a job that recurs needs a new name each time',
    )
  }
  if (isRunId(text) || isPlanName(text))
    throw usageError(
      `--once takes a name that is no run's and no plan's: ${text}`,
      say`to apply a plan:\n  ${svc`plans apply <plan>`}`,
    )
  return text
}

/** Under which a plan is applied. It is never freed, or the plan could be applied again. */
export function isPlanName(text: string): boolean {
  return /^plan-[0-9a-f]{40}$/i.test(text)
}

/** A folder relative to the current one would be another memory elsewhere. Throws exit 2. */
export function checkPlaceOfNames({ value, source, relative }: StateDir): void {
  if (relative === undefined) return
  throw usageError(
    `--once needs the same state folder each time, and ${source} "${relative}" depends on the current folder`,
    `name it with its whole path:\n  --state-dir ${shellWord(value)}`,
  )
}

function namesFolder(stateDir: string): string {
  return join(stateDir, 'names')
}

/** Never a file's name itself: letter case is not the same everywhere. */
function folderOf(stateDir: string, name: string): string {
  return join(namesFolder(stateDir), createHash('sha256').update(name.toLowerCase()).digest('hex'))
}

/** Takes the lock of a name, making its folder. Throws exit 10, or 2 where this user may not. */
export async function lockName(
  host: LockHost,
  stateDir: string,
  { name, ...options }: Omit<LockOptions, 'what'> & { readonly name: string },
): Promise<Lock> {
  const dir = folderOf(stateDir, name)
  for (let attempt = 0; ; attempt += 1) {
    try {
      await host.disk.promises.mkdir(namesFolder(stateDir), { recursive: true, mode: 0o700 })
      await host.disk.promises.mkdir(dir, { recursive: true, mode: 0o700 })
      return await takeLock(host, dir, { what: `the name "${name}"`, ...options })
    } catch (error) {
      // Another process that was declined has just removed the folder.
      const cause = error instanceof SvcError ? error.details.cause : error
      if (systemCode(cause) === 'ENOENT' && attempt < 100) continue
      throw keptError(`the name "${name}" cannot be recorded: ${dir}`, error)
    }
  }
}

/** Removes the folder of a name that nobody took. */
export async function forgetEmptyName(
  host: DiskHost,
  stateDir: string,
  name: string,
): Promise<void> {
  await host.disk.promises.rmdir(folderOf(stateDir, name)).catch(() => undefined)
}

/** Which run has a name; undefined when it is free. `pruned` only when that run is gone. Throws exit 10 or 2 when the record cannot be read. */
export function readName(host: DiskHost, stateDir: string, name: string): NameEntry | undefined {
  const dir = folderOf(stateDir, name)
  return readNameIn(host, stateDir, dir, `the record of the name "${name}"`)
}

function readNameIn(
  host: DiskHost,
  stateDir: string,
  dir: string,
  what: string,
): NameEntry | undefined {
  const path = join(dir, 'name.json')
  let text: string
  try {
    text = readRecordedText(host, path, what, 8 << 20)
  } catch (error) {
    const cause = error instanceof SvcError ? error.cause : error
    if (systemCode(cause) === 'ENOENT') return undefined
    throw keptError(
      `${what} cannot be read: ${path}`,
      systemCode(cause) === undefined ? error : cause,
    )
  }
  try {
    const { pruned, ...record } = v.parse(NameFile, JSON.parse(text))
    return pruned === undefined || isRecorded(host, stateDir, record.run)
      ? record
      : { ...record, pruned }
  } catch (error) {
    throw new SvcError('local', `${what} is damaged: ${messageOf(error)}`, {
      hint: `nothing was sent; it is in ${path}`,
    })
  }
}

/** Throws exit 2 for what was kept of a run of an earlier format: the name is not free, and tells nothing. */
export function checkFormat(name: string, description: unknown): void {
  const version = otherVersion(description)
  if (version === undefined) return
  throw usageError(
    `the name "${name}" belongs to a run of svc ${version}, whose record this version does not read; nothing was sent`,
    'use another name for another job',
  )
}

/** Whether a run is still there, which then speaks for its name alone. */
export function isRecorded(host: DiskHost, stateDir: string, run: string): boolean {
  return isRunId(run) && hasBegun(host, runFolder(stateDir, run))
}

/** Gives a name to a run; on disk when this resolves. The lock of the name is held. Throws exit 10. */
export async function writeName(
  host: DraftHost,
  stateDir: string,
  record: NameEntry,
): Promise<void> {
  const dir = folderOf(stateDir, record.name)
  try {
    const pieces = [
      Buffer.from(`${JSON.stringify(record)}
`),
    ]
    await replaceFile(host, join(dir, 'name.json'), pieces, { draft: join(dir, 'name.new') })
    await syncFolder(host, namesFolder(stateDir))
    await syncFolder(host, stateDir)
  } catch (error) {
    throw fileError('local', `the name "${record.name}" cannot be recorded: ${dir}`, error)
  }
}

/**
 * Frees a name for which a run did not begin: on disk before that run is removed, so that a name never belongs to a run of which
 * nothing is there. The lock of the name is held.
 */
export async function forgetRunOfName(
  host: DiskHost,
  stateDir: string,
  { name, run }: Pick<NameEntry, 'name' | 'run'>,
): Promise<void> {
  if (readName(host, stateDir, name)?.run !== run) return
  const dir = folderOf(stateDir, name)
  await host.disk.promises.rm(join(dir, 'name.json'))
  await syncFolder(host, dir)
}

/** Frees a name. The lock of the name is held; it goes with the folder. */
export async function removeName(host: DiskHost, stateDir: string, name: string): Promise<void> {
  await host.disk.promises.rm(folderOf(stateDir, name), { recursive: true, force: true })
}

/** Every name that a run has or had. Damaged records are left out, and told to `onDamaged`. */
export async function listNames(
  host: DiskHost,
  stateDir: string,
  onDamaged: (path: string, problem: string) => void = () => undefined,
): Promise<NameEntry[]> {
  let folders: string[]
  try {
    folders = await host.disk.promises.readdir(namesFolder(stateDir))
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return []
    throw keptError(`the names cannot be listed: ${namesFolder(stateDir)}`, error)
  }
  const found: NameEntry[] = []
  for (const folder of folders) {
    const dir = join(namesFolder(stateDir), folder)
    try {
      const record = readNameIn(host, stateDir, dir, 'the record of a name')
      if (record !== undefined) found.push(record)
    } catch (error) {
      if (!(error instanceof SvcError)) throw error
      const isOfSystem = systemCode(error.cause) !== undefined
      onDamaged(dir, isOfSystem ? fileProblem(error.cause) : error.message)
    }
  }
  return found
}

const nothingKnown = { run: undefined, end: undefined, holder: undefined, problem: undefined }

/** A run that was removed, as far as the record of its name tells of it; undefined when the run is still there. */
export function prunedRun(
  stateDir: string,
  { name, run: id, pruned }: NameEntry,
): ListedRun | undefined {
  if (pruned === undefined) return undefined
  const dir = folderOf(stateDir, name)
  const version = otherVersion(pruned.description)
  if (version !== undefined) {
    const problem = `it was recorded by svc ${version}, in a format that this version does not read`
    return { ...nothingKnown, id, dir, beganAt: beganAt(id), problem, isEarlier: true }
  }
  const parsed = parseRunFile(pruned.description)
  const { summary, exitCode, doneAt } = pruned
  // A run of which something is left is not removed by itself.
  const end = parseEvent({ ...summary, t: 'end', at: Date.parse(doneAt), exitCode, left: 0 })
  if (parsed.problem !== undefined || end?.t !== 'end') return undefined
  const { run } = parsed
  return { ...nothingKnown, id, dir, beganAt: Date.parse(run.startedAt), run, end }
}

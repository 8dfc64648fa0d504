/**
 * Names of jobs that are done once (`--once <name>`). `<state folder>/names/<SHA-256 of the name in lower case>/` holds the
 * lock of the name and `name.json`, which says which run has it. Only the holder of that lock decides that a name is free.
 *
 * `store.ts` has the names of a state folder, for sessions that begin or resume a run, `prune.ts`, `plans/apply.ts` and listings.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import * as v from 'valibot'
import { SvcError, messageOf, systemCode, usageError } from '../../errors.ts'
import { fileError, fileProblem, keptError } from '../../errno.ts'
import type { StateDir } from '../../config/paths.ts'
import { shellWord } from '../../words.ts'
import { syncFolder } from '../../disk/whole.ts'
import { readRecordedText, replaceFile } from '../record/recorded-files.ts'
import type { Lock, LockOptions } from '../../disk/lock.ts'
import type { LockHost } from '../../disk/lock-file.ts'
import { takeLock } from '../../disk/take.ts'
import { isRunId, otherVersion } from '../record/run.ts'
import { isRecorded, namesFolder } from './folders.ts'

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
  if (isRunId(text)) throw usageError(`--once takes a name that is no run's: ${text}`)
  return text
}

/** A folder relative to the current one would be another memory elsewhere. Throws exit 2. */
export function checkPlaceOfNames({ value, source, relative }: StateDir): void {
  if (relative === undefined) return
  throw usageError(
    `--once needs the same state folder each time, and ${source} "${relative}" depends on the current folder`,
    `name it with its whole path:\n  --state-dir ${shellWord(value)}`,
  )
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

/** The names of a state folder. `write` and `remove` are for the holder of the name's lock. */
export class Names {
  readonly #host: LockHost
  readonly #findFolder: () => string

  /** `findFolder`: the state folder. */
  constructor(host: LockHost, findFolder: () => string) {
    this.#host = host
    this.#findFolder = findFolder
  }

  get #stateDir(): string {
    return this.#findFolder()
  }

  /** Never a file's name itself: letter case is not the same everywhere. */
  folderOf(name: string): string {
    const mark = createHash('sha256').update(name.toLowerCase()).digest('hex')
    return join(namesFolder(this.#stateDir), mark)
  }

  /** Takes the lock of a name, making its folder. Throws exit 10, or 2 where this user may not. */
  async lock(name: string, options: Omit<LockOptions, 'what'>): Promise<Lock> {
    const { mkdir } = this.#host.disk.promises
    const dir = this.folderOf(name)
    for (let attempt = 0; ; attempt += 1) {
      try {
        await mkdir(namesFolder(this.#stateDir), { recursive: true, mode: 0o700 })
        await mkdir(dir, { recursive: true, mode: 0o700 })
        return await takeLock(this.#host, dir, { what: `the name "${name}"`, ...options })
      } catch (error) {
        // Another process that was declined has just removed the folder.
        const cause = error instanceof SvcError ? error.details.cause : error
        if (systemCode(cause) === 'ENOENT' && attempt < 100) continue
        throw keptError(`the name "${name}" cannot be recorded: ${dir}`, error)
      }
    }
  }

  /** Removes the folder of a name that nobody took. */
  async forgetEmpty(name: string): Promise<void> {
    await this.#host.disk.promises.rmdir(this.folderOf(name)).catch(() => undefined)
  }

  /** Which run has a name; undefined when it is free. `pruned` only when that run is gone. Throws exit 10 or 2 when the record cannot be read. */
  read(name: string): NameEntry | undefined {
    return this.#readIn(this.folderOf(name), `the record of the name "${name}"`)
  }

  #readIn(dir: string, what: string): NameEntry | undefined {
    const path = join(dir, 'name.json')
    let text: string
    try {
      text = readRecordedText(this.#host, path, what, 8 << 20)
    } catch (error) {
      const cause = error instanceof SvcError ? error.cause : error
      if (systemCode(cause) === 'ENOENT') return undefined
      const problem = systemCode(cause) === undefined ? error : cause
      throw keptError(`${what} cannot be read: ${path}`, problem)
    }
    try {
      const { pruned, ...record } = v.parse(NameFile, JSON.parse(text))
      // A run that is there speaks for itself.
      if (pruned === undefined || isRecorded(this.#host, this.#stateDir, record.run)) return record
      return { ...record, pruned }
    } catch (error) {
      throw new SvcError('local', `${what} is damaged: ${messageOf(error)}`, {
        hint: `nothing was sent; it is in ${path}`,
      })
    }
  }

  /** Gives a name to a run; on disk when this resolves. Throws exit 10. */
  async write(entry: Omit<NameEntry, 'schema'>): Promise<void> {
    const dir = this.folderOf(entry.name)
    const record: NameEntry = { schema: 'svc.name/1', ...entry }
    try {
      const pieces = [Buffer.from(`${JSON.stringify(record)}\n`)]
      const draft = join(dir, 'name.new')
      await replaceFile(this.#host, join(dir, 'name.json'), pieces, { draft })
      await this.makeLast(entry.name)
    } catch (error) {
      throw fileError('local', `the name "${entry.name}" cannot be recorded: ${dir}`, error)
    }
  }

  /** Makes a name last that is written, by whichever process; nothing for one that is not. Throws the system's error. */
  async makeLast(name: string): Promise<void> {
    const folders = [this.folderOf(name), namesFolder(this.#stateDir), this.#stateDir]
    for (const folder of folders) {
      if (this.#host.disk.existsSync(folder)) await syncFolder(this.#host, folder)
    }
  }

  /**
   * Frees a name for which a run did not begin: on disk before that run is removed, so that a name never belongs to a run of which
   * nothing is there.
   */
  async forgetRun(name: string, run: string): Promise<void> {
    if (this.read(name)?.run !== run) return
    const dir = this.folderOf(name)
    await this.#host.disk.promises.rm(join(dir, 'name.json'))
    await syncFolder(this.#host, dir)
  }

  /** Frees a name, whose lock goes with its folder. The name of a plan is never freed: callers look (`isPlanName`). */
  async remove(name: string): Promise<void> {
    await this.#host.disk.promises.rm(this.folderOf(name), { recursive: true, force: true })
  }

  /** Every name that a run has or had. Damaged records are left out, and told to `onDamaged`. */
  async list(
    onDamaged: (path: string, problem: string) => void = () => undefined,
  ): Promise<NameEntry[]> {
    const parent = namesFolder(this.#stateDir)
    let folders: string[]
    try {
      folders = await this.#host.disk.promises.readdir(parent)
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return []
      throw keptError(`the names cannot be listed: ${parent}`, error)
    }
    const entries: NameEntry[] = []
    for (const folder of folders) {
      const dir = join(parent, folder)
      try {
        const entry = this.#readIn(dir, 'the record of a name')
        if (entry !== undefined) entries.push(entry)
      } catch (error) {
        if (!(error instanceof SvcError)) throw error
        const isOfSystem = systemCode(error.cause) !== undefined
        onDamaged(dir, isOfSystem ? fileProblem(error.cause) : error.message)
      }
    }
    return entries
  }
}

/**
 * The recorded runs of a state folder, and the names that jobs have in it. A store holds its host: its callers need no other way to the
 * disk. Nothing here takes a lock. `cli/context.ts` makes one for a command; sessions and the verbs of `runs` work with it.
 */
import { join } from 'node:path'
import { SvcError, messageOf, systemCode } from '../../errors.ts'
import { fileError, keptError } from '../../errno.ts'
import type { Host } from '../../host.ts'
import type { DiskHost } from '../../world.ts'
import { readRecordedText } from '../record/recorded-files.ts'
import { findHolder, type Holder, type LockHost } from '../../disk/lock-file.ts'
import { createJournal, cutJournal, Journal, syncRun, type Guard } from '../record/journal.ts'
import { readBegin, readEnd, readJournal } from '../record/replay.ts'
import { parseEvent, type EndEvent } from '../record/events.ts'
import { hasBegun, readRunFile, writeRunFiles } from '../record/run-files.ts'
import {
  beganAt,
  isRunId,
  newRunId,
  otherVersion,
  parseRunFile,
  sequenceIn,
  type RunFile,
} from '../record/run.ts'
import { isRecorded, notWritable, prepareFolders, runFolder, runsFolder } from './folders.ts'
import { Names, type NameEntry } from './names.ts'
import { readRecorded, type RecordedRun } from './recorded.ts'

export type StoreHost = LockHost & Pick<Host, 'userId' | 'groupIds' | 'turn'>

type RecordedContents = Parameters<typeof writeRunFiles>[3]

/** A run as its files tell it, without reading all of its journal. */
export interface ListedRun {
  readonly id: string
  readonly dir: string
  /** By the clock of its machine, in milliseconds since 1970. */
  readonly beganAt: number
  /** Undefined when it never began, or when `problem` says why. */
  readonly run: RunFile | undefined
  /** Undefined while a session works on it, and when one died. */
  readonly end: EndEvent | undefined
  readonly holder: Holder | 'unreadable' | undefined
  readonly problem: string | undefined
  readonly isEarlier?: boolean
}

export class RunStore {
  readonly names: Names
  readonly #host: StoreHost
  readonly #findFolder: () => string

  /**
   * `findFolder`: the state folder, looked up when it is needed, since a dry run over ids needs none. Throws exit 2 for one that cannot be
   * used.
   */
  constructor(host: StoreHost, findFolder: () => string) {
    this.#host = host
    this.#findFolder = findFolder
    this.names = new Names(host, findFolder)
  }

  get stateDir(): string {
    return this.#findFolder()
  }

  /** Makes the folders that are missing. Throws exit 2, naming the ways out, when it cannot, 10 when the disk fails. */
  prepare(): Promise<void> {
    return prepareFolders(this.#host, this.stateDir)
  }

  /** Throws exit 2 when the text is not the id of a run. */
  folderOf(run: string): string {
    return runFolder(this.stateDir, run)
  }

  /** A folder for a new run, with nothing in it: no run yet. Throws exit 10. */
  async makeFolder(): Promise<{ run: string; dir: string }> {
    const { promises } = this.#host.disk
    for (let attempt = 0; ; attempt += 1) {
      const run = newRunId(this.#host.now(), this.#host.random())
      const dir = this.folderOf(run)
      try {
        await promises.mkdir(dir, { mode: 0o700 })
        // Whatever the umask takes away, the owner keeps.
        await promises.chmod(dir, 0o700)
        return { run, dir }
      } catch (error) {
        if (systemCode(error) !== 'EEXIST' || attempt === 100) throw notWritable(dir, error)
      }
    }
  }

  /** Whether a run is still there, which then speaks for its name alone. */
  isRecorded(run: string): boolean {
    return isRecorded(this.#host, this.stateDir, run)
  }

  /** `run.json`. Throws exit 2 when there is no such run, or it is of another format, exit 10 or 2 when it cannot be read. */
  readHeader(run: string): RunFile {
    return readRunFile(this.#host, this.folderOf(run), run).run
  }

  /** A run with what its journal tells. Throws exit 2 when there is no such run, exit 10 when it cannot be read or was changed. */
  read(run: string): Promise<RecordedRun> {
    return readRecorded(this.#host, this.folderOf(run), run)
  }

  /**
   * Writes the files and the journal of a new run, whose lock is held: it exists, with its number and time, when this resolves. Throws
   * exit 10.
   */
  async begin(header: RunFile, contents: RecordedContents): Promise<RunFile> {
    const dir = this.folderOf(header.run)
    const sequence = await this.nextSequence()
    const startedAt = new Date(this.#host.now()).toISOString()
    const run = { ...header, sequence, startedAt }
    const sums = await writeRunFiles(this.#host, dir, run, contents)
    const at = this.#host.now()
    await createJournal(this.#host, dir, {
      t: 'begin',
      at,
      schema: 'svc.run/5',
      run: run.run,
      sums,
    })
    return run
  }

  /** Makes a run and the name of its job last: who began it may have been killed before they were. Throws exit 10. */
  async makeLast({ run, once }: Pick<RunFile, 'run' | 'once'>): Promise<void> {
    const dir = this.folderOf(run)
    try {
      await syncRun(this.#host, dir)
      if (once !== undefined) await this.names.makeLast(once.name)
    } catch (error) {
      throw fileError('local', `run ${run} cannot be recorded: ${dir}`, error).with({ run })
    }
  }

  /** The journal of a run whose lock is held, to be written on. Throws exit 10. */
  openJournal(run: string, lock: Guard): Promise<Journal> {
    return Journal.open(this.#host, this.folderOf(run), run, lock)
  }

  /** Cuts off what a crash left at the end of a journal; `check` rejects when the lock is lost, with nothing changed. */
  cutJournal(run: string, cut: Parameters<typeof cutJournal>[3]): Promise<void> {
    return cutJournal(this.#host, this.folderOf(run), run, cut)
  }

  /** Removes the drafts that earlier sessions of a run left, whose lock is held. */
  async removeDrafts({ drafts }: RecordedRun): Promise<void> {
    const { rm } = this.#host.disk.promises
    for (const draft of drafts) await rm(draft, { force: true }).catch(() => undefined)
  }

  /** Bytes at the end of a journal that a crash left. Throws exit 10 for one that is damaged. */
  async countTorn(run: string): Promise<number> {
    const dir = this.folderOf(run)
    if (!hasBegun(this.#host, dir)) return 0
    return (await readJournal(this.#host, dir, run, () => undefined)).torn
  }

  /** Who works on a run. */
  holderOf(run: string): Promise<Holder | 'unreadable' | undefined> {
    return findHolder(this.#host, this.folderOf(run))
  }

  /** Ids of all runs, those included that never began. A folder that is not there has none. */
  async ids(): Promise<string[]> {
    const folder = runsFolder(this.stateDir)
    try {
      return (await this.#host.disk.promises.readdir(folder)).filter(isRunId)
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return []
      throw keptError(`the runs cannot be listed: ${folder}`, error)
    }
  }

  /** All runs, the last first, with those that never began. */
  async list(): Promise<ListedRun[]> {
    const listed: ListedRun[] = []
    for (const id of await this.ids()) listed.push(await this.look(id))
    return listed.sort(laterFirst)
  }

  async look(id: string): Promise<ListedRun> {
    const host = this.#host
    const dir = this.folderOf(id)
    const began = beganAt(id)
    const bare = {
      id,
      dir,
      beganAt: began,
      run: undefined,
      end: undefined,
      problem: undefined,
    }
    const holder = await findHolder(host, dir).catch((): 'unreadable' => 'unreadable')
    try {
      if (!hasBegun(host, dir)) return { ...bare, holder }
      const { run } = readRunFile(host, dir, id)
      if (readBegin(host, dir, id) === undefined) return { ...bare, holder }
      const end = readEnd(host, dir, id)
      // The id of a run tells the second only.
      return {
        ...bare,
        beganAt: Date.parse(run.startedAt),
        run,
        end,
        holder,
      }
    } catch (error) {
      const isEarlier = error instanceof SvcError && error.category === 'usage'
      return {
        ...bare,
        holder,
        problem: messageOf(error),
        isEarlier,
      }
    }
  }

  /** A run that was removed, as far as the record of its name tells of it; undefined when the run is still there. */
  prunedRun({ name, run: id, pruned }: NameEntry): ListedRun | undefined {
    if (pruned === undefined) return undefined
    const nothingKnown = {
      run: undefined,
      end: undefined,
      holder: undefined,
      problem: undefined,
    }
    const bare = {
      ...nothingKnown,
      id,
      dir: this.names.folderOf(name),
    }
    const version = otherVersion(pruned.description)
    if (version !== undefined) {
      const problem = `it was recorded by svc ${version}, in a format that this version does not read`
      return {
        ...bare,
        beganAt: beganAt(id),
        problem,
        isEarlier: true,
      }
    }
    const parsed = parseRunFile(pruned.description)
    const { summary, exitCode, doneAt } = pruned
    // A run of which something is left is not removed by itself.
    const end = parseEvent({
      ...summary,
      t: 'end',
      at: Date.parse(doneAt),
      exitCode,
      left: 0,
    })
    if (parsed.problem !== undefined || end?.t !== 'end') return undefined
    const { run } = parsed
    return {
      ...bare,
      beganAt: Date.parse(run.startedAt),
      run,
      end,
    }
  }

  /** The runs that began last, at most so many, the last first. */
  async last(most: number): Promise<ListedRun[]> {
    const numbers = await this.#numbers()
    const last = numbers
      .sort((a, b) => b.sequence - a.sequence || (b.id > a.id ? 1 : -1))
      .slice(0, most)
    return Promise.all(last.map(({ id }) => this.look(id)))
  }

  /**
   * The number of a new run: one more than the largest before it, so that the order in which runs began is known whatever the clocks
   * say. Runs that were removed count as long as the record of their name is there.
   */
  async nextSequence(): Promise<number> {
    const recorded = (await this.#numbers()).map(({ sequence }) => sequence)
    const names = await this.names.list()
    const removed = names.map(({ pruned }) => sequenceIn(pruned?.description))
    return [...recorded, ...removed].reduce((largest, each) => Math.max(largest, each), 0) + 1
  }

  async #numbers() {
    const ids = await this.ids()
    return ids.map((id) => ({ id, sequence: this.#sequenceOf(id) }))
  }

  /** The number in `run.json`; 0 where it cannot be read. */
  #sequenceOf(id: string): number {
    const path = join(this.folderOf(id), 'run.json')
    try {
      return sequenceIn(JSON.parse(readRecordedText(this.#host, path, id, 1 << 20)))
    } catch (error) {
      if (error instanceof SvcError || error instanceof SyntaxError) return 0
      throw error
    }
  }

  /** How many runs there are, those that never began included, and how many bytes their files have. */
  measure(): { runs: number; bytes: number } {
    const { disk } = this.#host
    const folder = runsFolder(this.stateDir)
    const measured = { runs: 0, bytes: 0 }
    for (const run of namesIn(disk, folder).filter(isRunId)) {
      measured.runs += 1
      for (const name of namesIn(disk, join(folder, run))) {
        const stat = disk.lstatSync(join(folder, run, name), { throwIfNoEntry: false })
        measured.bytes += stat?.size ?? 0
      }
    }
    return measured
  }

  /** Removes a run's folder, whose lock is held. Throws exit 10. */
  async remove(run: string): Promise<void> {
    try {
      await this.#host.disk.promises.rm(this.folderOf(run), { recursive: true, force: true })
    } catch (error) {
      throw fileError('local', `the folder of run ${run} cannot be removed`, error).with({ run })
    }
  }
}

/** Compares two runs, the later one first: by their numbers, by id where these are alike. */
export function laterFirst(one: ListedRun, other: ListedRun): number {
  const number = sequenceOf(one)
  const otherNumber = sequenceOf(other)
  if (number === otherNumber) return other.id > one.id ? 1 : -1
  return otherNumber > number ? 1 : -1
}

/** Runs of earlier formats have none; a damaged one may be the last of all. */
function sequenceOf({ run, isEarlier }: ListedRun): number {
  return run?.sequence ?? (isEarlier === true ? 0 : Infinity)
}

/** Nothing where there is no folder, or none that can be read: the caller that needs its content reports that. */
function namesIn(disk: DiskHost['disk'], folder: string): string[] {
  try {
    return disk.readdirSync(folder)
  } catch (error) {
    if (systemCode(error) === undefined) throw error
    return []
  }
}

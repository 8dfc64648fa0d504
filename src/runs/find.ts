/** The recorded runs: their names, the one that a person means, and what their beginnings and ends say about all of them. */
import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { checkStateFolder, stateFolder } from '../config/paths.ts'
import type { Profile } from '../config/profile.ts'
import { fileError, SvcError, systemCode } from '../errors.ts'
import type { Host } from '../host.ts'
import { checkWritable, makeFolders, removeHidden, syncFolder } from '../disk/folders.ts'
import type { Head } from './lines.ts'
import { countStrangers, partNumbers, readEnd, readHead } from './parts.ts'
import { beginningPrefix, busyError, removedPrefix, RunRecord } from './record.ts'
import type { State } from './state.ts'
import { dayMs } from '../values.ts'

/** A run without its ids. A record that was read whole is one. */
export interface RunFacts {
  run: string
  isHeld: boolean
  state: Pick<
    State,
    'head' | 'hasAllIds' | 'counts' | 'due' | 'end' | 'isClosed' | 'damage' | 'lastAt'
  >
}

export interface ListedRuns {
  /** The newest first. */
  runs: readonly RunFacts[]
  /** Runs whose job or ids cannot be read. */
  unreadable: readonly RunFacts[]
}

const runName = /^(?:[a-z]+-\d{8}-\d{6}-[0-9a-f]{4}|@[a-z0-9][a-z0-9._-]{0,63})$/

/** Returns the run of a `--once` name. */
export const onceRun = (once: string) => `@${once.toLowerCase()}`

/** Returns the recorded runs of this machine. Throws exit 2 if the state folder cannot be used. */
export const recordedRuns = ({ host }: { host: Host }) => new Runs(host, stateFolder(host))

export class Runs {
  readonly folder: string
  readonly host: Host

  constructor(host: Host, parent: string) {
    this.host = host
    this.folder = join(parent, 'runs')
  }

  /** Makes the folder, and removes what kills have left in it. Throws exit 2 if it cannot be written. */
  prepare() {
    const { disk } = this.host
    try {
      makeFolders(this.host, this.folder)
      if (this.#visible().length === 0) this.#syncOwnName()
      checkStateFolder(this.host, this.folder)
      checkWritable(this.host, this.folder)
      disk.accessSync(this.folder, disk.constants.W_OK | disk.constants.X_OK)
    } catch (error) {
      const hint = 'nothing was sent; set SVC_STATE_DIR to another folder'
      throw fileError(
        'usage',
        `the state folder cannot be written: ${this.folder}`,
        error,
        hint,
      )
    }
    // Hidden folders that are older than a day belong to nobody anymore.
    const isHidden = (name: string) =>
      name.startsWith(beginningPrefix) || name.startsWith(removedPrefix)
    for (const name of this.#entries().filter(isHidden)) {
      const stat = disk.lstatSync(join(this.folder, name), { throwIfNoEntry: false })
      if (stat !== undefined && this.host.now() - stat.mtimeMs > dayMs) this.takeAway(name)
    }
  }

  /**
   * A command that was killed may have made the folder, or one above it, before its name was on disk. The first run makes up for
   * it, up to the first folder in which svc can make no names.
   */
  #syncOwnName() {
    const { disk } = this.host
    for (let at = dirname(this.folder); at !== dirname(at); at = dirname(at)) {
      try {
        disk.accessSync(at, disk.constants.W_OK)
      } catch {
        return
      }
      syncFolder(this.host, at)
    }
  }

  #entries(): string[] {
    try {
      return this.host.disk.readdirSync(this.folder)
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return []
      throw fileError('usage', `the runs cannot be listed: ${this.folder}`, error)
    }
  }

  #names() {
    return this.#entries().filter((name) => runName.test(name))
  }

  #visible() {
    return this.#entries().filter((name) => !name.startsWith('.'))
  }

  /** Returns the hidden folders of runs that are being begun. */
  beginnings() {
    return this.#entries().filter((name) => name.startsWith(beginningPrefix))
  }

  /**
   * Renames a run or a hidden folder away, and removes it. A command that works on it stops at its check. Throws exit 7 if it is
   * another run, which began under the name of the one that is meant.
   */
  takeAway(name: string, isMeant?: (head: Head | undefined) => boolean) {
    const { disk, randomBytes } = this.host
    const place = join(this.folder, name)
    const away = join(this.folder, `${removedPrefix}${randomBytes(8).toString('hex')}`)
    try {
      disk.renameSync(place, away)
      if (isMeant?.(this.#headIn(away)) === false) {
        disk.renameSync(away, place)
        throw busyError(name)
      }
      // After a power failure, no run may be back that lacks some of its parts.
      syncFolder(this.host, this.folder)
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return
      throw fileError('usage', `${place} cannot be removed`, error)
    }
    removeHidden(this.host, away)
  }

  /** Returns the head of the run in a folder; undefined if it cannot be read. */
  #headIn(folder: string) {
    try {
      return readHead(this.host, join(folder, '1.ndjson'))?.head
    } catch (error) {
      if (!(error instanceof SvcError)) throw error
      return undefined
    }
  }

  /**
   * Reads a run or a hidden folder. Returns undefined if there is none, or no longer, and for a copy under another name.
   */
  async read(name: string): Promise<RunRecord | undefined> {
    const record = await RunRecord.read(this.host, this.folder, name)
    const { run = name } = record?.state.knownHead ?? {}
    return run === name || name.startsWith('.') ? record : undefined
  }

  /** Returns a name for a run without a `--once` name: `delete-20260301-101500-3f9a`. */
  newName(verb: string) {
    const digits = new Date(this.host.now()).toISOString().replace(/\D/g, '')
    const suffix = this.host.randomBytes(2).toString('hex')
    return `${verb}-${digits.slice(0, 8)}-${digits.slice(8, 14)}-${suffix}`
  }

  /** Returns what the head and the last line of a run say. A run without an `end` is read whole. Undefined if there is no such run. */
  async factsOf(run: string): Promise<RunFacts | undefined> {
    const folder = join(this.folder, run)
    try {
      const last = Math.max(0, ...partNumbers(this.host, folder))
      const head = readHead(this.host, join(folder, '1.ndjson'))?.head
      const end = readEnd(this.host, join(folder, `${last}.ndjson`))
      if (head?.run !== run || end === undefined) return await this.read(run)
      const { outcomes: counts, due, closed, at: lastAt } = end
      const isClosed = closed === true
      const known = { head, hasAllIds: true, counts, due, end, isClosed, lastAt }
      return { run, isHeld: false, state: { ...known, damage: undefined } }
    } catch (error) {
      if (!(error instanceof SvcError)) throw error
      // Reading it whole records what is damaged.
      return this.read(run)
    }
  }

  /** Returns what is known of all runs. */
  async list(): Promise<ListedRuns> {
    const all: RunFacts[] = []
    for (const name of this.#names().sort()) {
      const facts = await this.factsOf(name)
      if (facts !== undefined) all.push(facts)
    }
    const runs = all.filter(({ state }) => state.hasAllIds)
    runs.sort(
      (one, other) =>
        other.state.head.at - one.state.head.at || (one.run < other.run ? 1 : -1),
    )
    return { runs, unreadable: all.filter(({ state }) => !state.hasAllIds) }
  }

  /** Returns how many files that svc does not know lie among the runs, or in the folder of one. */
  countUnknownFiles({ runs, unreadable }: ListedRuns): number {
    const within = runs.map(({ run }) => countStrangers(this.host, join(this.folder, run)))
    const beside = this.#visible().length - runs.length - unreadable.length
    return within.reduce((sum, count) => sum + count, beside)
  }

  /** Reads the run that a person means: an id or a `--once` name, whole. Throws exit 1 if there is none. */
  async find(typed: string): Promise<RunRecord> {
    const wanted = typed.toLowerCase()
    const name = [wanted, onceRun(wanted)].find((each) => this.#names().includes(each))
    const record = name === undefined ? undefined : await this.read(name)
    if (record === undefined)
      throw noSuchRun(`there is no run "${typed}" in ${this.folder}`)
    return record
  }

  /** Reads the newest run of a profile. Throws exit 1 if there is none. */
  async findNewest(profile: Profile): Promise<RunRecord> {
    const { runs } = await this.list()
    const newest = runs.find(({ state }) => belongsTo(state.head, profile))
    if (newest !== undefined) return this.find(newest.run)
    throw noSuchRun(`there is no run on ${new URL(profile.baseUrl).host} with this profile`)
  }
}

/** Returns the first 16 digits of the SHA-256 of an API key. They tell keys apart, but do not give them away. */
export const keyFingerprint = (apiKey: string) =>
  createHash('sha256').update(apiKey).digest('hex').slice(0, 16)

/** Whether a run began on the same service, and with the same key or under the same profile name. */
export function belongsTo(head: Head, { baseUrl, apiKey, name }: Profile) {
  const isSameProfile = head.profile !== null && head.profile === name
  return head.baseUrl === baseUrl && (head.key === keyFingerprint(apiKey) || isSameProfile)
}

const noSuchRun = (message: string) =>
  new SvcError('rejected', message, { hint: 'see all runs with:\n  svc runs list' })

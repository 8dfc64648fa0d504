/**
 * The record of a run on disk: it begins, a command goes on with it by a part of its own, and lines are appended to that part.
 * README.md in this folder says what is written when, and why that is enough. Calls are synchronous, except for syncs, which
 * workers share, and for pieces of long records.
 */
import { dirname, join } from 'node:path'
import { SvcError, fileError, systemCode, usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import type { Items } from '../input/items.ts'
import { removeHidden, syncFolder } from '../disk/folders.ts'
import { decodeLine, type Head, type ItemRow, type Line, type NewLine } from './lines.ts'
import { OwnPart, syncPath } from './own-part.ts'
import { partNumbers, readHead, readLines } from './parts.ts'
import { State } from './state.ts'

/** Without a sign of life for this time, a process counts as dead. That only decides who waits, never what is true. */
const aliveForMs = 20_000
const idsPerLine = 1000
/** The names of folders in `runs` that are no runs: one that is being begun, and one that is being removed. */
export const beginningPrefix = '.new-'
export const removedPrefix = '.removed-'

/** A run that begins. */
export interface Beginning {
  /** Returns a name for the run. */
  name: () => string
  headFor: (run: string) => Omit<Head, 'at'>
  items: Items
  /** Throws if the run may not begin. `own` is the folder in which it is written, `run` its name. */
  checkOthers: (own: string, run: string) => Promise<void>
}

export class RunRecord {
  run: string
  folder: string
  state: State
  /** Why nothing more is sent. */
  failure: SvcError | undefined
  /** The record was moved or removed: another command would know nothing of what was sent. */
  isGone = false
  readonly #host: Host
  /** The number of the last part; of a command that works on the run, its own. */
  #part = 0
  /** The part of this command, if it works on the run. */
  #own: OwnPart | undefined
  /** The checksum of the last line that was read, and those of all. */
  #checksum = 0
  readonly #checksums = new Set<number>()
  /** The checksum of the `run` line, by which a run is known again. */
  #headChecksum: number | undefined

  private constructor(host: Host, runs: string, run: string, items?: Items) {
    this.#host = host
    this.run = run
    this.folder = join(runs, run)
    this.state = new State(items)
  }

  // Reading

  /** Reads a run. Returns undefined if there is none. Damage is in its state. */
  static async read(host: Host, runs: string, run: string): Promise<RunRecord | undefined> {
    for (;;) {
      const record = new RunRecord(host, runs, run)
      const parts = await record.#orDamage(() => partNumbers(host, record.folder))
      if (parts === undefined) return record
      if (parts.length === 0) return undefined
      record.#part = Math.max(...parts)
      await record.#orDamage(() => record.#readParts())
      // A late result in a part that was read says nothing against a part that came meanwhile.
      if (partNumbers(host, record.folder).length === parts.length) return record
    }
  }

  /** Does work of reading. What cannot be read, such as a link, is damage. */
  async #orDamage<T>(read: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof SvcError)) throw error
      this.state.damage = error.message
      return undefined
    }
  }

  async #readParts() {
    for (let part = 1; part <= this.#part; part += 1) await this.#readPart(part)
    if (!this.state.hasAllIds) throw usageError(`the head in ${this.#path(1)} is not whole`)
  }

  async #readPart(part: number) {
    const { state } = this
    let number = 0
    state.opened = undefined
    state.end = undefined
    for await (const text of readLines(this.#host, this.#path(part))) {
      number += 1
      const isFirst = number === 1
      const read = decodeLine(text, isFirst ? undefined : this.#checksum)
      const isInPlace = read !== undefined && (read.line.t === 'open') === isFirst
      if (!isInPlace || !this.#isBehind(read.line, part) || !state.apply(read.line))
        throw usageError(`line ${number} of ${this.#path(part)} is damaged`)
      this.#checksum = read.c
      this.#checksums.add(read.c)
      if (read.line.t === 'run') this.#headChecksum = read.c
    }
  }

  /** Whether a part, by its `open` line, follows a line of the parts before it. */
  #isBehind(line: Line, part: number) {
    if (line.t !== 'open') return true
    if (part === 1) return line.after === undefined
    return line.after !== undefined && this.#checksums.has(line.after)
  }

  /** Whether another process may be working on the run: its part has no `end`, no death is known, and it shows signs of life. */
  get isHeld() {
    const { opened, end } = this.state
    const { computer, isRunning, now } = this.#host
    const isDead = opened?.host === computer.hostname && !isRunning(opened.pid)
    const stat = end !== undefined || isDead ? undefined : this.#statOf(this.#part)
    return typeof stat === 'object' && Math.abs(now() - stat.mtimeMs) < aliveForMs
  }

  #path(part: number) {
    return join(this.folder, `${part}.ndjson`)
  }

  /** Undefined: there is no such part. `unclear`: nobody can say whether there is one. */
  #statOf(part: number) {
    try {
      return this.#host.disk.lstatSync(this.#path(part), { throwIfNoEntry: false })
    } catch {
      return 'unclear'
    }
  }

  // Beginning

  /**
   * Begins a run. The whole head is on disk, and no other run has its ids open, before the run has a name. Throws exit 7 if another
   * process was faster.
   */
  static async begin(
    host: Host,
    runs: string,
    { name, headFor, items, checkOthers }: Beginning,
  ): Promise<RunRecord> {
    for (let attempt = 1; ; attempt += 1) {
      const run = name()
      const head = headFor(run)
      const hidden = `${beginningPrefix}${host.randomBytes(8).toString('hex')}`
      const record = new RunRecord(host, runs, hidden, items)
      try {
        await record.#writeHead(head)
        await checkOthers(hidden, run)
        record.closeFile()
        host.disk.renameSync(record.folder, join(runs, run))
      } catch (error) {
        record.closeFile()
        removeHidden(host, record.folder)
        const code = systemCode(error)
        // A folder never takes the place of one that has a part in it.
        const isNameTaken = code === 'ENOTEMPTY' || code === 'EEXIST'
        // ENOENT: another command for the same ids has taken the hidden folder away. Without a code, it is a defect.
        if (code === undefined) throw error
        if (code !== 'ENOENT' && !isNameTaken)
          throw fileError('usage', cannotWrite(join(runs, run)), error, nothingSent)
        if (attempt > 3 || (isNameTaken && head.once !== null)) throw beingBegunError(run)
        await host.sleep(Math.round(host.random() * 1000))
        continue
      }
      return record.#openNamed(runs, run)
    }
  }

  /** Writes the head to a hidden folder, and syncs it. */
  async #writeHead(head: Omit<Head, 'at'>) {
    const { disk, turn } = this.#host
    disk.mkdirSync(this.folder, { mode: 0o700 })
    const part = this.#createPart(1)
    part.writeOpen()
    this.state.apply(part.write(head))
    // The items of a run that begins are in its state already.
    for (let from = 0; from < this.state.items.size; from += idsPerLine) {
      part.write({ t: 'ids', ids: this.#rowsFrom(from) })
      if (from % (16 * idsPerLine) === 0) await turn()
    }
    part.syncNow()
    syncFolder(this.#host, this.folder)
  }

  #rowsFrom(from: number) {
    const { items } = this.state
    const rows: ItemRow[] = []
    for (let index = from; index < Math.min(from + idsPerLine, items.size); index += 1) {
      const { id, line, target, expected } = items.at(index)
      if (target === undefined) rows.push([id, line])
      else
        rows.push(
          expected === undefined ? [id, line, target] : [id, line, target, expected],
        )
    }
    return rows
  }

  /** Takes the name of the run, and opens part 1 again to append to it. */
  #openNamed(runs: string, run: string) {
    this.run = run
    this.folder = join(runs, run)
    try {
      syncFolder(this.#host, runs)
      this.#ownPart.openAgain(this.#path(1))
    } catch (error) {
      throw this.#cannotGoOn(error)
    }
    return this
  }

  // Going on

  /**
   * Creates the next part, for this command, and reads the record again. Throws exit 7 unless the run is then as it was when a
   * person was asked about it.
   */
  async addPart(): Promise<void> {
    const { state: asked, run } = this
    const head = this.#headChecksum
    const isOther = () =>
      asked.damage === undefined && readHead(this.#host, this.#path(1))?.checksum !== head
    if (isOther()) throw busyError(run)
    this.syncParts()
    const own = this.#part + 1
    try {
      const part = this.#createPart(own, this.#checksum)
      // In another run that has this one's place by now, a part with a line would be damage.
      if (isOther()) {
        if (part.isInPlace()) removeHidden(this.#host, this.#path(own))
        throw busyError(run)
      }
      part.writeOpen(this.#checksum)
      part.syncNow()
      syncFolder(this.#host, this.folder)
      // The command that began the run may have been killed before its name was on disk.
      syncFolder(this.#host, dirname(this.folder))
    } catch (error) {
      // An empty part is held by its time alone, so that it would keep others waiting.
      this.#own?.touch(0)
      this.closeFile()
      throw systemCode(error) === 'EEXIST' ? busyError(run) : this.#cannotGoOn(error)
    }
    const again = await RunRecord.read(this.#host, dirname(this.folder), run)
    if (again === undefined || again.#headChecksum !== head)
      throw this.#fail(busyError(run))
    this.state = again.state
    // Lines that the parts before got until they were read again.
    if (asked.damage === undefined) this.#ownPart.syncsFirst = this.#pathsTo(own - 1)
    const { isClosed } = again.state
    // A merge in doubt becomes due again if a late answer says that it was turned away.
    const dueIn = (state: State) => String(state.dueRanges(Infinity))
    const isAsAsked = isClosed === asked.isClosed && dueIn(again.state) === dueIn(asked)
    if (isAsAsked && again.#part === own) return
    this.writeEnd({ closed: isClosed || undefined })
    throw this.#fail(busyError(run))
  }

  /** Puts on disk what the parts say, and their names, before anything relies on it. */
  syncParts() {
    // A damaged part may be missing. Nothing is sent after it anyway.
    if (this.state.damage !== undefined) return
    try {
      for (const path of this.#pathsTo(this.#part)) syncPath(this.#host, path)
      syncFolder(this.#host, this.folder)
    } catch (error) {
      throw fileError('usage', cannotWrite(this.folder), error, nothingSent)
    }
  }

  /** Returns the paths of all parts up to one: a late result may stand in any of them. */
  #pathsTo(last: number) {
    return Array.from({ length: last }, (_, index) => this.#path(index + 1))
  }

  #cannotGoOn(error: unknown) {
    const hint = `nothing was sent; free space or fix the disk, and then:\n  svc runs resume ${this.run}`
    return fileError('usage', cannotWrite(this.folder), error, hint)
  }

  // Writing

  get #ownPart() {
    if (this.#own === undefined) throw new TypeError('no part is open')
    return this.#own
  }

  #createPart(part: number, after?: number) {
    this.#own = new OwnPart(this.#host, this.#path(part), after)
    this.#part = part
    return this.#own
  }

  /** Throws if nothing more may be sent: exit 7 if another command works on the run, exit 1 if the record is gone. */
  check() {
    if (this.failure !== undefined) throw this.failure
    if (this.#statOf(this.#part + 1) !== undefined) throw this.#fail(busyError(this.run))
    this.isGone = !this.#ownPart.isInPlace()
    if (this.isGone) throw this.#fail(recordGoneError(this.run))
  }

  /** Appends a line that is about to take effect, and syncs it. When this resolves, its request may be sent. */
  async appendSynced(line: NewLine): Promise<void> {
    this.check()
    this.append(line)
    await this.sync()
    this.check()
  }

  /** Appends a line in any case: the part is this command's own, and a later part has the last word. */
  append(line: NewLine) {
    if (this.failure?.category === 'local') throw this.failure
    try {
      this.state.apply(this.#ownPart.write(line))
    } catch (error) {
      throw this.#cannotWriteOn(error)
    }
  }

  /** Puts all lines of this command on disk. */
  async sync(): Promise<void> {
    try {
      await this.#ownPart.sync()
    } catch (error) {
      throw this.#cannotWriteOn(error)
    }
  }

  #cannotWriteOn(error: unknown) {
    // All results may be on record already.
    const verb = this.state.due > 0 ? 'resume' : 'show'
    const hint = `free space or fix the disk, and then:\n  svc runs ${verb} ${this.run}`
    return this.#fail(fileError('local', cannotWrite(this.folder), error, hint))
  }

  /** Writes the `end` of this command, without a sync. */
  writeEnd(
    members: Partial<Pick<Extract<NewLine, { t: 'end' }>, 'stop' | 'receipts' | 'closed'>>,
  ) {
    const { counts: outcomes, due } = this.state
    const left = members.closed === true ? 0 : due
    this.append({ t: 'end', outcomes, due: left, ...members })
  }

  /** Closes the run for good. Throws exit 7 if another command works on it by now. */
  async endClosed(): Promise<void> {
    this.writeEnd({ closed: true })
    await this.sync()
    this.check()
  }

  /** Notes why nothing more is sent. Returns the error to throw, which is always the first one. */
  #fail(failure: SvcError) {
    return (this.failure ??= failure)
  }

  closeFile() {
    this.#own?.close()
  }
}

const nothingSent =
  'nothing was sent; free space, or set SVC_STATE_DIR to another state folder'
const cannotWrite = (folder: string) => `the record of the run cannot be written: ${folder}`

export function busyError(run: string) {
  const message = `another process is working on run ${run}, or was a moment ago`
  const hint = `nothing more was sent from here; see how far it is:\n  svc runs show ${run}\nif nobody has worked on it for 20s:\n  svc runs resume ${run}`
  return new SvcError('busy', message, { hint })
}

function beingBegunError(run: string) {
  const message = `another process is beginning run ${run}, or one with the same ids`
  const hint = `nothing was sent from here; see the runs:\n  svc runs list`
  return new SvcError('busy', message, { hint })
}

function recordGoneError(run: string) {
  return new SvcError('local', `the record of run ${run} was moved or removed`, {
    hint: 'nothing more was sent from here; a repetition would know nothing of what was sent',
  })
}

/**
 * The record of a run: a folder with a part for each command that worked on the run, `1.ndjson`, `2.ndjson` and so on. A part has
 * one writer, for ever. To go on with a run is to create its next part, which only one process can. A process whose run has a
 * next part sends nothing more. Calls are synchronous, except for syncs, which workers share, and for pieces of long records.
 * README.md in this folder says why that is enough.
 */
import { join } from 'node:path'
import { SvcError, fileError, systemCode, usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import type { Items } from '../input/items.ts'
import { checkWritable } from '../output/whole.ts'
import type { Timer } from '../world.ts'
import {
  decodeLine,
  encodeLine,
  type Head,
  type ItemRow,
  type LineOf,
  type NewLine,
} from './lines.ts'
import { State } from './state.ts'

export type RecordHost = Pick<
  Host,
  | 'disk'
  | 'pid'
  | 'computer'
  | 'isRunning'
  | 'now'
  | 'random'
  | 'randomBytes'
  | 'sleep'
  | 'every'
  | 'turn'
>

/** A process sets the time of its part this often, as a sign of life. */
const touchEveryMs = 4_000
/** Without a sign of life for this time, a process counts as dead. That only decides who waits, never what is true. */
const aliveForMs = 20_000
const idsPerLine = 1000
/** A record is read in pieces, so that signals are handled between them. */
const pieceBytes = 1 << 20
/** The head of a run, and its `end`, are within so many bytes of the edges of a part. */
const edgeBytes = 1 << 14

/** A run that begins. */
export interface Beginning {
  /** Returns a name for the run. */
  name: () => string
  /** Whether the name was typed (`--once`), so that no other one will do. */
  isTyped: boolean
  headFor: (run: string) => Omit<Head, 'at'>
  items: Items
  /** Throws if the run may not begin. `own` is the folder in which it is written, `run` its name. */
  look: (own: string, run: string) => Promise<void>
}

export class RunRecord {
  run: string
  folder: string
  state: State
  /** Why nothing more is sent. */
  failure: SvcError | undefined
  /** The record was moved or removed: another command would know nothing of what was sent. */
  isGone = false
  readonly #host: RecordHost
  /** The number of the last part; of a command that works on the run, its own. */
  #part = 0
  /** The checksum of the last line, and those of all lines that were read. */
  #checksum = 0
  readonly #checksums: number[] = []
  /** The checksum of the `run` line, by which a run is known again. */
  #headChecksum: number | undefined
  /** The own part, and the one before it until it is synced once more. */
  #file: number | undefined
  #fileBefore: number | undefined
  #touching: Timer | undefined
  #nextSync: Promise<void> | undefined
  #lastSync: Promise<void> = Promise.resolve()

  private constructor(host: RecordHost, runs: string, run: string, items?: Items) {
    this.#host = host
    this.run = run
    this.folder = join(runs, run)
    this.state = new State(items)
  }

  // Reading

  /** Reads a run. Returns undefined if there is none. Throws exit 2 if it cannot be read. Damage is in its state. */
  static async read(
    host: RecordHost,
    runs: string,
    run: string,
  ): Promise<RunRecord | undefined> {
    for (;;) {
      const record = new RunRecord(host, runs, run)
      const parts = await record.#orDamage(() => partNumbers(host, record.folder))
      if (parts === undefined) return record
      record.#part = Math.max(0, ...parts)
      if (record.#part === 0) return undefined
      await record.#readParts(parts)
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

  async #readParts(parts: readonly number[]) {
    for (let part = 1; part <= this.#part; part += 1) {
      if (this.state.damage !== undefined) return
      if (parts.includes(part)) await this.#orDamage(() => this.#readPart(part))
      else this.state.damage = `${this.#path(part)} is missing`
    }
    if (!this.state.isWhole)
      this.state.damage ??= `the head in ${this.#path(1)} is not whole`
  }

  async #readPart(part: number) {
    const before = this.#checksums.length
    let number = 0
    this.state.opened = undefined
    this.state.end = undefined
    for await (const bytes of readLines(this.#host, this.#path(part))) {
      number += 1
      const isFirst = number === 1
      const read = decodeLine(bytes, isFirst ? undefined : this.#checksum)
      const isInPlace = read !== undefined && (read.line.t === 'open') === isFirst
      const isBehind =
        !isFirst ||
        (read?.line.t === 'open' && this.#isAfterOthers(read.line.after, part, before))
      if (!isInPlace || !isBehind || !this.state.apply(read.line)) {
        this.state.damage = `line ${number} of ${this.#path(part)} is damaged`
        return
      }
      this.#checksum = read.c
      this.#checksums.push(read.c)
      if (read.line.t === 'run') this.#headChecksum = read.c
    }
  }

  /** Whether a part stands behind a line of the parts before it, of which there are `count`. */
  #isAfterOthers(after: number | undefined, part: number, count: number) {
    if (part === 1) return after === undefined
    if (after === undefined) return false
    const at = this.#checksums.indexOf(after)
    return at >= 0 && at < count
  }

  /** Whether another process may be working on the run: its part has no `end`, no death is known, and it shows signs of life. */
  get isHeld() {
    const { opened, end } = this.state
    if (end !== undefined) return false
    const { disk, computer, isRunning, now } = this.#host
    if (opened?.host === computer.hostname && !isRunning(opened.pid)) return false
    const facts = disk.lstatSync(this.#path(this.#part), { throwIfNoEntry: false })
    return facts !== undefined && Math.abs(now() - facts.mtimeMs) < aliveForMs
  }

  #path(part: number) {
    return join(this.folder, `${part}.ndjson`)
  }

  // Beginning

  /**
   * Begins a run. The whole head is on disk, and the run has passed its look, before the run has a name. Throws exit 7 if another
   * process was faster.
   */
  static async begin(
    host: RecordHost,
    runs: string,
    beginning: Beginning,
  ): Promise<RunRecord> {
    for (let attempt = 1; ; attempt += 1) {
      const run = beginning.name()
      const hidden = `${draftPrefix}${host.randomBytes(8).toString('hex')}`
      const draft = new RunRecord(host, runs, hidden, beginning.items)
      try {
        await draft.#writeHead(beginning, run)
        host.disk.renameSync(draft.folder, join(runs, run))
      } catch (error) {
        draft.close()
        removeHidden(host, draft.folder)
        const code = systemCode(error)
        // A folder never takes the place of one that has a part in it.
        const isNameTaken = code === 'ENOTEMPTY' || code === 'EEXIST'
        // ENOENT: another command for the same ids has taken the hidden folder away. Without a code, it is a defect.
        if (code === undefined) throw error
        if (code !== 'ENOENT' && !isNameTaken)
          throw fileError('usage', cannotWrite(join(runs, run)), error, nothingSent)
        if (attempt > 3 || (isNameTaken && beginning.isTyped)) throw beingBegun(run)
        await host.sleep(Math.round(host.random() * 1000))
        continue
      }
      return draft.#openNamed(runs, run)
    }
  }

  /** Writes the head to a hidden folder, syncs it, and looks at the other runs. */
  async #writeHead({ headFor, items, look }: Beginning, run: string) {
    const { disk, turn } = this.#host
    disk.mkdirSync(this.folder, { mode: 0o700 })
    this.#create(1)
    this.#write(headFor(run))
    for (let from = 0; from < items.size; from += idsPerLine) {
      this.#writeIds(from, Math.min(from + idsPerLine, items.size))
      if (from % (16 * idsPerLine) === 0) await turn()
    }
    disk.fsyncSync(this.#fd)
    syncFolder(this.#host, this.folder)
    await look(this.run, run)
    this.close()
  }

  #writeIds(from: number, to: number) {
    const ids: ItemRow[] = []
    for (let at = from; at < to; at += 1) {
      const { id, line, other, expected } = this.state.items.at(at)
      if (other === undefined) ids.push([id, line])
      else
        ids.push(expected === undefined ? [id, line, other] : [id, line, other, expected])
    }
    this.#write({ t: 'ids', ids }, { isApplied: true })
  }

  /** Takes the name of the run, and opens part 1 again to append to it. */
  #openNamed(runs: string, run: string) {
    const { disk } = this.#host
    this.run = run
    this.folder = join(runs, run)
    try {
      syncFolder(this.#host, runs)
      const { O_WRONLY, O_APPEND, O_NOFOLLOW } = disk.constants
      this.#file = disk.openSync(this.#path(1), O_WRONLY | O_APPEND | O_NOFOLLOW)
    } catch (error) {
      const hint = `nothing was sent; when it can be written:\n  svc runs resume ${run}`
      throw fileError('usage', cannotWrite(this.folder), error, hint)
    }
    this.#beginTouching()
    return this
  }

  // Going on

  /**
   * Creates the next part, and reads the record again. Throws exit 7 unless the run is then as it was when a person was asked about
   * it.
   */
  async goOn(): Promise<void> {
    const asked = this.state
    this.#checkHead()
    this.syncPartBefore()
    const own = this.#part + 1
    try {
      this.#create(own, this.#checksum)
      this.#host.disk.fsyncSync(this.#fd)
      syncFolder(this.#host, this.folder)
      // The command that began the run may have been killed before its name was on disk.
      syncFolder(this.#host, join(this.folder, '..'))
    } catch (error) {
      const isTaken = systemCode(error) === 'EEXIST'
      // An empty part is held by its time alone, so that it would keep others waiting.
      if (!isTaken) this.#touch(new Date(0))
      this.close()
      if (isTaken) throw busy(this.run)
      const hint = `nothing was sent; free space or fix the disk, and then:\n  svc runs resume ${this.run}`
      throw fileError('usage', cannotWrite(this.folder), error, hint)
    }
    const headBefore = this.#headChecksum
    const again = await RunRecord.read(this.#host, join(this.folder, '..'), this.run)
    if (again === undefined || again.#headChecksum !== headBefore) {
      removeHidden(this.#host, this.#path(own))
      throw this.#fail(busy(this.run))
    }
    // The own part has only its `open` line, so the chain goes on from there in both.
    this.state = again.state
    this.#beginTouching()
    const isOwnLast = again.#part === own
    const isSame = again.state.hasSameDue(asked) && again.state.isClosed === asked.isClosed
    if (isOwnLast && isSame) return
    this.finish({ ...(again.state.isClosed && { closed: true }) })
    throw this.#fail(busy(this.run))
  }

  /** Reads the head once more. Throws exit 7 if another run has its place by now. */
  #checkHead() {
    if (this.state.damage !== undefined) return
    const head = readHead(this.#host, this.#path(1))
    if (head?.checksum !== this.#headChecksum) throw busy(this.run)
  }

  /** Puts on disk what the last part says, before anything relies on it. */
  syncPartBefore() {
    // A damaged part may be missing. Nothing is sent after it anyway.
    if (this.state.damage !== undefined) return
    const { disk } = this.#host
    const { O_RDONLY, O_NOFOLLOW } = disk.constants
    try {
      this.#fileBefore = disk.openSync(this.#path(this.#part), O_RDONLY | O_NOFOLLOW)
      disk.fsyncSync(this.#fileBefore)
    } catch (error) {
      throw fileError(
        'usage',
        `${this.#path(this.#part)} cannot be synced`,
        error,
        nothingSent,
      )
    }
  }

  // Writing

  get #fd() {
    if (this.#file === undefined) throw new TypeError('no part is open')
    return this.#file
  }

  /** Creates a part, with its `open` line. Throws EEXIST if it is there. */
  #create(part: number, after?: number) {
    const { disk, pid, computer } = this.#host
    const { O_WRONLY, O_APPEND, O_CREAT, O_EXCL } = disk.constants
    const flags = O_WRONLY | O_APPEND | O_CREAT | O_EXCL
    this.#file = disk.openSync(this.#path(part), flags, 0o600)
    this.#part = part
    this.#write({
      t: 'open',
      pid,
      host: computer.hostname,
      ...(after !== undefined && { after }),
    })
  }

  /** Appends a line. The items of a run that begins are in its state already. */
  #write(newLine: NewLine, { isApplied = false } = {}) {
    const line = { ...newLine, at: this.#host.now() }
    const { text, c } = encodeLine(line, this.#checksum)
    const bytes = Buffer.from(text)
    const written = this.#host.disk.writeSync(this.#fd, bytes)
    if (written < bytes.length)
      throw Object.assign(new Error('short write'), { code: 'ENOSPC' })
    this.#checksum = c
    if (!isApplied) this.state.apply(line)
  }

  #beginTouching() {
    const touch = () => this.#touch(new Date(this.#host.now()))
    this.#touching = this.#host.every(touchEveryMs, touch)
  }

  /** Sets the time of the own part. */
  #touch(time: Date) {
    try {
      if (this.#file !== undefined) this.#host.disk.futimesSync(this.#file, time, time)
    } catch {
      // Without a sign of life, others only wait less.
    }
  }

  /** Throws if nothing more may be sent: exit 7 if another command works on the run, exit 1 if the record is gone. */
  check() {
    if (this.failure !== undefined) throw this.failure
    if (this.#hasNextPart()) throw this.#fail(busy(this.run))
    const { disk } = this.#host
    const own = disk.fstatSync(this.#fd)
    const there = disk.lstatSync(this.#path(this.#part), { throwIfNoEntry: false })
    this.isGone = there?.ino !== own.ino || there.dev !== own.dev
    if (this.isGone) throw this.#fail(recordGone(this.run))
  }

  /** Whether there is a next part. Any answer but "there is none" counts as yes. */
  #hasNextPart() {
    try {
      const next = this.#path(this.#part + 1)
      return this.#host.disk.lstatSync(next, { throwIfNoEntry: false }) !== undefined
    } catch {
      return true
    }
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
      this.#write(line)
    } catch (error) {
      throw this.#fail(unwritable(this.run, error))
    }
  }

  /** Syncs the part. Workers that call this during a sync share the next one, which begins after all their lines. */
  sync(): Promise<void> {
    this.#nextSync ??= this.#lastSync.then(async () => {
      this.#nextSync = undefined
      await this.#syncNow()
    })
    this.#lastSync = this.#nextSync.catch(() => undefined)
    return this.#nextSync
  }

  async #syncNow() {
    const { disk } = this.#host
    try {
      // Lines that the part before got until it was read again.
      if (this.#fileBefore !== undefined) disk.fsyncSync(this.#fileBefore)
      this.#closeFileBefore()
      await new Promise<void>((resolve, reject) => {
        disk.fdatasync(this.#fd, (error) => (error === null ? resolve() : reject(error)))
      })
      // A disk that has become read-only may report success although it synced nothing.
      checkWritable({ disk }, this.folder)
    } catch (error) {
      throw this.#fail(unwritable(this.run, error))
    }
  }

  /** Writes the `end` of this command, without a sync. */
  finish(
    members: Partial<Pick<Extract<NewLine, { t: 'end' }>, 'stop' | 'receipts' | 'closed'>>,
  ) {
    const { counts, due } = this.state
    this.append({
      t: 'end',
      outcomes: counts,
      due: members.closed === true ? 0 : due,
      ...members,
    })
  }

  /** Closes the run for good. Throws exit 7 if another command works on it by now. */
  async closeRun(): Promise<void> {
    this.finish({ closed: true })
    await this.sync()
    this.check()
  }

  /** Notes why nothing more is sent. Returns the error to throw, which is always the first one. */
  #fail(failure: SvcError) {
    return (this.failure ??= failure)
  }

  close() {
    this.#touching?.cancel()
    this.#closeFileBefore()
    if (this.#file !== undefined) this.#host.disk.closeSync(this.#file)
    this.#file = undefined
  }

  #closeFileBefore() {
    if (this.#fileBefore !== undefined) this.#host.disk.closeSync(this.#fileBefore)
    this.#fileBefore = undefined
  }
}

/** The names of folders in `runs` that are no runs: one that is being begun, and one that is being removed. */
export const draftPrefix = '.new-'
export const removedPrefix = '.gone-'

type DiskHost = Pick<RecordHost, 'disk'>
type ReadHost = Pick<RecordHost, 'disk' | 'turn'>

/** Removes what nobody looks for. If that fails, it stays: what the command does is not changed by it. */
export function removeHidden({ disk }: DiskHost, path: string) {
  try {
    disk.rmSync(path, { recursive: true, force: true })
  } catch {
    // `prepare` of a later command removes hidden folders.
  }
}

/** Returns the numbers of the parts in the folder of a run; none if there is no folder. Throws exit 2 if it cannot be read. */
export function partNumbers({ disk }: DiskHost, folder: string): number[] {
  try {
    const facts = disk.lstatSync(folder, { throwIfNoEntry: false })
    if (facts === undefined) return []
    if (!facts.isDirectory()) throw usageError(`${folder} is not a folder`)
    const names = disk.readdirSync(folder)
    return names
      .flatMap((name) => /^([1-9]\d{0,8})\.ndjson$/.exec(name)?.[1] ?? [])
      .map(Number)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return []
    throw fileError('usage', `${folder} cannot be read`, error)
  }
}

/** Opens a regular file to read it. Throws exit 2 for a link, and for anything that is no file. */
function openToRead({ disk }: DiskHost, path: string): number {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = disk.constants
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for its other end.
    const file = disk.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    if (disk.fstatSync(file).isFile()) return file
    disk.closeSync(file)
  } catch (error) {
    throw fileError('usage', `${path} cannot be read`, error)
  }
  throw usageError(`${path} is not a file`)
}

/**
 * Yields the lines of a part, without their line feeds. A last line that a kill has cut off is nothing. Throws exit 2 if the part
 * cannot be read.
 */
async function* readLines(host: ReadHost, path: string): AsyncGenerator<Buffer> {
  const { disk } = host
  const file = openToRead(host, path)
  try {
    let rest: Buffer = Buffer.alloc(0)
    for (let position = 0; ; await host.turn()) {
      const piece = Buffer.allocUnsafe(pieceBytes)
      const count = readAt(host, { file, path }, piece, position)
      if (count === 0) return
      position += count
      const bytes = Buffer.concat([rest, piece.subarray(0, count)])
      let begin = 0
      for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, begin)) {
        yield bytes.subarray(begin, end)
        begin = end + 1
      }
      rest = bytes.subarray(begin)
    }
  } finally {
    disk.closeSync(file)
  }
}

/** Fills a buffer from a place in an open part. Returns how many bytes came. Throws exit 2 if they cannot be read. */
function readAt(
  { disk }: DiskHost,
  { file, path }: { file: number; path: string },
  buffer: Buffer,
  position: number,
): number {
  try {
    return disk.readSync(file, buffer, 0, buffer.length, position)
  } catch (error) {
    throw fileError('usage', `${path} cannot be read`, error)
  }
}

/** Reads the first bytes of a part, or with `isEnd` the last ones. The head and the `end` are in them. */
function readEdge(host: DiskHost, path: string, { isEnd = false } = {}): Buffer {
  const { disk } = host
  const file = openToRead(host, path)
  try {
    const from = isEnd ? Math.max(0, disk.fstatSync(file).size - edgeBytes) : 0
    const bytes = Buffer.allocUnsafe(edgeBytes)
    return bytes.subarray(0, readAt(host, { file, path }, bytes, from))
  } finally {
    disk.closeSync(file)
  }
}

/** Reads the `run` line of part 1, with its checksum. Undefined if it cannot be read. */
export function readHead(host: DiskHost, path: string) {
  const bytes = readEdge(host, path)
  const openEnd = bytes.indexOf(0x0a)
  const open = decodeLine(bytes.subarray(0, Math.max(0, openEnd)), 0)
  const runEnd = bytes.indexOf(0x0a, openEnd + 1)
  const run = open && decodeLine(bytes.subarray(openEnd + 1, runEnd), open.c)
  return run?.line.t === 'run' ? { head: run.line, checksum: run.c } : undefined
}

/** Reads the last line of a part. Undefined if it is no `end`, or does not fit the line before it. */
export function readEnd(host: DiskHost, path: string): LineOf<'end'> | undefined {
  const bytes = readEdge(host, path, { isEnd: true })
  const beforeEnd = bytes.lastIndexOf(0x0a, -2)
  const before = bytes.toString('latin1', 0, Math.max(0, beforeEnd)).slice(-10, -2)
  const read = decodeLine(bytes.subarray(beforeEnd + 1, -1), parseInt(before, 16))
  return read?.line.t === 'end' && bytes.at(-1) === 0x0a ? read.line : undefined
}

/** Puts the names in a folder on the disk. */
function syncFolder({ disk }: DiskHost, folder: string) {
  try {
    const file = disk.openSync(folder, disk.constants.O_RDONLY)
    try {
      disk.fsyncSync(file)
    } finally {
      disk.closeSync(file)
    }
  } catch (error) {
    // Windows cannot open a folder, and some file systems cannot sync one. Names there survive a crash all the same.
    if (!/^(?:EISDIR|EPERM|EINVAL)$/.test(systemCode(error) ?? '')) throw error
  }
}

const nothingSent = 'nothing was sent; SVC_STATE_DIR names another state folder'
const cannotWrite = (folder: string) => `the record of the run cannot be written: ${folder}`

export function busy(run: string) {
  return new SvcError(
    'busy',
    `another process is working on run ${run}, or was a moment ago`,
    {
      hint: `nothing more was sent from here; see how far it is, or try again in 20s:\n  svc runs show ${run}`,
    },
  )
}

function beingBegun(run: string) {
  return new SvcError(
    'busy',
    `another process is beginning run ${run}, or one with the same ids`,
    {
      hint: 'nothing was sent from here; see the runs:\n  svc runs list',
    },
  )
}

function recordGone(run: string) {
  return new SvcError('local', `the record of run ${run} was moved or removed`, {
    hint: 'nothing more was sent from here; a repetition would know nothing of what was sent',
  })
}

function unwritable(run: string, error: unknown) {
  const hint = `free space or fix the disk, and then:\n  svc runs resume ${run}`
  return fileError('local', `the record of run ${run} cannot be written`, error, hint)
}

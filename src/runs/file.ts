/**
 * A run file that is open: it is only appended to, and the order of its lines decides who works on the run. `take.ts` takes
 * one; from then on every line, every sync and every request passes the check that this process still holds it.
 * docs/run-file.md says why that is enough.
 */
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { SvcError, systemCode, fileError } from '../errors.ts'
import type { Host } from '../host.ts'
import { svcResuming, say, svc } from '../message.ts'
import { checkWritable, syncFolder } from '../output/whole.ts'
import type { Redactor } from '../redactor.ts'
import type { Timer } from '../world.ts'
import { RunLog } from './fold.ts'
import { encodeLine, type Line, type NewLine, type NewLineOf } from './lines.ts'
import type { RunPlace } from './names.ts'
import { LineReader } from './reading.ts'

/** The tools of a run file: the redactor sees every line before it is written. */
export interface FileTools {
  host: FileHost
  messages: { redactor: Pick<Redactor, 'hide'> }
}

export type FileHost = Pick<
  Host,
  | 'pid'
  | 'now'
  | 'isRunning'
  | 'disk'
  | 'computer'
  | 'monotonic'
  | 'randomBytes'
  | 'sleep'
  | 'every'
  | 'turn'
>

/** Milliseconds after which a holder sets the file's modification time again. */
const touchEvery = 10_000
/** How many lines of a head are written in one call. */
const linesPerWrite = 32

/**
 * Lines in pieces that are written in one call each. They are made as they are written: a million ids at once would take 150
 * MB more.
 */
export function* inPieces(lines: Iterable<NewLine>): Generator<NewLine[]> {
  let piece: NewLine[] = []
  for (const line of lines) {
    if (piece.push(line) < linesPerWrite) continue
    yield piece
    piece = []
  }
  if (piece.length > 0) yield piece
}

export class RunFile {
  readonly place: RunPlace
  /** The session of this process, from its claim on. */
  session = ''
  readonly log: RunLog
  readonly #host: FileHost
  readonly #redactor: Pick<Redactor, 'hide'>
  readonly #file: FileHandle
  readonly #inode: number
  readonly #reader: LineReader
  /** The place of the next line among those of this session. */
  #nextIndex = 0
  #hasClaimed = false
  /** Whether there may be lines that are not on disk: of a process before this one, too. */
  #mayBeUnsynced = true
  /** The sync that has not begun, for all who wait at the same moment. */
  #nextSync: Promise<void> | undefined
  #lastSync: Promise<void> = Promise.resolve()
  /** Set once a line could not be written or synced, or the run is not held any more: nothing is written after it. */
  failure: SvcError | undefined
  readonly #loss = new AbortController()
  #touching: Timer | undefined

  private constructor({ host, messages }: FileTools, place: RunPlace, file: FileHandle) {
    this.#host = host
    this.#redactor = messages.redactor
    this.place = place
    this.#file = file
    this.#inode = host.disk.fstatSync(file.fd).ino
    this.log = new RunLog(place.run)
    this.#reader = new LineReader(host)
  }

  /**
   * Opens a file that is there: undefined if there is none. Or creates a new one: undefined if there is one. Throws the
   * system's error.
   */
  static async open(
    tools: FileTools,
    place: RunPlace,
    which: 'present' | 'new' = 'present',
  ): Promise<RunFile | undefined> {
    const { disk } = tools.host
    const { O_RDWR, O_APPEND, O_NOFOLLOW, O_NONBLOCK, O_CREAT, O_EXCL } = disk.constants
    const how = which === 'new' ? O_CREAT | O_EXCL : O_NONBLOCK
    try {
      const flags = O_RDWR | O_APPEND | O_NOFOLLOW | how
      const file = await disk.promises.open(place.path, flags, 0o600)
      if (disk.fstatSync(file.fd).isFile()) return new RunFile(tools, place, file)
      await file.close()
      throw new SvcError('local', `not a file: ${basename(place.path)}`)
    } catch (error) {
      if (systemCode(error) === (which === 'new' ? 'EEXIST' : 'ENOENT')) return undefined
      throw error
    }
  }

  /** The file's modification time in milliseconds since 1970. */
  get touchedAt() {
    return this.#host.disk.fstatSync(this.#file.fd).mtimeMs
  }

  /** Reads all lines. */
  readAll(): Promise<void> {
    return this.#reader.readInto(this.log, this.#file.fd)
  }

  /**
   * Claims the run: appends the first lines of a session, syncs them, opens the file anew and reads on up to them. `late`:
   * another process was faster. `gone`: the name is gone or leads elsewhere. Throws exit 1 and 7.
   */
  async claim(
    lines: readonly [NewLineOf<'session'>, ...NewLine[]],
  ): Promise<'held' | 'late' | 'gone'> {
    const before = this.session
    this.session = this.#host.randomBytes(4).toString('hex')
    this.#nextIndex = 0
    this.#write(lines)
    await this.#syncNow()
    const found = this.#openByName((file) => [...this.#reader.readNew(file)])
    if (found === undefined) return 'gone'
    const own = found.findIndex(({ t, s }) => t === 'session' && s === this.session)
    if (own < 0) throw this.#failRecord(new Error('its last line is missing'))
    for (const line of found.slice(0, own + 1)) {
      // Lines of an earlier session of this process were applied when they were written.
      if (line.s !== before) this.log.apply(line)
    }
    if (!this.log.sessions.isLast(this.session)) return 'late'
    for (const line of found.slice(own + 1)) {
      if (line.s === this.session) this.log.apply(line)
      else if (!this.log.sessions.passOver(line)) throw this.#loseAsTakenOver()
    }
    this.#hasClaimed = true
    this.#startTouching()
    return 'held'
  }

  /** Claims the run anew, which this process holds. Throws exit 1 and 7. */
  async claimAgain(line: NewLineOf<'session'>): Promise<void> {
    this.checkHeld()
    const result = await this.claim([line])
    if (result === 'gone') throw this.#loseAsGone()
    if (result === 'late') throw this.#loseAsTakenOver()
  }

  /** Opens the file by its name for a moment. Undefined if the name is gone or leads elsewhere. */
  #openByName<T>(work: (file: number) => T): T | undefined {
    const { disk } = this.#host
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = disk.constants
    let file: number
    try {
      file = disk.openSync(this.place.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    } catch (error) {
      if (isGone(error)) return undefined
      throw this.#failRecord(error)
    }
    try {
      if (disk.fstatSync(file).ino !== this.#inode) return undefined
      return work(file)
    } catch (error) {
      throw this.#failRecord(error)
    } finally {
      disk.closeSync(file)
    }
  }

  /**
   * To be called before each line, move and removal, and between the sync of a `try` and its request. Throws exit 7 if
   * another session is valid, exit 1 if the name is gone or leads to another file, and whenever it has thrown before.
   */
  checkHeld() {
    if (this.failure !== undefined) throw this.failure
    const isHeld = this.#openByName((file) => {
      if (this.#host.disk.fstatSync(file).size === this.#reader.length) return true
      const { sessions } = this.log
      return [...this.#reader.readNew(file)].every((line) => sessions.passOver(line))
    })
    if (isHeld === true) return
    throw isHeld === false ? this.#loseAsTakenOver() : this.#loseAsGone()
  }

  /** The run is not held any more. */
  #lose(failure: SvcError) {
    this.failure = failure
    this.#loss.abort(failure)
    return failure
  }

  #loseAsGone() {
    const { run, path } = this.place
    const hint = 'nothing more was sent from here'
    const message = `the record of run ${run} is gone: ${path}`
    return this.#lose(new SvcError('local', message, { hint, run }))
  }

  #loseAsTakenOver() {
    const { run } = this.place
    const hint = say`nothing more was sent from here; see the run with:\n  ${svc`runs show ${run}`}`
    const message = `run ${run} was taken over by another process`
    return this.#lose(new SvcError('busy', message, { hint, run }))
  }

  /** Appends lines, not synced. Throws exit 1, again and again after the first time, and 11. */
  append(...lines: NewLine[]) {
    this.checkHeld()
    const written = this.#write(lines)
    for (const line of written) this.log.apply(line)
  }

  /** On disk when this resolves, and the run was still held then: after a `try`, its request may leave. */
  async appendSynced(...lines: NewLine[]): Promise<void> {
    this.append(...lines)
    await this.sync()
    this.checkHeld()
  }

  /** Each call is one write, which begins with a line end, so that a torn line swallows nothing. */
  #write(lines: readonly NewLine[]): Line[] {
    const at = this.#host.now()
    const stamped = lines.map((line): Line => ({
      s: this.session,
      i: this.#nextIndex++,
      // Ids have the form of ids, so there is nothing to hide in them.
      ...(line.t === 'ids' ? line : this.#redactor.hide(line)),
      at,
    }))
    const bytes = Buffer.from(`\n${stamped.map(encodeLine).join('')}`)
    let written = 0
    this.#mayBeUnsynced = true
    try {
      // A trip through the thread pool costs more than these few bytes into the page cache.
      written = this.#host.disk.writeSync(this.#file.fd, bytes)
    } catch (error) {
      throw this.#failRecord(error)
    }
    this.#reader.length += written
    if (written < bytes.length) throw this.#failRecord(new Error('no space left'))
    return stamped
  }

  /**
   * Syncs all lines that were written before the call. Those who wait at the same moment share a sync that begins after
   * their lines.
   */
  sync(): Promise<void> {
    this.#nextSync ??= this.#lastSync.then(() => {
      this.#nextSync = undefined
      return this.#syncNow()
    })
    this.#lastSync = this.#nextSync.catch(() => undefined)
    return this.#nextSync
  }

  async #syncNow() {
    if (this.failure !== undefined) throw this.failure
    if (!this.#mayBeUnsynced) return
    this.#mayBeUnsynced = false
    try {
      await this.#file.datasync()
      // A disk that turned read-only may have synced nothing, and still report success.
      checkWritable(this.#host, dirname(this.place.path))
    } catch (error) {
      throw this.#failRecord(error)
    }
  }

  /** Makes the entries of the folder durable, before the first `try` of a session. */
  async syncFolder(): Promise<void> {
    try {
      await syncFolder(this.#host, dirname(this.place.path))
    } catch (error) {
      throw this.#failRecord(error)
    }
  }

  /** Aborted when this process does not hold the run any more: another one does, or its file is gone. */
  get loss(): AbortSignal {
    return this.#loss.signal
  }

  #failRecord(error: unknown) {
    const { run } = this.place
    const hasBegun = this.log.recorded !== undefined
    const hint = hasBegun
      ? say`free space or fix the disk, then\n  ${svcResuming`runs resume ${run}`}`
      : 'free space or fix the disk, and repeat the command'
    const what = `the record of run ${run} cannot be written`
    return (this.failure ??= fileError('local', what, error, hint).with({ run }))
  }

  /** Shows others that this process is alive, every ten seconds. */
  #startTouching() {
    if (this.#touching !== undefined) return
    const host = this.#host
    let time = host.now()
    const touch = () => {
      // A clock that is set back must not stop the file's time.
      time = Math.max(time + touchEvery, host.now())
      try {
        this.checkHeld()
        host.disk.utimesSync(this.place.path, time / 1000, time / 1000)
      } catch {
        // The next line meets the same failure and reports it.
      }
    }
    this.#touching = host.every(touchEvery, touch, 'weak')
  }

  /**
   * The session is over, and owes nobody a result. Never throws: without this line, the next session waits until this
   * process is gone. `exit`: the exit code of a command that has sent nothing.
   */
  free(exit?: number) {
    try {
      if (!this.#hasClaimed || this.failure !== undefined) return
      this.append({ t: 'free', ...(exit !== undefined && { exit }) })
    } catch {
      // The next session finds this process gone.
    }
  }

  /** Removes the file after writing a line that says so: a session that was faster finds the line, and removes it too. */
  async remove(): Promise<void> {
    const { disk } = this.#host
    this.append({ t: 'pruned' })
    this.checkHeld()
    await disk.promises.rm(this.place.path, { force: true })
    await syncFolder(this.#host, dirname(this.place.path))
    // Nothing more is written, not even `free`.
    this.failure ??= new SvcError('local', `run ${this.place.run} was removed`)
  }

  async close(): Promise<void> {
    this.#touching?.cancel()
    await this.#lastSync
    await this.#file.close().catch(() => undefined)
  }
}

/** The name is not there, or nothing that this user can find by it. */
const isGone = (error: unknown) =>
  ['ENOENT', 'ENOTDIR', 'ELOOP', 'ESTALE'].includes(systemCode(error) ?? '')

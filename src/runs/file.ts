/**
 * An open run file. It is only appended to, and never locked. A claim is a `session` line with the next number, so it counts
 * only if nobody has appended a line since the file was read. A process reads back its own lines, too, before they
 * count for it. docs/run-file.md says why that is enough.
 */
import { SvcError, fileError, say, svc } from '../errors.ts'
import type { Host } from '../host.ts'
import type { Timer } from '../world.ts'
import type { OpenFile, OpenMode, RunFolder } from './folder.ts'
import { decodeLine, encodeLine, maxLineBytes, type Line, type NewLine } from './lines.ts'
import { RunLog } from './log.ts'

export type FileHost = Pick<
  Host,
  'pid' | 'now' | 'isRunning' | 'computer' | 'randomBytes' | 'sleep' | 'every'
>

/** The process that holds a run sets the file's time this often, as a sign of life. */
export const touchEveryMs = 2_000
/** Without a sign of life for this time, the holder counts as dead. */
export const watchForMs = 20_000
/** How often another process looks for a sign of life. */
const lookEveryMs = 250

/** The longest line fits into one read. */
const bytesPerRead = 2 * maxLineBytes
/** How many lines of a head are written in one call. More at once take more memory. */
const linesPerWrite = 4

export class RunFile {
  readonly log: RunLog
  readonly #host: FileHost
  readonly #folder: RunFolder
  readonly #file: OpenFile
  /** The inode of the file. */
  #ino = 0
  /** The position in the file up to which its lines were applied. */
  #readTo = 0
  /** The size of the file when it was last read. */
  #size = 0
  /** The session of this process, once it has claimed the run. */
  #session = ''
  /** The writes of this process that it has not read back yet. */
  readonly #written: { bytes: Buffer; lines: Line[] }[] = []
  /** Why nothing more is written or sent. */
  failure: SvcError | undefined
  /** Whether another process or a person has changed the record. Nothing of it may be printed then. */
  isLost = false
  /** Sets the file's time again and again; undefined until the run is claimed. */
  #touching: Timer | undefined
  /** The sync that waits for the one before it; undefined if none waits. */
  #nextSync: Promise<void> | undefined
  /** The last sync that was asked for. It never rejects. */
  #lastSync: Promise<void> = Promise.resolve()
  /** The last of the checks and writes, which run one after another (`#inTurn`). It never rejects. */
  #lastTurn: Promise<unknown> = Promise.resolve()

  private constructor(host: FileHost, folder: RunFolder, run: string, file: OpenFile) {
    this.#host = host
    this.#folder = folder
    this.log = new RunLog(run)
    this.#file = file
  }

  /** Opens or creates the file of a run, and reads it. Returns undefined if there is none, or for `create` if there is one. */
  static async open(host: FileHost, folder: RunFolder, run: string, mode: OpenMode) {
    const file = await folder.open(`${run}.ndjson`, mode)
    if (file === undefined) return undefined
    const opened = new RunFile(host, folder, run, file)
    opened.#ino = (await file.facts()).ino
    await opened.#readNewLines()
    return opened
  }

  /** Reads and applies the lines that any process has appended since the last read. */
  async #readNewLines() {
    for (;;) {
      const bytes = await this.#file.read(this.#readTo, bytesPerRead)
      this.#size = this.#readTo + bytes.length
      const end = bytes.lastIndexOf(0x0a) + 1
      for (let from = 0; from < end;) from += this.#applyNext(bytes, from)
      // A full read without a line feed is no line, because it is longer than any line. It is skipped.
      const isFull = bytes.length === bytesPerRead
      this.#readTo += isFull && end === 0 ? bytes.length : end
      if (!isFull) return
    }
  }

  /** Applies a line, or all lines of one write of this process without parsing them. Returns how many bytes they have. */
  #applyNext(bytes: Buffer, from: number) {
    const [written] = this.#written
    const isOwnWrite =
      written !== undefined &&
      bytes.subarray(from, from + written.bytes.length).equals(written.bytes)
    if (isOwnWrite) {
      for (const line of written.lines) this.log.apply(line)
      this.#written.shift()
      return written.bytes.length
    }
    const end = bytes.indexOf(0x0a, from)
    const line = decodeLine(bytes.subarray(from, end))
    if (line !== undefined) this.log.apply(line)
    // If a read has only a part of an own write, the lines are parsed one by one. With its last line, the write is read back.
    const isOwnLine = line?.s === this.#session
    if (isOwnLine && line.n === written?.lines.at(-1)?.n) this.#written.shift()
    return end + 1 - from
  }

  /** Whether another process works on the run. Waits up to 20 seconds for a sign of life, and calls `onWait` before that. */
  async isHeld(onWait: () => void, signal: AbortSignal): Promise<boolean> {
    if (!mayBeAlive(this.#host, this.log)) return false
    onWait()
    const before = await this.#file.facts()
    for (let waitedMs = 0; waitedMs < watchForMs; waitedMs += lookEveryMs) {
      await this.#host.sleep(lookEveryMs, signal)
      const { size, mtimeMs } = await this.#file.facts()
      if (size !== before.size || mtimeMs !== before.mtimeMs) return true
    }
    return false
  }

  /**
   * Claims the run: begins a session, with these lines behind it. Returns false if anybody wrote since the file was read, or if
   * it is damaged.
   */
  async claim(lines: Iterable<NewLine>): Promise<boolean> {
    const { pid, computer } = this.#host
    this.#session = this.#host.randomBytes(4).toString('hex')
    const sessionLine: NewLine = { t: 'session', pid, host: computer.hostname }
    await this.#guard(async () => {
      await this.#writeInPieces(sessionLine, lines)
      await this.#file.sync()
      await this.#folder.sync()
      await this.#readNewLines()
    })
    if (this.log.holder !== this.#session || this.log.isDamaged) return false
    this.#touching = this.#host.every(touchEveryMs, () => void this.#touch())
    return true
  }

  /** Claims the run only to close it. Returns false if anybody wrote since the file was read. */
  claimToClose(closing: { undone: true } | { superseded: true }): Promise<boolean> {
    // A run that has ended keeps how it ended.
    const { stop, exit } = this.log.end ?? {}
    return this.claim([{ t: 'end', ...closing, stop, exit }])
  }

  /** Writes lines in pieces. Each piece is made when it is written: a million ids at once would take 150 MB more. */
  async #writeInPieces(first: NewLine, lines: Iterable<NewLine>) {
    let n = this.log.next
    let piece = [first]
    for (const line of lines) {
      if (piece.push(line) < linesPerWrite) continue
      await this.#write(piece, n)
      // Read back at once, so that `#written` does not keep all pieces.
      await this.#readNewLines()
      n += piece.length
      piece = []
    }
    if (piece.length > 0) await this.#write(piece, n)
  }

  /** Appends lines in one call. `firstNumber` is the number of the first line. */
  async #write(newLines: readonly NewLine[], firstNumber: number) {
    const stamp = { s: this.#session, at: this.#host.now() }
    const lines = newLines.map((line, index): Line => ({
      n: firstNumber + index,
      ...stamp,
      ...line,
    }))
    const texts = lines.map(encodeLine)
    if (texts.some((text) => Buffer.byteLength(text) > maxLineBytes))
      throw new Error('a line would be longer than 1 MiB')
    // The line feed in front ends a torn line, which would otherwise swallow the first of these lines.
    const bytes = Buffer.from(`\n${texts.join('')}`)
    this.#written.push({ bytes: bytes.subarray(1), lines })
    const writtenBytes = await this.#file.append(bytes)
    if (writtenBytes < bytes.length) throw new Error('no space left')
  }

  /** Gives a sign of life. */
  async #touch() {
    try {
      await this.check()
      await this.#file.touch()
    } catch {
      // The next line that is written reports a lost run. Without signs of life, others only wait less.
      this.#touching?.cancel()
    }
  }

  /** Throws if this process no longer holds the run: exit 7 if another process holds it, else exit 1. */
  check(): Promise<void> {
    return this.#inTurn(() => this.#check())
  }

  /** The check itself, for work that is already in turn. */
  async #check() {
    if (this.failure !== undefined) throw this.failure
    const facts = await this.#guard(() => this.#folder.factsOf(`${this.log.run}.ndjson`))
    if (facts?.ino !== this.#ino || facts.size < this.#size)
      throw this.#lose(recordGone(this.log.run))
    if (facts.size > this.#size) await this.#guard(() => this.#readNewLines())
    if (this.log.holder !== this.#session) throw this.#lose(takenOver(this.log.run))
    if (this.log.isDamaged) throw this.#lose(recordGone(this.log.run))
  }

  /** Appends lines, but does not sync them. */
  append(...lines: NewLine[]): Promise<void> {
    return this.#inTurn(async () => {
      await this.#check()
      await this.#guard(async () => {
        await this.#write(lines, this.log.next)
        await this.#readNewLines()
      })
    })
  }

  /** Appends and syncs lines, and then checks that this process still holds the run. When it resolves, the request may leave. */
  async appendSynced(...lines: NewLine[]): Promise<void> {
    await this.append(...lines)
    await this.sync()
    await this.check()
  }

  /** Syncs the file. Workers that call this during a sync share the next one, which begins after all their lines. */
  sync(): Promise<void> {
    this.#nextSync ??= this.#lastSync.then(() => {
      this.#nextSync = undefined
      return this.#guard(() => this.#file.sync())
    })
    this.#lastSync = this.#nextSync.catch(() => undefined)
    return this.#nextSync
  }

  /** Notes that the record is lost. Returns the error to throw. */
  #lose(failure: SvcError) {
    this.isLost = true
    return this.#fail(failure)
  }

  /** Notes why nothing more is written. Returns the error to throw, which is always the first one. */
  #fail(failure: SvcError) {
    this.#touching?.cancel()
    return (this.failure ??= failure)
  }

  /** Does work on the disk. If it fails, nothing more is written or sent. */
  async #guard<T>(work: () => Promise<T>): Promise<T> {
    if (this.failure !== undefined) throw this.failure
    try {
      return await work()
    } catch (error) {
      const what = `the record of run ${this.log.run} cannot be written`
      const isClaimed = this.#touching !== undefined
      const hint = isClaimed ? fixDisk : `nothing was sent; ${fixDisk}`
      throw this.#fail(fileError('local', what, error, hint))
    }
  }

  /** Does work after all earlier work, so that no other worker writes between a check and its write. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#lastTurn.then(work)
    this.#lastTurn = turn.catch(() => undefined)
    return turn
  }

  async close(): Promise<void> {
    this.#touching?.cancel()
    await this.#lastTurn
    await this.#lastSync
    await this.#file.close()
  }
}

/** Whether a process may still work on a run: the run has no `end`, and the process of its session is not known to be dead. */
export function mayBeAlive(
  { pid, computer, isRunning }: FileHost,
  { session, end }: Pick<RunLog, 'session' | 'end'>,
) {
  if (session === undefined || end !== undefined) return false
  if (session.host !== computer.hostname) return true
  // If the session has the number of this process, a container was started again, and that process is gone.
  return session.pid !== pid && isRunning(session.pid)
}

const fixDisk = 'free space or fix the disk, and run the same command again'

function takenOver(run: string) {
  return new SvcError('busy', `run ${run} was taken over by another process`, {
    hint: say`nothing more was sent from here; see the run with:\n  ${svc`runs show ${run}`}`,
  })
}

function recordGone(run: string) {
  return new SvcError('local', `the record of run ${run} was moved, removed or changed`, {
    hint: 'nothing more was sent from here; the same command again would know nothing of what was sent',
  })
}

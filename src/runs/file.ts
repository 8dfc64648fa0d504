/**
 * A run file that is open. It is only appended to, and nobody locks it: a claim has the number of the line that it follows,
 * so it holds only if nothing was written since the file was read. What counts is what is read back, own lines too.
 * docs/run-file.md says why that is enough.
 */
import { SvcError, fileError, say, svc } from '../errors.ts'
import type { Host } from '../host.ts'
import type { Timer } from '../world.ts'
import type { HowToOpen, OpenFile, RunFolder } from './folder.ts'
import { decodeLine, encodeLine, longestLine, type Line, type NewLine } from './lines.ts'
import { RunLog } from './log.ts'

export type FileHost = Pick<
  Host,
  'pid' | 'now' | 'isRunning' | 'computer' | 'randomBytes' | 'sleep' | 'every'
>

/** Milliseconds between two signs of life of a holder. */
export const touchEveryMs = 2_000
/** Milliseconds for which another process looks for a sign of life, and between two looks. */
export const watchForMs = 20_000
const lookEveryMs = 250

/** Bytes of one read, in which the longest line fits. */
const bytesPerRead = 2 * longestLine
/** Lines of a head that are written in one call. More at once take more memory. */
const linesPerWrite = 4

export class RunFile {
  readonly log: RunLog
  readonly #host: FileHost
  readonly #folder: RunFolder
  readonly #file: OpenFile
  /** The file's number on the disk. */
  #ino = 0
  /** Where the next line begins, and the size of the file when it was last read. */
  #readTo = 0
  #size = 0
  #session = ''
  /** What this process wrote and has not read back yet: bytes, and the lines in them. */
  readonly #written: { bytes: Buffer; lines: Line[] }[] = []
  /** Why nothing more is written or sent. */
  failure: SvcError | undefined
  /** Another process or person has changed the record, so nothing of it may be printed. */
  isLost = false
  #touching: Timer | undefined
  #nextSync: Promise<void> | undefined
  #lastSync: Promise<void> = Promise.resolve()
  #turn: Promise<unknown> = Promise.resolve()

  private constructor(host: FileHost, folder: RunFolder, run: string, file: OpenFile) {
    this.#host = host
    this.#folder = folder
    this.log = new RunLog(run)
    this.#file = file
  }

  /** Opens or creates the file of a run, and reads it. Undefined if there is none, or if a new one is there already. */
  static async open(host: FileHost, folder: RunFolder, run: string, how: HowToOpen) {
    const file = await folder.open(`${run}.ndjson`, how)
    if (file === undefined) return undefined
    const opened = new RunFile(host, folder, run, file)
    opened.#ino = (await file.facts()).ino
    await opened.#readOn()
    return opened
  }

  /** Reads what any process has appended since the last read. */
  async #readOn() {
    for (;;) {
      const bytes = await this.#file.read(this.#readTo, bytesPerRead)
      this.#size = this.#readTo + bytes.length
      const end = bytes.lastIndexOf(0x0a) + 1
      for (let from = 0; from < end;) from += this.#applyNext(bytes, from)
      // A full read without a line end is longer than any line, and is skipped.
      const isFull = bytes.length === bytesPerRead
      this.#readTo += isFull && end === 0 ? bytes.length : end
      if (!isFull) return
    }
  }

  /** Applies the lines at this place. Returns how many bytes they take. What this process wrote is not parsed again. */
  #applyNext(bytes: Buffer, from: number) {
    const [written] = this.#written
    const isWritten =
      written !== undefined &&
      bytes.subarray(from, from + written.bytes.length).equals(written.bytes)
    if (isWritten) {
      for (const line of written.lines) this.log.apply(line)
      this.#written.shift()
      return written.bytes.length
    }
    const end = bytes.indexOf(0x0a, from)
    const line = decodeLine(bytes.subarray(from, end))
    if (line !== undefined) this.log.apply(line)
    // A write that was read in two pieces is parsed line by line, until its last one.
    const isOwn = line?.s === this.#session
    if (isOwn && line.n === written?.lines.at(-1)?.n) this.#written.shift()
    return end + 1 - from
  }

  /** Whether another process works on the run: it shows a sign of life within 20 seconds. `onWait` is called before waiting. */
  async isHeld(onWait: () => void, signal: AbortSignal): Promise<boolean> {
    if (!mayBeAlive(this.#host, this.log)) return false
    onWait()
    const before = await this.#file.facts()
    for (let waited = 0; waited < watchForMs; waited += lookEveryMs) {
      await this.#host.sleep(lookEveryMs, signal)
      const { size, mtimeMs } = await this.#file.facts()
      if (size !== before.size || mtimeMs !== before.mtimeMs) return true
    }
    return false
  }

  /** Begins a session with these lines behind it. False if anything was written since the file was read. */
  async claim(lines: Iterable<NewLine>): Promise<boolean> {
    const { pid, computer } = this.#host
    this.#session = this.#host.randomBytes(4).toString('hex')
    const first = { t: 'session', pid, host: computer.hostname } as const
    await this.#guard(async () => {
      await this.#writeAll([first], lines)
      await this.#file.sync()
      await this.#folder.sync()
      await this.#readOn()
    })
    if (this.log.holder !== this.#session || this.log.isDamaged) return false
    this.#touching = this.#host.every(touchEveryMs, () => void this.#touch())
    return true
  }

  /** Begins a session that only closes the run. False if anything was written since the file was read. */
  claimToClose(closing: { undone: true } | { superseded: true }): Promise<boolean> {
    const { stop, exit } = this.log.end ?? {}
    return this.claim([{ t: 'end', ...closing, stop, exit }])
  }

  /** Writes lines in pieces, and makes each piece as it is written: a million ids at once would take 150 MB more. */
  async #writeAll(first: readonly NewLine[], lines: Iterable<NewLine>) {
    let n = this.log.next
    let piece = [...first]
    for (const line of lines) {
      if (piece.push(line) < linesPerWrite) continue
      await this.#write(piece, n)
      await this.#readOn()
      n += piece.length
      piece = []
    }
    if (piece.length > 0) await this.#write(piece, n)
  }

  /** Appends lines in one call. It begins with a line end, so that a torn line before it swallows nothing. `n`: the number of the first line. */
  async #write(lines: readonly NewLine[], n: number) {
    const stamp = { s: this.#session, at: this.#host.now() }
    const stamped = lines.map((line, i): Line => ({ n: n + i, ...stamp, ...line }))
    const texts = stamped.map(encodeLine)
    if (texts.some((text) => Buffer.byteLength(text) > longestLine))
      throw new Error('a line would be longer than 1 MiB')
    const bytes = Buffer.from(`\n${texts.join('')}`)
    this.#written.push({ bytes: bytes.subarray(1), lines: stamped })
    const written = await this.#file.append(bytes)
    if (written < bytes.length) throw new Error('no space left')
  }

  async #touch() {
    try {
      await this.check()
      await this.#file.touch()
    } catch {
      // The next line meets the same failure and reports it.
      this.#touching?.cancel()
    }
  }

  /** Throws if this process does not hold the run any more: exit 7 if another one does, else exit 1. */
  check(): Promise<void> {
    return this.#inTurn(() => this.#check())
  }

  async #check() {
    if (this.failure !== undefined) throw this.failure
    const facts = await this.#guard(() => this.#folder.factsOf(`${this.log.run}.ndjson`))
    if (facts?.ino !== this.#ino || facts.size < this.#size)
      throw this.#lose(gone(this.log.run))
    if (facts.size > this.#size) await this.#guard(() => this.#readOn())
    if (this.log.holder !== this.#session) throw this.#lose(takenOver(this.log.run))
    if (this.log.isDamaged) throw this.#lose(gone(this.log.run))
  }

  /** Appends lines, which the next sync covers. */
  append(...lines: NewLine[]): Promise<void> {
    return this.#inTurn(async () => {
      await this.#check()
      await this.#guard(async () => {
        await this.#write(lines, this.log.next)
        await this.#readOn()
      })
    })
  }

  /** On disk when this resolves, and the run was still held then: a request may leave. */
  async appendSynced(...lines: NewLine[]): Promise<void> {
    await this.append(...lines)
    await this.sync()
    await this.check()
  }

  /** Syncs the file. Workers that wait at the same moment share one sync, which begins after all their lines. */
  sync(): Promise<void> {
    this.#nextSync ??= this.#lastSync.then(() => {
      this.#nextSync = undefined
      return this.#guard(() => this.#file.sync())
    })
    this.#lastSync = this.#nextSync.catch(() => undefined)
    return this.#nextSync
  }

  #lose(failure: SvcError) {
    this.isLost = true
    return this.#fail(failure)
  }

  #fail(failure: SvcError) {
    this.#touching?.cancel()
    return (this.failure ??= failure)
  }

  /** Does work on the disk. If it fails, the run ends. */
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

  /** Does work when all earlier work is done, so that no other worker writes between a check and its write. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => undefined)
    return done
  }

  async close(): Promise<void> {
    this.#touching?.cancel()
    await this.#turn
    await this.#lastSync
    await this.#file.close()
  }
}

/** Whether a process may still work on a run: it has no `end`, and the process of its session is not known to be dead. */
export function mayBeAlive(
  { pid, computer, isRunning }: FileHost,
  { session, end }: Pick<RunLog, 'session' | 'end'>,
) {
  if (session === undefined || end !== undefined) return false
  if (session.host !== computer.hostname) return true
  // With the number of this process, it was an earlier one, in a container.
  return session.pid !== pid && isRunning(session.pid)
}

const fixDisk = 'free space or fix the disk, and run the same command again'

function takenOver(run: string) {
  return new SvcError('busy', `run ${run} was taken over by another process`, {
    hint: say`nothing more was sent from here; see the run with:\n  ${svc`runs show ${run}`}`,
  })
}

function gone(run: string) {
  return new SvcError('local', `the record of run ${run} was moved, removed or changed`, {
    hint: 'nothing more was sent from here; the same command again would know nothing of what was sent',
  })
}

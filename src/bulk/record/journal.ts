/**
 * The append-only `journal.ndjson` of a run, one object per line, whose last member `c` is the CRC-32 of the rest of the line. A `try` is on disk
 * before a byte of its request leaves; a `res` needs no sync of its own, since losing it only makes a claim weaker. A `try` says how much of the journal was certainly on disk before it, so that after a power loss a torn tail can
 * be told from damage. No line has a secret or a signature. A session writes it (`sending/scheduler.ts` for each request,
 * `sessions/outputs.ts` for files); `replay.ts` reads it.
 */
import { continuing, say } from '../../message.ts'
import type { FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { SvcError } from '../../errors.ts'
import { fileError } from '../../errno.ts'
import { checkWritable, syncFolder, writeNew, type DraftHost } from '../../disk/whole.ts'
import type { DiskHost } from '../../world.ts'
import { chunksOf, noFollow, replaceFile, writeAllSync } from './recorded-files.ts'
import type { JournalEvent, TryEvent } from './events.ts'

/** Keeps others from the run while it is written. */
export interface Guard {
  /** Throws exit 11 when it is lost. Costs nothing when it was renewed lately. */
  check(): void | Promise<void>
}

export const journalName = 'journal.ndjson'
const draftName = 'journal.new'

export function encodeEvent(event: JournalEvent): string {
  const text = JSON.stringify(event)
  return `${text.slice(0, -1)},"c":"${checksum(text)}"}\n`
}

export function checksum(text: string | Buffer): string {
  return crc32(text).toString(16).padStart(8, '0')
}

/** Writes the journal of a new run, whole or not at all: the run exists when this resolves. */
export async function createJournal(
  host: DiskHost,
  dir: string,
  first: JournalEvent,
): Promise<void> {
  await writeNew(host, join(dir, draftName), [Buffer.from(encodeEvent(first))])
  // The names of the other files first: a run that exists has all of them.
  await syncFolder(host, dir)
  await host.disk.promises.rename(join(dir, draftName), join(dir, journalName))
  await syncRun(host, dir)
}

/** Makes the names of a run's files last, and that of its folder. */
export async function syncRun(host: DiskHost, dir: string): Promise<void> {
  await syncFolder(host, dir)
  await syncFolder(host, dirname(dir))
}

/**
 * Cuts off what a crash left behind `length` bytes. The rest is copied, with an event that says what that means, so that both happen
 * together or not at all. `check` rejects when the lock is lost, with nothing changed.
 */
export async function cutJournal(
  host: DraftHost,
  dir: string,
  run: string,
  {
    length,
    event,
    check,
  }: { length: number; event?: JournalEvent | undefined; check: () => Promise<void> },
): Promise<void> {
  const path = join(dir, journalName)
  async function* pieces(): AsyncGenerator<Uint8Array> {
    let left = length
    for await (const chunk of chunksOf(host, path, run)) {
      yield chunk.subarray(0, left)
      left -= Math.min(left, chunk.length)
    }
    if (event !== undefined) yield Buffer.from(encodeEvent(event))
  }
  await replaceFile(host, path, pieces(), { draft: join(dir, draftName), check })
}

/** One sync, and the attempts that it writes. */
interface Commit {
  readonly attempts: TryEvent[]
  hasBegun: boolean
  done: Promise<void>
}

type JournalHost = DiskHost

export class Journal {
  readonly run: string
  readonly #host: JournalHost
  readonly #dir: string
  readonly #file: FileHandle
  readonly #lock: Guard
  #length = 0
  /** Bytes that were in the file when the last sync that is finished began. */
  #durable = 0
  /** The last of the syncs that are in flight or wait for one. */
  #last: Commit | undefined
  #failure: SvcError | undefined
  #closed = false

  private constructor(
    host: JournalHost,
    { run, dir }: { run: string; dir: string },
    file: FileHandle,
    lock: Guard,
  ) {
    this.#host = host
    this.run = run
    this.#dir = dir
    this.#file = file
    this.#lock = lock
  }

  /** Opens the journal of a run whose lock is held. Throws exit 10. */
  static async open(host: JournalHost, dir: string, run: string, lock: Guard): Promise<Journal> {
    const { constants, promises } = host.disk
    const flags = constants.O_WRONLY | constants.O_APPEND | noFollow(host.disk)
    const file = await promises.open(join(dir, journalName), flags).catch((error: unknown) => {
      throw fileError('local', `the journal of run ${run} cannot be written`, error).with({ run })
    })
    const journal = new Journal(host, { run, dir }, file, lock)
    try {
      journal.#length = (await file.stat()).size
      // From here on, what is damaged in it was damaged, and is not what a power loss left.
      await journal.sync()
      return journal
    } catch (error) {
      await journal.close()
      throw error
    }
  }

  /** Set once a line could not be written: every later append throws it. */
  get failure(): SvcError | undefined {
    return this.#failure
  }

  /** For what is sent without a line. Throws, or rejects with, exit 11 when the lock is lost. */
  checkLock(): Promise<void> | void {
    return this.#lock.check()
  }

  /** Resolves when the line is on disk. Lines that wait at the same moment share one sync. */
  async appendTry(event: TryEvent): Promise<void> {
    this.#checkOpen()
    const commit = this.#join()
    commit.attempts.push(event)
    await commit.done
  }

  /** The line is written when this resolves; it is on disk with the next sync. */
  async append(event: JournalEvent): Promise<void> {
    this.#checkOpen()
    await this.#lock.check()
    this.#write(encodeEvent(event))
  }

  async sync(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    if (this.#length > this.#durable || this.#last !== undefined) await this.#join().done
  }

  /** Syncs and closes. Never throws after a failed write: that was reported already. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.sync().catch(() => undefined)
    await this.#file.close().catch(() => undefined)
  }

  #checkOpen(): void {
    if (this.#failure !== undefined) throw this.#failure
    if (this.#closed) throw new Error('the journal is closed')
  }

  #fail(error: unknown): SvcError {
    const what = `the journal of run ${this.run} cannot be written`
    const hint = say`free space, then\n  ${continuing`runs resume ${this.run}`}`
    return (this.#failure ??= fileError('local', what, error, hint).with({ run: this.run }))
  }

  /** At once: a line of an answer waits for nobody's sync. */
  #write(lines: string): void {
    if (this.#failure !== undefined) throw this.#failure
    try {
      const bytes = Buffer.from(lines)
      writeAllSync(this.#host, this.#file.fd, bytes)
      this.#length += bytes.length
    } catch (error) {
      throw this.#fail(error)
    }
  }

  /** The next sync; one that has begun may have missed the last line. */
  #join(): Commit {
    const last = this.#last
    if (last !== undefined && !last.hasBegun) return last
    const next: Commit = { attempts: [], hasBegun: false, done: Promise.resolve() }
    this.#last = next
    next.done = this.#commit(next, last?.done)
    return next
  }

  async #commit(commit: Commit, before: Promise<void> | undefined): Promise<void> {
    await before?.catch(() => undefined)
    commit.hasBegun = true
    try {
      if (this.#failure !== undefined) throw this.#failure
      await this.#lock.check()
      this.#write(
        commit.attempts.map((event) => encodeEvent({ ...event, d: this.#durable })).join(''),
      )
      const covered = this.#length
      await this.#file.datasync()
      checkWritable(this.#host, this.#dir)
      // A process that was stopped during the sync sends nothing any more.
      await this.#lock.check()
      this.#durable = covered
    } catch (error) {
      throw this.#fail(error)
    } finally {
      if (this.#last === commit) this.#last = undefined
    }
  }
}

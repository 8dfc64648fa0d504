/**
 * The locks of a session, in the order in which they are taken, and whatever else it gives back at its end. A name is locked before its
 * run, and the undoing of a run before that run, so that two commands never wait for each other. `session.ts` has them for a run,
 * `prune.ts` for what it does to one.
 */
import type { Lock, LockOptions } from '../../disk/lock.ts'
import { describeHolder, type Holder, type LockHost } from '../../disk/lock-file.ts'
import { takeLock } from '../../disk/take.ts'
import { newToken } from '../../disk/whole.ts'
import type { RunStore } from '../runs/store.ts'
import type { DraftGuard } from '../files/output-file.ts'
import type { BulkTools } from '../tools.ts'

type LockTools = Pick<BulkTools, 'signal' | 'note'> & { readonly host: LockHost }

export class SessionLocks implements DraftGuard {
  /** The token of all its locks; a part of the names of its drafts. */
  readonly token: string
  readonly takeOver: boolean
  readonly #tools: LockTools
  readonly #locks: Lock[] = []
  readonly #releases: (() => Promise<unknown>)[] = []
  #lost: AbortSignal | undefined

  constructor(tools: LockTools, takeOver = false) {
    this.token = newToken(tools.host)
    this.#tools = tools
    this.takeOver = takeOver
  }

  /** Locks of the same process, apart from these: their caller gives them back. */
  apart({ takeOver = this.takeOver } = {}): SessionLocks {
    return new SessionLocks(this.#tools, takeOver)
  }

  /** Takes the lock of a run. Throws exit 10 or 11. */
  async takeRun(store: Pick<RunStore, 'folderOf'>, run: string): Promise<void> {
    const options = {
      what: `run ${run}`,
      run,
      ...this.#how(),
    }
    this.#add(await takeLock(this.#tools.host, store.folderOf(run), options))
  }

  /** Takes the lock of undoing a run, beside that of the run. Throws exit 10 or 11. */
  async takeUndo(store: Pick<RunStore, 'folderOf'>, run: string): Promise<void> {
    const options = {
      what: `the undoing of run ${run}`,
      run,
      file: 'undo',
      ...this.#how(),
    }
    this.#add(await takeLock(this.#tools.host, store.folderOf(run), options))
  }

  /** Takes the lock of a `--once` name. Throws exit 10 or 11. */
  async takeName({ names }: RunStore, name: string): Promise<void> {
    this.atEnd(() => names.forgetEmpty(name))
    this.#add(await names.lock(name, this.#how()))
  }

  /** Something to give back, before what was taken earlier. */
  atEnd(release: () => Promise<unknown>): void {
    this.#releases.push(release)
  }

  /** Whether a holder before us may still be alive. */
  get isTakenOver(): boolean {
    return this.#locks.some((lock) => lock.takenOver)
  }

  /** Aborted when any of the locks is lost. To be asked for once all of them are taken. */
  get lost(): AbortSignal {
    return (this.#lost ??= AbortSignal.any(this.#locks.map((lock) => lock.lost)))
  }

  /** Throws exit 11 when a lock is lost. Returns nothing, so that no turn is lost either, where all were renewed lately. */
  check(): void | Promise<void> {
    for (const [i, lock] of this.#locks.entries()) {
      const reading = lock.check()
      if (reading !== undefined) return reading.then(() => this.#checkAll(i + 1))
    }
  }

  /** A question took its time: the locks are read before anything else is done. Throws exit 11. */
  async recheck(): Promise<void> {
    for (const lock of this.#locks) lock.recheck()
    await this.#checkAll(0)
  }

  async #checkAll(from: number): Promise<void> {
    for (const lock of this.#locks.slice(from)) await lock.check()
  }

  #add(lock: Lock): void {
    this.#locks.push(lock)
    this.atEnd(() => lock.release())
  }

  #how(): Omit<LockOptions, 'what'> {
    const { signal, note } = this.#tools
    // A take-over watches for a minute, which a person should know.
    const onWait = (holder: Holder): void => {
      const when = holder.isOtherBoot ? ', and this machine has restarted since' : ''
      note(`${describeHolder(holder)} holds the lock${when}; waiting a minute for a sign of life`)
    }
    // A process that stood still for the minute of one lock is not watched for another minute at the next one.
    const stoodStill = this.#locks.at(-1)?.stoodStill
    return {
      token: this.token,
      takeOver: this.takeOver,
      watchesOtherBoot: true,
      stoodStill,
      signal,
      onWait,
    }
  }

  /** Gives back in reverse order. What cannot be given back is left as a crash would leave it, and found by the next command. */
  async release(): Promise<void> {
    for (const release of this.#releases.splice(0).reverse()) await release().catch(() => undefined)
  }
}

/** The locks of a session, in the order in which they are taken, and whatever else it gives back at its end. */
import { SvcError } from '../../errors.ts'
import type { Lock, LockOptions, Watch } from '../locks/lock.ts'
import { describeHolder, type Holder, type LockHost } from '../locks/lock-file.ts'
import { takeLock, watchLock } from '../locks/take.ts'
import { forgetEmptyName, lockName, readName } from '../runs/names.ts'
import type { DraftGuard } from '../files/output-file.ts'
import { runFolder } from '../runs/store.ts'
import type { BulkTools } from '../tools.ts'

type LockTools = Pick<BulkTools, 'signal' | 'note'> & { readonly host: LockHost }

export class SessionLocks implements DraftGuard {
  readonly #tools: LockTools
  readonly #takeOver: boolean
  readonly #locks: Lock[] = []
  readonly #releases: (() => Promise<unknown>)[] = []
  #lost: AbortSignal | undefined
  /** The lock of the run that a name has, watched while the name's lock is taken over. */
  #runLock: Watch | undefined

  constructor(tools: LockTools, takeOver = false) {
    this.#tools = tools
    this.#takeOver = takeOver
  }

  /** Takes the lock of a run. Throws exit 10 or 11. */
  async takeRun(dir: string, run: string): Promise<void> {
    const beside = this.#runLock
    this.#add(await takeLock(this.#tools.host, dir, { what: `run ${run}`, run, beside, ...this.#how() }))
  }

  /** Takes the lock of undoing a run, beside that of the run. Throws exit 10 or 11. */
  async takeUndo(dir: string, run: string): Promise<void> {
    try {
      this.#add(
        await takeLock(this.#tools.host, dir, { what: `the undoing of run ${run}`, run, file: 'undo', ...this.#how() }),
      )
    } catch (error) {
      if (!(error instanceof SvcError) || error.category !== 'busy') throw error
      throw new SvcError('busy', `another process is undoing run ${run}; nothing was sent from here`, error.details)
    }
  }

  /** Takes the lock of a `--once` name. Throws exit 10 or 11. */
  async takeName(stateDir: string, name: string): Promise<void> {
    this.atEnd(() => forgetEmptyName(this.#tools.host, stateDir, name))
    const run = this.#takeOver ? readName(this.#tools.host, stateDir, name)?.run : undefined
    if (run !== undefined) this.#runLock = watchLock(this.#tools.host, runFolder(stateDir, run))
    this.#add(await lockName(this.#tools.host, stateDir, { name, beside: this.#runLock, ...this.#how() }))
  }

  /** Something to give back, before what was taken earlier. */
  atEnd(release: () => Promise<unknown>): void {
    this.#releases.push(release)
  }

  /** The token of the last lock, which is that of the run. */
  get token(): string | undefined {
    return this.#locks.at(-1)?.token
  }

  /** Whether a holder before us may still be alive. */
  get isTakenOver(): boolean {
    return this.#locks.some((lock) => lock.takenOver)
  }

  get lost(): AbortSignal {
    return (this.#lost ??= AbortSignal.any(this.#locks.map((lock) => lock.lost)))
  }

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

  #how(): Pick<LockOptions, 'takeOver' | 'signal' | 'onWait'> {
    const { signal, note } = this.#tools
    // A take-over watches for a minute, which a person should know.
    const onWait = (holder: Holder): void => {
      note(`${describeHolder(holder)} holds the lock; waiting a minute for a sign of life`)
    }
    return { takeOver: this.#takeOver, signal, onWait }
  }

  async release(): Promise<void> {
    for (const release of this.#releases.splice(0).reverse()) await release().catch(() => undefined)
  }
}

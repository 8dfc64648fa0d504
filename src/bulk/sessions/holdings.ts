/** What a session holds, in the order in which it was taken, and gives back: locks, the journal, drafts of its files. */
import { SvcError } from '../../errors.ts'
import type { FileEvent } from '../record/events.ts'
import { Journal } from '../record/journal.ts'
import type { Lock, LockOptions, Watch } from '../locks/held-lock.ts'
import { describeHolder, type HeldBy, type LockHost } from '../locks/lock-holder.ts'
import { takeLock, watchLock } from '../locks/lock.ts'
import { forgetEmptyName, lockName, readName } from '../runs/names.ts'
import type { Annotation } from '../files/annotate.ts'
import { checkPlace, noFiles, OutputFile, type DraftGuard, type OwnFiles } from '../files/output-file.ts'
import { newToken, type DraftHost } from '../../output/whole-file.ts'
import { runFolder } from '../runs/store.ts'
import type { Plan } from './plan.ts'
import type { BulkTools } from '../tools.ts'

type HoldTools = Pick<BulkTools, 'signal' | 'note'> & { readonly host: LockHost & DraftHost }

export interface Outputs {
  readonly receipts: OutputFile | undefined
  readonly annotated: { readonly annotation: Annotation; readonly file: OutputFile } | undefined
}

export class Holdings implements DraftGuard {
  readonly #tools: HoldTools
  readonly #takeOver: boolean
  readonly #locks: Lock[] = []
  readonly #releases: (() => Promise<unknown>)[] = []
  #lost: AbortSignal | undefined
  /** Of the run that a name has, watched while the name's lock is taken over. */
  #runLock: Watch | undefined

  constructor(tools: HoldTools, takeOver = false) {
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
    this.add(() => forgetEmptyName(stateDir, name))
    const run = this.#takeOver ? readName(stateDir, name)?.run : undefined
    if (run !== undefined) this.#runLock = watchLock(this.#tools.host, runFolder(stateDir, run))
    this.#add(await lockName(this.#tools.host, stateDir, { name, beside: this.#runLock, ...this.#how() }))
  }

  add(release: () => Promise<unknown>): void {
    this.#releases.push(release)
  }

  /** Whether a holder before us may still be alive. */
  get takenOver(): boolean {
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
    this.add(() => lock.release())
  }

  #how(): Pick<LockOptions, 'takeOver' | 'signal' | 'onWait'> {
    const { signal, note } = this.#tools
    // A take-over watches for a minute, which a person should know.
    const onWait = (held: HeldBy): void => {
      note(`${describeHolder(held)} holds the lock; waiting a minute for a sign of life`)
    }
    return { takeOver: this.#takeOver, signal, onWait }
  }

  async openJournal(dir: string, run: string): Promise<Journal> {
    const journal = await Journal.open(dir, run, this)
    this.add(() => journal.close())
    return journal
  }

  /** A draft of a file. `files`: what the run wrote before, which may be replaced. Throws exit 2. */
  async openOutput(path: string, kind: FileEvent['kind'], run: string | undefined, files: OwnFiles) {
    const { host } = this.#tools
    await checkPlace(host, { path, kind }, files)
    // The lock of the run is the last one.
    const tag = run === undefined ? newToken(host) : `${run}.${this.#locks.at(-1)?.token ?? newToken(host)}`
    const file = await OutputFile.open(host, { path, kind }, tag)
    file.guard = this
    this.add(() => file.discard())
    return file
  }

  /** Those of a new run. Throws exit 2. */
  async openOutputs({ options: { receipts }, annotation }: Pick<Plan, 'options' | 'annotation'>, run?: string) {
    return {
      receipts: receipts === undefined ? undefined : await this.openOutput(receipts, 'receipts', run, noFiles),
      annotated: annotation && {
        annotation,
        file: await this.openOutput(annotation.table.path, 'annotate', run, noFiles),
      },
    }
  }

  /** From here on the next holder of the lock knows the drafts of this one. */
  async recordDrafts({ receipts, annotated }: Outputs, journal: Journal): Promise<void> {
    for (const file of [receipts, annotated?.file]) {
      if (file !== undefined) await journal.append(file.draftsEvent(this.#tools.host.now()))
    }
  }

  /** Puts the bad lines of the input in their place, once the journal knows them. Throws exit 2 or 10. */
  async placeRejects(rejects: OutputFile | undefined, journal: Journal, files: OwnFiles): Promise<void> {
    if (rejects === undefined) return
    rejects.guard = this
    this.add(() => rejects.discard())
    await checkPlace(this.#tools.host, rejects, files)
    const event = await rejects.finish(this.#tools.host.now())
    await journal.append(event)
    await journal.sync()
    await rejects.place(files)
  }

  async release(): Promise<void> {
    for (const release of this.#releases.splice(0).reverse()) await release().catch(() => undefined)
  }
}

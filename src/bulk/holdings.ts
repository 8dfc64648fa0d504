/** What a session holds, in the order in which it was taken, and gives back: locks, the journal, drafts of its files. */
import { Journal, type Guard } from './journal.ts'
import type { Lock, LockOptions, Watch } from './held-lock.ts'
import { describeHolder, type HeldBy, type LockHost } from './lock-holder.ts'
import { takeLock, watchLock } from './lock.ts'
import { forgetEmptyName, lockName, readName } from './names.ts'
import type { Annotation } from './annotate.ts'
import { checkPlace, OutputFile, type OwnFiles } from './output-file.ts'
import { runFolder } from './store.ts'
import type { BulkTools } from './tools.ts'

type HoldTools = Pick<BulkTools, 'signal' | 'note'> & { readonly host: LockHost }

/** What a session is to write for its user at its end. */
interface Wanted {
  readonly receipts: string | undefined
  readonly annotation: Annotation | undefined
}

export interface Outputs {
  readonly receipts: OutputFile | undefined
  readonly annotated: { readonly annotation: Annotation; readonly file: OutputFile } | undefined
}

export class Holdings implements Guard {
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

  /** Takes the lock of a run. Throws exit 10. */
  async takeRun(dir: string, run: string): Promise<void> {
    const beside = this.#runLock
    this.#add(await takeLock(this.#tools.host, dir, { what: `run ${run}`, run, beside, ...this.#how() }))
  }

  /** Takes the lock of a `--once` name. Throws exit 10. */
  async takeName(stateDir: string, name: string): Promise<void> {
    this.add(() => forgetEmptyName(stateDir, name))
    const run = this.#takeOver ? readName(stateDir, name)?.run : undefined
    if (run !== undefined) this.#runLock = watchLock(this.#tools.host, runFolder(stateDir, run))
    this.#add(await lockName(this.#tools.host, stateDir, { name, beside: this.#runLock, ...this.#how() }))
  }

  /** What is called at the end, the last added first. */
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

  /** A question took its time: the locks are read before anything else is done. Throws exit 10. */
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

  /** `tag`: the id of the run. `files`: what it wrote before, which may be replaced. Throws exit 2. */
  async openOutputs({ receipts, annotation }: Wanted, tag: string, files: OwnFiles): Promise<Outputs> {
    const open = async (path: string, kind: 'receipts' | 'annotate'): Promise<OutputFile> => {
      await checkPlace(path, kind, files)
      const file = await OutputFile.open(path, kind, tag)
      this.add(() => file.discard())
      return file
    }
    return {
      receipts: receipts === undefined ? undefined : await open(receipts, 'receipts'),
      annotated: annotation && { annotation, file: await open(annotation.path, 'annotate') },
    }
  }

  /** Puts the bad lines of the input in their place, once the journal knows them. Throws exit 2 or 10. */
  async placeRejects(rejects: OutputFile | undefined, journal: Journal | undefined, files: OwnFiles): Promise<void> {
    if (rejects === undefined) return
    this.add(() => rejects.discard())
    await checkPlace(rejects.path, 'rejects', files)
    const event = await rejects.finish(this.#tools.host.now())
    await journal?.append(event)
    await journal?.sync()
    await rejects.place(files)
  }

  async release(): Promise<void> {
    for (const release of this.#releases.splice(0).reverse()) await release().catch(() => undefined)
  }
}

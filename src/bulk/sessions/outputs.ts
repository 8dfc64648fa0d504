/**
 * The files for its user that a session writes: those that its command names. Drafts are opened before anything is sent, and moved to their
 * places at the end, once the journal says what they are: after a crash there is either no file, or a whole one that is known.
 * `from-job.ts`, `from-record.ts` and `unsent.ts` open them; the end of each session moves them.
 */
import { SvcError, systemCode } from '../../errors.ts'
import { Annotation } from '../files/annotate.ts'
import { checkPlace, noFiles, OutputFile } from '../files/output-file.ts'
import { writeReceipts } from '../files/receipts.ts'
import type { RunState } from '../outcomes/state.ts'
import type { FileEvent } from '../record/events.ts'
import type { Journal } from '../record/journal.ts'
import type { RecordedRun } from '../runs/recorded.ts'
import type { BulkTools } from '../tools.ts'
import type { SessionLocks } from './session-locks.ts'

type Kind = FileEvent['kind']

/** Paths of files that a command names. */
export type NamedFiles = { readonly [K in Kind]?: string | undefined }

interface OutputParts {
  readonly tools: BulkTools
  readonly locks: SessionLocks
  /** The id of the run; undefined where an ending is no run. */
  readonly id: string | undefined
  readonly recorded?: RecordedRun
  readonly named: NamedFiles
  /** Where the command says that the input of the recorded run lies. */
  readonly inputPath?: string | undefined
  readonly annotation?: Annotation | undefined
  readonly isSending: boolean
}

/**
 * A file that cannot be written is exit 2 when something is left to send. With nothing left it is `failed` when the disk or folder is the
 * reason, since a scheduler would take it for finished, and else a note: somebody opened and saved it.
 */
export class Outputs {
  readonly #parts: OutputParts
  /** The rows of the input; of a recorded run they are read again. */
  #annotation: Annotation | undefined
  #receipts: OutputFile | undefined
  #annotated: OutputFile | undefined
  failed: SvcError | undefined

  constructor(parts: OutputParts) {
    this.#parts = parts
    this.#annotation = parts.annotation
  }

  /** Whether receipts or rows are written. */
  get isAsked(): boolean {
    return this.hasReceipts || this.hasRows
  }

  get hasReceipts(): boolean {
    return this.#receipts !== undefined
  }

  get hasRows(): boolean {
    return this.#annotated !== undefined
  }

  get #files() {
    return this.#parts.recorded?.files ?? noFiles
  }

  /** Before the question: reads the input of a recorded run where a file is made from it. Throws exit 2 when it is not what it was. */
  async readInput({ run }: RecordedRun): Promise<void> {
    const { tools, named, inputPath } = this.#parts
    const { host } = tools
    if (named.annotate !== undefined) {
      this.#annotation = await Annotation.ofRun(host, run, named.annotate, inputPath)
    }
  }

  /** Begins the drafts, so that a folder that cannot be written is known before the first request. */
  async open(): Promise<void> {
    this.#receipts = await this.#with('receipts', (path) => this.#draft(path, 'receipts'))
    if (this.#annotation !== undefined) {
      this.#annotated = await this.#with('annotate', (path) => this.#draft(path, 'annotate'))
    }
  }

  /** The token of the locks in its name tells which session it belongs to, so that the next one can remove it. */
  async #draft(path: string, kind: Kind): Promise<OutputFile> {
    const { tools, locks, id } = this.#parts
    const { host } = tools
    await checkPlace(host, { path, kind }, this.#files)
    const file = await OutputFile.open(host, { path, kind }, id && `${id}.${locks.token}`)
    file.guard = locks
    locks.atEnd(() => file.discard())
    return file
  }

  /** From here on the next holder of the lock knows the drafts of this one. */
  async recordDrafts(journal: Journal): Promise<void> {
    for (const file of [this.#receipts, this.#annotated]) {
      if (file !== undefined) await journal.append(file.draftsEvent(this.#parts.tools.host.now()))
    }
  }

  /**
   * Writes receipts and rows next to their final places. Returns what is wrong with the rows, often with an input that somebody goes on editing:
   * the receipts are good all the same.
   */
  async finish(
    state: RunState,
    journal?: Journal,
    isUnsent = false,
  ): Promise<SvcError | undefined> {
    const { tools } = this.#parts
    const finishFile = async (file: OutputFile): Promise<void> => {
      const event = await file.finish(tools.host.now())
      await journal?.append(event)
    }
    if (this.#receipts !== undefined) {
      await writeReceipts(tools.host, this.#receipts.path, this.#receipts, state)
      await finishFile(this.#receipts)
    }
    try {
      if (this.#annotated === undefined) return undefined
      await this.#annotation?.write(this.#annotated, state, isUnsent)
      await finishFile(this.#annotated)
    } catch (error) {
      if (error instanceof SvcError) return error
      throw error
    }
  }

  /** Moves them to their places. Throws exit 10, also when somebody else's file came there, or 11. */
  async place(problem: SvcError | undefined): Promise<void> {
    const { tools, id } = this.#parts
    await this.#receipts?.place(this.#files)
    if (problem !== undefined) throw problem
    await this.#annotated?.place(this.#files)
    const written = [this.#receipts, this.#annotated].flatMap((file) =>
      file === undefined ? [] : [`"${file.path}"`],
    )
    if (written.length === 0) return
    const from = id === undefined ? '' : ` (run ${id})`
    const about = this.#annotated === undefined ? '' : this.#annotation?.table.note
    tools.note(`wrote ${written.join(' and ')}${from}${about ?? ''}`)
  }

  /** Works on a file that the command names; says why it cannot be written where that stops nothing. */
  async #with<T>(kind: Kind, work: (path: string) => Promise<T>): Promise<T | undefined> {
    const { tools, isSending, id, named } = this.#parts
    const path = named[kind]
    try {
      return path === undefined ? undefined : await work(path)
    } catch (error) {
      if (isSending || !(error instanceof SvcError) || error.category !== 'usage') throw error
      const isFailed = systemCode(error.details.cause) !== undefined
      const hint = 'nothing is left to send; when it can be written, run the command again'
      if (isFailed) this.failed = new SvcError('local', error.message, { hint, run: id })
      else tools.note(`not written: ${error.message}`)
      return undefined
    }
  }
}

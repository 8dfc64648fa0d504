/** The files for its user that a session writes: those that its command names, and those that a recorded run remembers. */
import { resolve } from 'node:path'
import { SvcError, systemCode } from '../../errors.ts'
import { Annotation, writeRejects } from '../files/annotate.ts'
import { checkPlace, noFiles, OutputFile } from '../files/output-file.ts'
import { writeReceipts } from '../files/receipts.ts'
import type { RunState } from '../outcomes/state.ts'
import { isThere } from '../../disk/files.ts'
import type { FileEvent, FilePaths } from '../record/events.ts'
import type { Journal } from '../record/journal.ts'
import type { InputCounts, Source } from '../record/run.ts'
import type { RecordedRun } from '../runs/recorded.ts'
import type { BulkTools } from '../tools.ts'
import type { SessionLocks } from './session-locks.ts'

type Kind = FileEvent['kind']

interface OutputParts {
  readonly tools: BulkTools
  readonly locks: SessionLocks
  /** The id of the run; undefined where an ending is no run. */
  readonly id: string | undefined
  readonly input: InputCounts
  readonly recorded?: RecordedRun
  /** Paths that the command names. */
  readonly named: { readonly [K in Kind]?: string | undefined }
  /** The bad lines of the input that the command has read. */
  readonly rejects?: OutputFile | undefined
  readonly annotation?: Annotation | undefined
  readonly isSending: boolean
}

/**
 * A file that cannot be written is exit 2 when the command names it and something is left to send, and else a note. With nothing left it is `failed`
 * when the command names it and the disk or folder is the reason: a scheduler would take it for finished.
 */
export class Outputs {
  readonly #parts: OutputParts
  #annotation: Annotation | undefined
  #receipts: OutputFile | undefined
  #annotated: OutputFile | undefined
  failed: SvcError | undefined

  constructor(parts: OutputParts) {
    this.#parts = parts
    this.#annotation = parts.annotation
  }

  /** Absolute paths, as a run remembers them; undefined when the command names none. */
  get named(): FilePaths | undefined {
    const paths: FilePaths = {}
    for (const kind of ['receipts', 'annotate', 'rejects'] as const) {
      const path = this.#parts.named[kind]
      if (path !== undefined) paths[kind] = resolve(path)
    }
    return Object.keys(paths).length === 0 ? undefined : paths
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

  /** Before the question: reads the input of a recorded run that is to be annotated again. `source`: where a repeated command has it. */
  async readInput({ run }: RecordedRun, source: Source | undefined): Promise<void> {
    const typed = this.#parts.named.annotate === undefined ? undefined : source
    this.#annotation = await this.#with(
      'annotate',
      (path) => Annotation.ofRun(this.#parts.tools.host, run, path, typed),
      true,
    )
  }

  /** Begins the drafts, so that a folder that cannot be written is known before the first request. */
  async open(): Promise<void> {
    this.#receipts = await this.#with('receipts', (path) => this.#draft(path, 'receipts'))
    if (this.#annotation !== undefined)
      this.#annotated = await this.#with('annotate', (path) => this.#draft(path, 'annotate'))
  }

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
    for (const file of [this.#receipts, this.#annotated])
      if (file !== undefined) await journal.append(file.draftsEvent(this.#parts.tools.host.now()))
  }

  /** Writes the bad lines, once the journal knows them. */
  async placeRejects(journal: Journal | undefined): Promise<void> {
    const { tools, locks } = this.#parts
    await this.#with('rejects', async (path) => {
      await checkPlace(tools.host, { path, kind: 'rejects' }, this.#files)
      const file = this.#parts.rejects ?? (await this.#rejectsAgain(path))
      if (file === undefined) return
      file.guard = locks
      locks.atEnd(() => file.discard())
      const event = await file.finish(tools.host.now())
      await journal?.append(event)
      await journal?.sync()
      await file.place(this.#files)
      tools.note(`the skipped lines are in "${path}"`)
    })
  }

  /** The bad lines of a recorded run's input, where their file is missing. */
  async #rejectsAgain(path: string): Promise<OutputFile | undefined> {
    const { tools, recorded } = this.#parts
    if (recorded === undefined || isThere(tools.host, path)) return undefined
    const file = await this.#draft(path, 'rejects')
    await writeRejects(tools, recorded.run, file)
    return file
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
    const { tools, input } = this.#parts
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
      await this.#annotation?.write(
        this.#annotated,
        state,
        input.otherShards !== undefined,
        isUnsent,
      )
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

  /** The path that the command names, or that the run remembers, unless the command names it for something else. */
  #pathOf(kind: Kind): string | undefined {
    const { named, recorded } = this.#parts
    if (named[kind] !== undefined) return named[kind]
    const path = recorded?.places[kind]
    return Object.values(this.named ?? {}).some((other) => other === path) ? undefined : path
  }

  async #with<T>(
    kind: Kind,
    work: (path: string) => Promise<T>,
    isInput = false,
  ): Promise<T | undefined> {
    const { tools, isSending, id, named } = this.#parts
    const path = this.#pathOf(kind)
    const isNamed = named[kind] !== undefined
    try {
      return path === undefined ? undefined : await work(path)
    } catch (error) {
      if (isNamed && isSending) throw error
      if (!(error instanceof SvcError) || error.category !== 'usage') throw error
      const isFailed = isNamed && !isInput && systemCode(error.details.cause) !== undefined
      const hint = 'nothing is left to send; when it can be written, run the command again'
      if (isFailed) this.failed = new SvcError('local', error.message, { hint, run: id })
      else tools.note(`not written: ${error.message}`)
      return undefined
    }
  }
}

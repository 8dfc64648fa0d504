/** The files for its user that a session of a recorded run writes: those that its command names, and those that the run remembers. */
import { resolve } from 'node:path'
import { SvcError, systemCode } from '../../errors.ts'
import { Annotation, writeRejects } from '../files/annotate.ts'
import { checkPlace, type OutputFile } from '../files/output-file.ts'
import { isThere } from '../record/disk.ts'
import type { FileEvent, FilePaths, ReopenEvent } from '../record/events.ts'
import type { Journal } from '../record/journal.ts'
import type { Source } from '../record/run.ts'
import type { RecordedRun } from '../runs/recorded.ts'
import type { BulkTools, SendOptions, SessionOptions } from '../tools.ts'
import type { Holdings, Outputs } from './holdings.ts'

type Kind = FileEvent['kind']

/** How a recorded run is resumed: as it was, or, under a repeated `--once` command, as that says now. */
interface ResumeOptions extends SendOptions, Omit<SessionOptions, 'rate'> {
  /** Of a repeated command, as are the bad lines of its input. */
  readonly once?: string | undefined
  readonly rejects?: OutputFile | undefined
  readonly source?: Source | undefined
}

export interface Resuming {
  readonly tools: BulkTools
  readonly held: Holdings
  readonly recorded: RecordedRun
  readonly again?: ReopenEvent
  readonly options: ResumeOptions
}

/** As a run remembers them; undefined when there are none. */
export function absolutePaths(named: { readonly [K in Kind]?: string | undefined }): FilePaths | undefined {
  const paths: FilePaths = {}
  for (const kind of ['receipts', 'annotate', 'rejects'] as const) {
    const path = named[kind]
    if (path !== undefined) paths[kind] = resolve(path)
  }
  return Object.keys(paths).length === 0 ? undefined : paths
}

/**
 * What cannot be written is exit 2 when the command names it and something is left to send, and else a note. With nothing left it is `failed`
 * when the command names it and the disk or folder is the reason: a scheduler would take it for finished.
 */
export class RunOutputs {
  readonly #resuming: Resuming
  readonly #isSending: boolean
  readonly #named: { readonly [K in Kind]?: string | undefined }
  #annotation: Annotation | undefined
  failed: SvcError | undefined

  constructor(resuming: Resuming, isSending: boolean) {
    const { receipts, annotate, rejects } = resuming.options
    this.#resuming = resuming
    this.#isSending = isSending
    this.#named = { receipts, annotate, rejects: rejects?.path }
  }

  get named(): FilePaths | undefined {
    return absolutePaths(this.#named)
  }

  /** Before the question: reads the input that is to be annotated again. */
  async readInput(): Promise<void> {
    const { tools, recorded, options } = this.#resuming
    const typed = options.annotate === undefined ? undefined : options.source
    this.#annotation = await this.#with(
      'annotate',
      (path) => Annotation.ofRun(tools.host, recorded.run, path, typed),
      true,
    )
  }

  async open(journal: Journal): Promise<Outputs> {
    const { held, recorded } = this.#resuming
    const { run, files } = recorded
    const annotation = this.#annotation
    const receipts = await this.#with('receipts', (path) => held.openOutput(path, 'receipts', run.run, files))
    const file =
      annotation && (await this.#with('annotate', (path) => held.openOutput(path, 'annotate', run.run, files)))
    const outputs = { receipts, annotated: annotation && file && { annotation, file } }
    await held.recordDrafts(outputs, journal)
    return outputs
  }

  /** The bad lines: those that the repeated command has read, or, where the file of the run is missing, those of its input. */
  async placeRejects(journal: Journal): Promise<void> {
    const { tools, held, recorded, options } = this.#resuming
    const { run, files } = recorded
    await this.#with('rejects', async (path) => {
      if (options.rejects !== undefined) return held.placeRejects(options.rejects, journal, files)
      await checkPlace(tools.host, { path, kind: 'rejects' }, files)
      if (isThere(path)) return
      const file = await held.openOutput(path, 'rejects', run.run, files)
      await writeRejects(tools, run, file)
      await held.placeRejects(file, journal, files)
    })
  }

  async #with<T>(kind: Kind, work: (path: string) => Promise<T>, isInput = false): Promise<T | undefined> {
    const { tools, recorded } = this.#resuming
    const named = this.#named[kind]
    const path = named ?? recorded.places[kind]
    const isTaken = named === undefined && Object.values(this.named ?? {}).some((other) => other === path)
    if (path === undefined || isTaken) return undefined
    try {
      return await work(path)
    } catch (error) {
      const isNote = named === undefined || !this.#isSending
      if (!isNote || !(error instanceof SvcError) || error.category !== 'usage') throw error
      const isFailed = named !== undefined && !isInput && systemCode(error.details.cause) !== undefined
      const hint = 'nothing is left to send; when it can be written, run the command again'
      if (isFailed) this.failed = new SvcError('local', error.message, { hint, run: recorded.run.run })
      else tools.note(`not written: ${error.message.replace('; nothing was sent', '')}`)
      return undefined
    }
  }
}

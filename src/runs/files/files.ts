/**
 * The files that a command names for its user, receipts and annotated rows. They are written at the end, whole or not at
 * all. A file that this run did not write, or that somebody changed since, is never replaced unless `--replace-out` says so.
 */
import { dirname, resolve } from 'node:path'
import { SvcError, systemCode, usageError, fileError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { isWorkbook, type AnnotatedTable } from '../../input/annotated.ts'
import { plainPrint } from '../../output/result.ts'
import { draftBeside, finishDraft, writeNew } from '../../output/whole.ts'
import { shellWord } from '../../words.ts'
import type { RunFile } from '../file.ts'
import { sha256, type Items } from '../items.ts'
import type { RunTools } from '../jobs/job.ts'
import { operationOf } from '../operations/operations.ts'
import { receiptColumns, receiptsFor } from '../receipts.ts'
import type { RunState } from '../state.ts'
import { annotatedBytes, sha256OfFile } from './annotate.ts'

type Paths = { readonly [K in 'receipts' | 'annotate']?: string | undefined }

const receiptFormats = ['csv', 'xlsx', 'ndjson'] as const

/** Throws exit 2 for an extension that is not a format of receipts. */
function formatOfReceipts(path: string): (typeof receiptFormats)[number] {
  const format = receiptFormats.find((each) => path.toLowerCase().endsWith(`.${each}`))
  if (format !== undefined) return format
  throw usageError(
    `--receipts takes a file that ends in .csv, .xlsx or .ndjson, not "${path}"`,
  )
}

/** Throws exit 2 for a file with the wrong extension, and for a file that is named twice. */
export function checkOutputs({
  annotate,
  receipts,
  file: inputs = [],
}: Paths & { file?: readonly string[] }) {
  if (receipts !== undefined) formatOfReceipts(receipts)
  if (annotate !== undefined && !isWorkbook(annotate) && !/\.csv$/i.test(annotate)) {
    throw usageError(
      `--annotate takes a file that ends in .csv or .xlsx, not "${annotate}"`,
    )
  }
  const files = inputs.filter((path) => path !== '-')
  const seen = new Map(files.map((path) => [resolve(path), 'the input']))
  for (const [name, path] of [
    ['--receipts', receipts],
    ['--annotate', annotate],
  ] as const) {
    if (path === undefined) continue
    const other = seen.get(resolve(path))
    if (other !== undefined) {
      throw usageError(`"${path}" is named for both ${other} and ${name}`)
    }
    seen.set(resolve(path), name)
  }
}

/** The same for a run, which has its ids. `file`: where its input is now. */
export function checkLaterOutputs({
  file,
  ...named
}: Paths & { file?: string | undefined }) {
  checkOutputs({ ...named, file: file === undefined ? [] : [file] })
  if (file === undefined || named.annotate !== undefined) return
  throw usageError('--file needs --annotate, because the ids are already known')
}

/** A file of the user: its place and its content. */
interface RunOutputFile {
  path: string
  option: 'receipts' | 'annotate'
  what: string
  make: (state: RunState) => Promise<readonly Uint8Array[]>
}

interface FilesOptions {
  named: Paths
  annotation?: AnnotatedTable | undefined
  /** Checksums of the files that this run wrote, by absolute path. */
  own?: ReadonlyMap<string, ReadonlySet<string>>
  /** The input of this command, if it has read one. */
  input?: Items | undefined
  /** A dry run: rows say what would be sent. */
  isUnsent?: boolean
}

export class UserFiles {
  readonly #tools: RunTools
  readonly #own: ReadonlyMap<string, ReadonlySet<string>>
  readonly #files: readonly RunOutputFile[]
  readonly #annotation: AnnotatedTable | undefined

  constructor(
    tools: RunTools,
    { named, annotation, input, own = new Map(), isUnsent = false }: FilesOptions,
  ) {
    this.#tools = tools
    this.#own = own
    const files: RunOutputFile[] = []
    const { receipts: path, annotate } = named
    if (path !== undefined) {
      const make = (state: RunState) => receiptBytes(path, state, input)
      files.push({ path, option: 'receipts', what: 'receipts', make })
    }
    if (annotate !== undefined && annotation !== undefined) {
      this.#annotation = annotation
      const make = (state: RunState) => collect(annotatedBytes(annotation, state, isUnsent))
      files.push({ path: annotate, option: 'annotate', what: 'annotated rows', make })
    }
    this.#files = files
  }

  get hasReceipts() {
    return this.#files.some(({ option }) => option === 'receipts')
  }

  get hasRows() {
    return this.#annotation !== undefined
  }

  /** The files that this run wrote and this command does not name. */
  get outdated() {
    const named = this.#files.map(({ path }) => resolve(path))
    return [...this.#own.keys()].filter((path) => !named.includes(path))
  }

  /** Called before anything is sent. Throws exit 2 for a file that this run did not write, or that cannot be written. */
  async check(): Promise<void> {
    const { promises, constants } = this.#tools.host.disk
    for (const file of this.#files) {
      await explain(file, 'usage', async () => {
        await this.#checkPlace(file, 'usage')
        await promises.access(dirname(resolve(file.path)), constants.W_OK | constants.X_OK)
      })
    }
  }

  async #checkPlace({ path, option, what }: RunOutputFile, category: 'usage' | 'local') {
    const { host } = this.#tools
    const { promises } = host.disk
    const ownChecksums = this.#own.get(resolve(path))
    const stats = await promises.lstat(path).catch((error: unknown) => {
      if (systemCode(error) !== 'ENOENT') throw error
    })
    if (stats === undefined) return
    if (stats.isDirectory()) {
      const message = `the ${what} cannot be written to "${path}": it is not a regular file`
      throw new SvcError(category, message)
    }
    // Only a file that this run may have written is read, because reading a FIFO would never end.
    if (stats.isFile() && ownChecksums?.has(await sha256OfFile(host, path)) === true) return
    const another = path.replace(/(?=\.[^./\\]*$|$)/, '-2')
    const changed =
      ownChecksums === undefined ? 'already exists' : 'was changed since this run wrote it'
    throw new SvcError(category, `the ${what} file "${path}" ${changed}`, {
      hint: `name another one, for example:\n  --${option} ${shellWord(another)}`,
    })
  }

  /**
   * Writes each file: its `file` line is on disk before its draft, and the draft before it is moved. Throws exit 1 and 7.
   */
  async write(state: RunState, run?: RunFile): Promise<void> {
    for (const file of this.#files) {
      const path = resolve(file.path)
      const pieces = await file.make(state)
      const draft = draftBeside(this.#tools.host, path)
      await run?.appendSynced({ t: 'file', path, draft, sha256: sha256(pieces) })
      await explain(file, 'local', () => this.#writeOne(file, draft, pieces, run))
    }
    this.#tell(run?.place.run)
  }

  async #writeOne(
    file: RunOutputFile,
    draftPath: string,
    pieces: readonly Uint8Array[],
    run: RunFile | undefined,
  ) {
    const draft = await writeNew(this.#tools.host, draftPath, pieces)
    await finishDraft(draft, async () => {
      await this.#checkPlace(file, 'local')
      // The last check before the move.
      run?.checkHeld()
      const isOwn = this.#own.has(resolve(file.path))
      await draft.move(file.path, { isReplacing: isOwn })
    })
  }

  #tell(run: string | undefined) {
    if (this.#files.length === 0) return
    const written = this.#files.map(({ path }) => `"${path}"`)
    const from = run === undefined ? '' : ` (run ${run})`
    const about = this.#annotation?.note ?? ''
    this.#tools.note(`wrote ${written.join(' and ')}${from}${about}`)
  }
}

/** Turns a failure into an error that names the file. */
async function explain<T>(
  { path, what }: RunOutputFile,
  category: 'usage' | 'local',
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw fileError(
      category,
      `the ${what} cannot be written to "${path}"`,
      error,
      'when it can be written, run the same command again: it writes the file and sends nothing twice',
    )
  }
}

async function collect(pieces: AsyncIterable<Buffer>): Promise<Buffer[]> {
  const all: Buffer[] = []
  for await (const piece of pieces) all.push(piece)
  return all
}

/** The receipts in the format that the extension of the path names. */
async function receiptBytes(
  path: string,
  state: RunState,
  input: Items | undefined,
): Promise<readonly Uint8Array[]> {
  const { render } = await import('../../output/render.ts')
  const columns = receiptColumns(operationOf(state.operation).assignees !== undefined)
  const output = { kind: 'rows', rows: receiptsFor(state, input) } as const
  const print = { ...plainPrint, format: formatOfReceipts(path) }
  return [...(await render(output, { columns }, print)).bytes]
}

/** Removes the drafts that earlier sessions left beside files of the user. */
export async function removeDrafts(
  { disk }: Pick<Host, 'disk'>,
  drafts: Iterable<string>,
  run: RunFile,
): Promise<void> {
  for (const draft of drafts) {
    run.checkHeld()
    await disk.promises.rm(draft, { force: true })
  }
}

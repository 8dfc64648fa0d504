/**
 * The files that a command names for its user, receipts and annotated rows. They are written at the end, whole or not at all. A file that this run did
 * not write, or that somebody changed since, is never replaced unless `--replace-out` says so. `open.ts` checks their places before anything is
 * sent, and `conclude.ts` writes them.
 */
import { createHash } from 'node:crypto'
import { dirname, resolve } from 'node:path'
import { newToken, streamOf, writeNew, type Draft } from '../disk/whole.ts'
import { fileError } from '../errno.ts'
import { messageOf, SvcError, systemCode, usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import { isWorkbook } from '../input/annotated.ts'
import { say, svc } from '../message.ts'
import { plainPrint } from '../output/result.ts'
import { StreamSink } from '../output/sink.ts'
import { shellWord } from '../words.ts'
import { sha256Of, type Annotation } from './annotate.ts'
import type { Journal } from './record/journal.ts'
import { operationOf } from './operations/operations.ts'
import { allReceipts } from './outcomes/receipt.ts'
import { draftName, type RunPlace } from './record/write-run.ts'
import type { RunState } from './record/state.ts'
import type { BulkTools } from './tools.ts'

type Paths = { readonly [K in 'receipts' | 'annotate']?: string | undefined }

const receiptFormats = ['csv', 'xlsx', 'ndjson'] as const

/** Throws exit 2 on an ending that names no format of receipts. */
function formatOfReceipts(path: string): (typeof receiptFormats)[number] {
  const format = receiptFormats.find((each) => path.toLowerCase().endsWith(`.${each}`))
  if (format !== undefined) return format
  throw usageError(
    `--receipts takes a file that ends in .csv, .xlsx or .ndjson, not "${path}"`,
  )
}

/** Throws exit 2 for files that cannot be what they are named for, and for one that is named for two things. */
export function checkOutputs({
  annotate,
  receipts,
  file: inputs = [],
}: Paths & { readonly file?: readonly string[] }): void {
  if (receipts !== undefined) formatOfReceipts(receipts)
  if (annotate !== undefined && !isWorkbook(annotate) && !/\.csv$/i.test(annotate)) {
    throw usageError(`--annotate takes a file that ends in .csv or .xlsx, not "${annotate}"`)
  }
  const files = inputs.filter((path) => path !== '-')
  const seen = new Map(files.map((path) => [resolve(path), 'the input']))
  for (const [name, path] of Object.entries({
    '--receipts': receipts,
    '--annotate': annotate,
  })) {
    if (path === undefined) continue
    const other = seen.get(resolve(path))
    if (other !== undefined) {
      throw usageError(`"${path}" is named for two files: ${other} and ${name}`)
    }
    seen.set(resolve(path), name)
  }
}

/** A file of the user: where it is to be, and what it is. */
interface UserFile {
  readonly path: string
  readonly option: 'receipts' | 'annotate'
  readonly what: string
  readonly make: (state: RunState) => Promise<Buffer[]>
}

interface FilesOptions {
  readonly named: Paths
  readonly annotation: Annotation | undefined
  /** Checksums of the files that this run wrote, by absolute path. */
  readonly own: ReadonlyMap<string, ReadonlySet<string>>
  /** Rows say what would be sent. */
  readonly isUnsent?: boolean
}

export class UserFiles {
  readonly #tools: Pick<BulkTools, 'host' | 'note' | 'replacesFiles'>
  readonly #options: FilesOptions
  readonly #files: readonly UserFile[]

  constructor(
    tools: Pick<BulkTools, 'host' | 'note' | 'replacesFiles'>,
    options: FilesOptions,
  ) {
    this.#tools = tools
    this.#options = options
    const { annotation, named, isUnsent = false } = options
    const files: UserFile[] = []
    if (named.receipts !== undefined) {
      const path = named.receipts
      const make = (state: RunState) => receiptBytes(tools.host, path, state)
      files.push({ path, option: 'receipts', what: 'receipts', make })
    }
    if (named.annotate !== undefined && annotation !== undefined) {
      const make = (state: RunState) => collect(annotation.bytes(state, isUnsent))
      files.push({ path: named.annotate, option: 'annotate', what: 'annotated rows', make })
    }
    this.#files = files
  }

  get isAsked(): boolean {
    return this.#files.length > 0
  }

  get hasReceipts(): boolean {
    return this.#options.named.receipts !== undefined
  }

  get hasRows(): boolean {
    return this.#files.some(({ option }) => option === 'annotate')
  }

  /** Before anything is sent: throws exit 2 for a file of somebody else, and for one that cannot be written. */
  async check(): Promise<void> {
    const { promises, constants } = this.#tools.host.disk
    for (const file of this.#files) {
      await this.#checkPlace(file, 'usage')
      try {
        await promises.access(dirname(resolve(file.path)), constants.W_OK | constants.X_OK)
      } catch (error) {
        throw unwritable(file, 'usage', error)
      }
    }
  }

  async #checkPlace(file: UserFile, category: 'usage' | 'local'): Promise<void> {
    const { path, option, what } = file
    const { host, replacesFiles } = this.#tools
    const known = this.#options.own.get(resolve(path))
    try {
      // Only a file that this run may have written is read: a FIFO would never end.
      const stats = await host.disk.promises.lstat(path)
      if (stats.isDirectory()) {
        throw new SvcError(
          category,
          `the ${what} cannot be written to "${path}": it is a folder`,
        )
      }
      if (replacesFiles && stats.isFile()) return
      if (stats.isFile() && known?.has(await sha256Of(host, path)) === true) return
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return
      throw unwritable(file, category, error)
    }
    const another = path.replace(/(?=\.[^./\\]*$|$)/, '-2')
    const changed =
      known === undefined ? 'exists already' : 'was changed since this run wrote it'
    throw new SvcError(category, `the ${what} file "${path}" ${changed}`, {
      hint: `name another one, for example:\n  --${option} ${shellWord(another)}\nor replace it with --replace-out`,
    })
  }

  /** The content of each file, and the first problem: receipts are good all the same when somebody goes on editing the input. */
  async #make(state: RunState) {
    const made: { readonly file: UserFile; readonly pieces: Buffer[] }[] = []
    let problem: Error | undefined
    for (const file of this.#files) {
      try {
        made.push({ file, pieces: await file.make(state) })
      } catch (error) {
        problem ??= error instanceof Error ? error : new Error(messageOf(error))
      }
    }
    return { made, problem }
  }

  /** The file lines of the journal, drafts, and then the files in their places. Throws exit 10 and 11. */
  async write(
    state: RunState,
    run?: { readonly place: RunPlace; readonly journal: Journal },
  ) {
    const { host } = this.#tools
    const drafts: { readonly file: UserFile; readonly draft: Draft }[] = []
    const { made, problem } = await this.#make(state)
    for (const { file, pieces } of made) {
      const sha256 = createHash('sha256')
      for (const piece of pieces) sha256.update(piece)
      const path = resolve(file.path)
      run?.journal.append({ t: 'file', at: host.now(), path, sha256: sha256.digest('hex') })
    }
    await run?.journal.sync()
    try {
      for (const { file, pieces } of made) {
        const draft = await this.#draft(file, pieces, run?.place)
        drafts.push({ file, draft })
      }
      for (const { file, draft } of drafts.splice(0))
        await this.#place(file, draft, run?.place)
    } finally {
      for (const { draft } of drafts) await draft.remove().catch(() => undefined)
    }
    if (problem !== undefined) throw problem
    this.#tell(made, run?.place.run)
  }

  #draft(file: UserFile, pieces: readonly Buffer[], place: RunPlace | undefined) {
    const { host } = this.#tools
    const { path } = file
    const name =
      place === undefined ? `${path}.${newToken(host)}.part` : draftName(path, place)
    place?.claim.check()
    return writeNew(host, name, pieces).catch((error: unknown) => {
      throw unwritable(file, 'local', error)
    })
  }

  async #place(file: UserFile, draft: Draft, place: RunPlace | undefined): Promise<void> {
    await this.#checkPlace(file, 'local')
    // The last look. docs/reliability.md says what can happen between it and the move.
    place?.claim.check()
    const isKnown = this.#options.own.has(resolve(file.path))
    const isReplacing = isKnown || this.#tools.replacesFiles
    await draft.move(file.path, isReplacing).catch((error: unknown) => {
      throw unwritable(file, 'local', error)
    })
  }

  #tell(made: readonly { readonly file: UserFile }[], run: string | undefined): void {
    if (made.length === 0) return
    const written = made.map(({ file }) => `"${file.path}"`)
    const from = run === undefined ? '' : ` (run ${run})`
    const isAnnotated = made.some(({ file }) => file.option === 'annotate')
    const about = isAnnotated ? (this.#options.annotation?.table.note ?? '') : ''
    this.#tools.note(`wrote ${written.join(' and ')}${from}${about}`)
  }
}

function unwritable({ path, what }: UserFile, category: 'usage' | 'local', error: unknown) {
  const again = say`free some space; ${svc`runs export`} writes what became of each id again`
  const hint = category === 'local' ? again : undefined
  return fileError(category, `the ${what} cannot be written to "${path}"`, error, hint)
}

async function collect(pieces: AsyncIterable<Buffer>): Promise<Buffer[]> {
  const all: Buffer[] = []
  for await (const piece of pieces) all.push(piece)
  return all
}

/** Receipts in the format of the ending of their path. */
async function receiptBytes(host: Host, path: string, state: RunState): Promise<Buffer[]> {
  const { print } = await import('../output/render.ts')
  const pieces: Buffer[] = []
  const write = (bytes: Buffer): Promise<void> => {
    pieces.push(Buffer.from(bytes))
    return Promise.resolve()
  }
  const silent = { host, note: () => undefined, summary: () => undefined }
  const options = { ...plainPrint, format: formatOfReceipts(path) }
  const sink = new StreamSink(host, streamOf({ write }))
  const rows = { kind: 'rows' as const, rows: allReceipts(state) }
  await print(rows, operationOf(state.operation).receiptView, options, { sink, ...silent })
  return pieces
}

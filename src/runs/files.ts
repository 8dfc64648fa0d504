/**
 * The files that a command names for its user: receipts, and the input with outcomes. Each is a projection of the record,
 * written whole when the command ends. One that begins a run refuses a file that is there; any other replaces it.
 */
import { resolve } from 'node:path'
import { SvcError, usageError } from '../errors.ts'
import type { AnnotatedTable } from '../input/annotated.ts'
import { plainPrint } from '../output/result.ts'
import { checkPlace, writeWhole } from '../output/whole.ts'
import type { DiskHost } from '../world.ts'
import { annotatedBytes } from './annotate.ts'
import type { BegunLog } from './jobs/recorded.ts'
import type { BulkOptions, RunTools } from './jobs/job.ts'
import { receiptColumns, receiptsOf } from './receipts.ts'

const formats = ['csv', 'xlsx', 'ndjson'] as const

type Named = Pick<BulkOptions, 'receipts' | 'annotate'>

const formatOf = (path: string) =>
  formats.find((each) => path.toLowerCase().endsWith(`.${each}`))

/** Throws exit 2 for a path with the wrong extension, one that is an input, and one that is named twice. */
export function checkOutputs(
  { disk }: DiskHost,
  { receipts, annotate, file = [], except = [] }: Partial<BulkOptions>,
) {
  if (receipts !== undefined && formatOf(receipts) === undefined)
    throw usageError(
      `--receipts takes a file that ends in .csv, .xlsx or .ndjson, not "${receipts}"`,
    )
  if (annotate !== undefined && !/\.(?:csv|xlsx)$/i.test(annotate))
    throw usageError(
      `--annotate takes a file that ends in .csv or .xlsx, not "${annotate}"`,
    )
  const real = (path: string) => {
    const facts = disk.statSync(path, { throwIfNoEntry: false })
    return facts === undefined ? resolve(path) : `${facts.dev} ${facts.ino}`
  }
  const inputs = [...file, ...except].filter((path) => path !== '-')
  const seen = new Map(inputs.map((path) => [real(path), 'an input']))
  for (const [option, path] of Object.entries({ receipts, annotate })) {
    if (path === undefined) continue
    const other = seen.get(real(path))
    if (other !== undefined)
      throw usageError(`"${path}" is named for both ${other} and --${option}`)
    seen.set(real(path), `--${option}`)
  }
}

export class UserFiles {
  readonly #tools: RunTools
  readonly #named: Named
  readonly #table: AnnotatedTable | undefined

  constructor(tools: RunTools, named: Named, table?: AnnotatedTable) {
    this.#tools = tools
    this.#named = named
    this.#table = table
  }

  get #paths() {
    const { receipts, annotate } = this.#named
    return [receipts, annotate].filter((path) => path !== undefined)
  }

  /** Called before anything is sent. Throws exit 2 for a file that is there, and for one that cannot be written. */
  async check(isNew: boolean): Promise<void> {
    for (const path of this.#paths) {
      try {
        await checkPlace(this.#tools.host, { path, what, isReplacing: !isNew })
      } catch (error) {
        if (!(error instanceof SvcError)) throw error
        throw usageError(`${error.message}; nothing was sent`, error.details.hint)
      }
    }
  }

  /** Writes each file whole. Throws exit 1. */
  async write(log: BegunLog): Promise<void> {
    const { receipts, annotate } = this.#named
    if (receipts !== undefined)
      await this.#writeOne(receipts, await receiptBytes(receipts, log))
    if (annotate !== undefined && this.#table !== undefined)
      await this.#writeOne(annotate, await collect(annotatedBytes(this.#table, log)))
    const written = this.#paths.map((path) => `"${path}"`).join(' and ')
    if (written !== '') this.#tools.note(`wrote ${written}${this.#table?.note ?? ''}`)
  }

  async #writeOne(path: string, pieces: readonly Uint8Array[]) {
    await writeWhole(this.#tools.host, { path, what, isReplacing: true }, async (draft) => {
      for (const piece of pieces) await draft.write(piece)
    })
  }
}

const what = 'the file'

/** The receipts in the format that the extension of the path names. */
async function receiptBytes(path: string, log: BegunLog): Promise<readonly Uint8Array[]> {
  const format = formatOf(path)
  if (format === undefined) throw new TypeError(`not a format of receipts: ${path}`)
  const { render } = await import('../output/render.ts')
  const columns = receiptColumns(log.head.operation)
  const print = { ...plainPrint, format }
  return (await render({ kind: 'rows', rows: receiptsOf(log) }, { columns }, print)).bytes
}

async function collect(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return all
}

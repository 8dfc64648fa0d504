/**
 * `--annotate`: the input again, row for row with all its columns, and behind them what became of the id of the row and why. The input is
 * copied for that when a session ends, so that none of it is kept; its checksum tells that it is the same. `sessions/outputs.ts` writes it
 * at the end of a session; `contacts match` writes its own columns behind a table in the same way.
 */
import { say, svc, type Message } from '../../message.ts'
import { resolve } from 'node:path'
import { parseChoice } from '../../values.ts'
import { fileError } from '../../errno.ts'
import { SvcError, usageError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { inputFormats } from '../../input/id.ts'
import { readPairs } from '../../input/pairs.ts'
import { readIds } from '../../input/reader.ts'
import type { Row } from '../../input/row.ts'
import type { OnRow } from '../../input/search.ts'
import { groupDigits } from '../../words.ts'
import { outcomeFacts } from '../operations/outcome.ts'
import { operationOf } from '../operations/operations.ts'
import { receiptAt, type Receipt } from '../outcomes/receipt.ts'
import type { RunState } from '../outcomes/state.ts'
import type { RunFile, Source } from '../record/run.ts'
import type { BulkOptions } from '../tools.ts'
import { AnnotatedTable, isWorkbook } from '../../input/annotated.ts'
import { checkDistinct, sha256Of, type OutputFile } from './output-file.ts'
import { formatOfReceipts } from './receipts.ts'

type Paths = Pick<BulkOptions, 'annotate' | 'receipts'> & Partial<Pick<BulkOptions, 'file'>>

/** Throws exit 2 for files that cannot be what they are named for, and for one that is named for two things. */
export function checkOutputs({ annotate, receipts, file = [] }: Paths): void {
  if (receipts !== undefined) formatOfReceipts(receipts)
  if (annotate !== undefined && !isWorkbook(annotate) && !/\.csv$/i.test(annotate)) {
    throw usageError(`--annotate takes a file that ends in .csv or .xlsx, not "${annotate}"`)
  }
  checkDistinct({ '--receipts': receipts, '--annotate': annotate }, file)
}

/** The file that the ids come from; undefined unless it is one that can be read again. Throws exit 2 if it must be. */
export async function sourceOf(
  host: Pick<Host, 'disk'>,
  words: readonly string[],
  options: BulkOptions,
): Promise<Source | undefined> {
  const { file, column, sheet, where, inputFormat, annotate } = options
  const [path = '-'] = file
  const isOne = path !== '-' && file.length === 1 && words.length === 0
  // The reader of the ids says what is wrong with a file.
  const found = isOne ? await host.disk.promises.stat(path).catch(() => undefined) : undefined
  const sha256 =
    found?.isFile() === true ? await sha256Of(host, path).catch(() => undefined) : undefined
  if (sha256 !== undefined) {
    const format =
      inputFormat === undefined
        ? undefined
        : parseChoice(inputFormat, '--input-format', inputFormats)
    return {
      path: resolve(path),
      sha256,
      column,
      sheet,
      format,
      ...(where === undefined ? {} : { where: [...where] }),
    }
  }
  if (annotate === undefined || (isOne && found?.isFile() !== false)) return undefined
  throw usageError(
    '--annotate needs the ids from exactly one file',
    'give it with --file <path>, and no other ids',
  )
}

type Reader = Pick<Host, 'disk'>

/** How ids or pairs were read from a source. */
function readingOf({ disk }: Reader, { operation, kind }: RunKind, source: Source) {
  const { path, format = 'auto', column, sheet, where } = source
  const isTickets = operationOf(operation).items.kind === 'ticket'
  const columns = columnsOf({ operation, kind })
  return {
    inputs: [{ kind: 'file', path, disk }],
    format,
    column,
    sheet,
    where,
    isTickets,
    columns,
  } as const
}

/** Reads a source again, without its bad lines. */
async function readAgain(host: Reader, kind: RunKind, source: Source, onRow: OnRow): Promise<void> {
  const { inputs, columns, ...options } = readingOf(host, kind, source)
  const all = { ...options, skipInvalid: true, onRow }
  if (columns === undefined) await readIds(inputs, all)
  else await readPairs(inputs, { ...all, columns })
}

type RunKind = Pick<RunFile, 'operation' | 'kind'>

function columnsOf({ operation, kind }: RunKind) {
  return kind === 'ids' ? undefined : operationOf(operation).items.pairs?.columns
}

export class Annotation {
  readonly table: AnnotatedTable
  readonly #host: Pick<Host, 'disk'>
  readonly #source: Source

  constructor(host: Pick<Host, 'disk'>, path: string, source: Source, kind: RunKind) {
    this.#host = host
    this.#source = source
    const names = columnsOf(kind) ?? ['id']
    this.table = new AnnotatedTable(path, { widths: [16, 60], ownOf: ownColumns, names })
  }

  /** The annotation of a recorded run, whose input is read again, from `inputPath` if given. Throws exit 2 when it is not what it was. */
  static async ofRun(
    host: Pick<Host, 'disk'>,
    run: RunFile,
    path: string,
    inputPath?: string,
  ): Promise<Annotation> {
    const source = await inputOfRun(host, run, '--annotate', inputPath)
    return Annotation.#open(host, path, source, run)
  }

  /** The annotation of ids that are known: their input is read again. Throws exit 2 when it is not what it was. */
  static async read(
    host: Pick<Host, 'disk'>,
    path: string,
    source: Source,
    kind: RunKind,
  ): Promise<Annotation> {
    await checkSource(host, source, '--annotate', { category: 'usage', hint: 'nothing was sent' })
    return Annotation.#open(host, path, source, kind)
  }

  static async #open(
    host: Pick<Host, 'disk'>,
    path: string,
    source: Source,
    kind: RunKind,
  ): Promise<Annotation> {
    const annotation = new Annotation(host, path, source, kind)
    const { table } = annotation
    await readAgain(host, kind, source, (row, of) => table.take(row, of))
    await annotation.table.layOut()
    return annotation
  }

  /** Writes the rows with the outcomes of this state, or with what would happen to them. Throws exit 10, also when the input is not what it was. */
  async write(file: OutputFile, state: RunState, isUnsent = false): Promise<void> {
    const firstLines = new Uint32Array(state.items.size)
    const facts = { isUnsent, unit: this.table.unit, firstLines }
    const hint = say`${svc`runs export`} writes what became of each id`
    const checkAgain = () =>
      checkSource(this.#host, this.#source, '--annotate', { category: 'local', hint })
    await checkAgain()
    try {
      for await (const piece of this.table.bytes((row) => rowOutcome(state, facts, row)))
        await file.write(piece)
    } finally {
      await checkAgain()
    }
  }
}

/**
 * The one file that the ids of a recorded run came from, in `inputPath` if given: it may have moved. Throws exit 2 when they came from
 * elsewhere, or when it is not what it was.
 */
export async function inputOfRun(
  host: Pick<Host, 'disk'>,
  { run, source }: RunFile,
  option: string,
  inputPath?: string,
): Promise<Source> {
  if (source === undefined) {
    throw usageError(
      `${option} cannot be used: the ids of run ${run} did not come from one file`,
      say`nothing was sent\nwhat became of each id:\n  ${svc`runs export ${run} -o xlsx > outcomes.xlsx`}`,
    )
  }
  const path = inputPath === undefined ? source.path : resolve(inputPath)
  const where =
    path === source.path
      ? 'if it lies elsewhere by now: --file <the input>'
      : `the ids of run ${run} came from "${source.path}"`
  const hint = `nothing was sent\n${where}`
  const input = { ...source, path }
  await checkSource(host, input, option, { category: 'usage', hint })
  return input
}

/** Throws when the input is not what it was when its ids were read. */
async function checkSource(
  { disk }: Pick<Host, 'disk'>,
  { path, sha256 }: Source,
  option: string,
  { category, hint }: { readonly category: 'usage' | 'local'; readonly hint: Message },
): Promise<void> {
  const sum = await sha256Of({ disk }, path).catch((error: unknown) => {
    throw fileError(category, `the input "${path}" cannot be read again for ${option}`, error, hint)
  })
  if (sum === sha256) return
  const changed = `${option}: the input "${path}" was changed since its ids were read`
  throw new SvcError(category, changed, { hint })
}

/** Outcome and reason. The reason is empty when the outcome says it all. */
type RowOutcome = readonly [outcome: string, reason: string]

const addedHeadings: RowOutcome = ['OUTCOME', 'REASON']

/** The columns that an earlier `--annotate` added, next to each other. */
function ownColumns(heading: readonly string[]): number[] {
  const isOwn = (place: number, index: 0 | 1): boolean =>
    heading[place]?.trim() === addedHeadings[index]
  const first = heading.findIndex((_, place) => isOwn(place, 0) && isOwn(place + 1, 1))
  return first < 0 ? [] : [first, first + 1]
}

function joinTexts(parts: readonly (string | null)[], separator: string): string {
  return parts.filter((part) => part !== null && part !== '').join(separator)
}

/** In words alone: status and code are in the receipts. */
function reasonOf({ outcome, message }: Receipt): string {
  const { isReopenable, reason } = outcomeFacts(outcome)
  // The answer to a batch is not that of an id that has its own.
  if (!isReopenable) return reason
  return joinTexts(
    [reason, message?.replace(/ ?\(?\bHTTP \d{3}\b[):,]*/g, '').trim() ?? null],
    ': ',
  )
}

interface RowFacts {
  readonly isUnsent: boolean
  readonly unit: 'line' | 'row'
  /** By position; 0 for those whose row is yet to come. The lines of a plan's ids are not those of its input. */
  readonly firstLines: Uint32Array
}

function rowOutcome(
  state: RunState,
  { isUnsent, unit, firstLines }: RowFacts,
  { line, kind, finding: text = '' }: Row,
): RowOutcome | undefined {
  if (kind === 'heading') return addedHeadings
  if (kind === 'invalid' || kind === 'left-out') return [kind, text]
  if (kind !== 'data') return undefined
  const { items } = state
  const position = items.indexOf(text)
  if (position < 0) {
    throw new RangeError(`line ${line} of the input has an id that the run does not have`)
  }
  const first = firstLines[position] || line
  firstLines[position] = first
  const same = first === line ? '' : `the same id as in ${unit} ${groupDigits(first)}`
  if (isUnsent) return [same === '' ? 'would be sent' : 'duplicate', same]
  const receipt = receiptAt(state, position)
  return [receipt.outcome, joinTexts([same, reasonOf(receipt)], '; ')]
}

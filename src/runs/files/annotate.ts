/**
 * `--annotate`: writes the input again, row by row with all its columns, followed by the outcome of the row's id and the reason. The rows are those that
 * the command has read; `runs resume` reads the input again, and its checksum makes sure that it is the same.
 */
import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { usageError, fileError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { AnnotatedTable } from '../../input/annotated.ts'
import { bytesOf } from '../../input/input.ts'
import { readPairs } from '../../input/pairs.ts'
import { readIds } from '../../input/reader.ts'
import type { Row } from '../../input/row.ts'
import type { OnRow } from '../../input/table.ts'
import type { Readers } from '../../input/rows.ts'
import type { Writers } from '../../output/workbook.ts'
import { say, svc } from '../../message.ts'
import { groupDigits } from '../../words.ts'
import type { JobHead, SourceFile } from '../lines.ts'
import { operationOf } from '../operations/operations.ts'
import { outcomeFacts } from '../outcomes.ts'
import { receiptsOf, type Receipt } from '../receipts.ts'
import type { RunState } from '../state.ts'

type Reader = Pick<Host, 'disk'>
interface AnnotateTools {
  host: Reader
  readers: Readers
  writers: Writers
}

/** How a command reads its file, as it was typed, and where its annotated copy goes. */
interface TypedSource {
  file: readonly string[]
  column?: string
  sheet?: string
  where?: readonly string[]
  annotate?: string
}

/** The facts that decide how to find the ids or pairs of a source. */
type RunKind = Pick<JobHead, 'operation' | 'kind'>

/** The SHA-256 of a file's bytes, in hexadecimal. Rejects with the system's error. */
export async function sha256Of(
  { disk }: Pick<Host, 'disk'>,
  path: string,
): Promise<string> {
  const sum = createHash('sha256')
  for await (const chunk of bytesOf(disk, path)) sum.update(chunk)
  return sum.digest('hex')
}

/** The file that the ids come from; undefined unless it can be read again. Throws exit 2 if `--annotate` needs such a file and there is none. */
export async function sourceOf(
  host: Reader,
  words: readonly string[],
  { file, column, sheet, where, annotate }: TypedSource,
): Promise<SourceFile | undefined> {
  const [path = '-'] = file
  const isOne = path !== '-' && file.length === 1 && words.length === 0
  // The reader of the ids reports what is wrong with a file.
  const stats = isOne
    ? await host.disk.promises.stat(path).catch(() => undefined)
    : undefined
  const isFile = stats?.isFile() === true
  const sha256 = isFile ? await sha256Of(host, path).catch(() => undefined) : undefined
  if (sha256 === undefined) {
    if (annotate === undefined || (isOne && stats?.isFile() !== false)) return undefined
    throw usageError(
      '--annotate writes its input again, so it needs the ids from exactly one file',
      'give it with --file <path>, and no other ids',
    )
  }
  return {
    path: resolve(path),
    sha256,
    column,
    sheet,
    ...(where === undefined ? {} : { where: [...where] }),
  }
}

/** Reads a source again, without its bad lines. */
async function readAgain(
  { host: { disk }, readers }: AnnotateTools,
  { operation, kind }: RunKind,
  { path, column, sheet, where }: SourceFile,
  onRow: OnRow,
) {
  const isTickets = operationOf(operation).item === 'ticket'
  const options = {
    column,
    sheet,
    where,
    readers,
    isTickets,
    skipInvalid: true,
    allowEmpty: true,
    onRow,
  }
  const inputs = [{ kind: 'file', path, disk } as const]
  const columns = pairColumns({ operation, kind })
  if (columns === undefined) await readIds(inputs, options)
  else await readPairs(inputs, { ...options, columns })
}

const pairColumns = ({ operation, kind }: RunKind) =>
  kind === 'ids' ? undefined : operationOf(operation).pairs?.columns

/** The table to write to this path, which takes the rows as they are read. */
export function annotatedTable(
  { writers }: Pick<AnnotateTools, 'writers'>,
  path: string,
  kind: RunKind,
): AnnotatedTable {
  const names = pairColumns(kind) ?? ['id']
  const addition = { headings: ['OUTCOME', 'REASON'], names }
  return new AnnotatedTable(path, addition, writers)
}

/** The annotated file, piece by piece. `isUnsent`: rows say what would be sent. */
export function annotatedBytes(
  table: AnnotatedTable,
  state: RunState,
  isUnsent: boolean,
): AsyncGenerator<Buffer> {
  const rows = new RowOutcomes(state, isUnsent, table.unit)
  return table.bytes((row) => rows.of(row))
}

/** A run or plan whose ids are known, and its input, if that was one file. */
interface KnownInput extends RunKind {
  /** In words: `run 2026…`. */
  what: string
  source: SourceFile | undefined
}

/** The table for ids that are already known. It reads their input again, from `inputPath` if given, because the input may have moved. Throws exit 2. */
export async function annotationOf(
  tools: AnnotateTools,
  { what, source, ...kind }: KnownInput,
  path: string | undefined,
  inputPath: string | undefined,
): Promise<AnnotatedTable | undefined> {
  if (path === undefined) return undefined
  if (source === undefined) {
    throw usageError(
      `--annotate cannot be used: the ids of ${what} did not come from one file; nothing was sent`,
      say`${svc`runs export`} writes the outcome of each id`,
    )
  }
  const input = {
    ...source,
    path: inputPath === undefined ? source.path : resolve(inputPath),
  }
  const hint = `nothing was sent\nthe ids of ${what} came from "${source.path}"; if it has moved: --file <path>`
  await checkSource(tools.host, input, hint)
  const table = annotatedTable(tools, path, kind)
  await readAgain(tools, kind, input, table.take)
  await table.layOut()
  return table
}

/** Throws exit 2 if the input has changed since its ids were read. */
async function checkSource(host: Reader, { path, sha256 }: SourceFile, hint: string) {
  const sum = await sha256Of(host, path).catch((error: unknown) => {
    const what = `the input "${path}" cannot be read again for --annotate`
    throw fileError('usage', what, error, hint)
  })
  if (sum === sha256) return
  throw usageError(
    `--annotate: the input "${path}" was changed since its ids were read`,
    hint,
  )
}

/** Outcome and reason. The reason is empty if the outcome needs none. */
type RowOutcome = readonly [outcome: string, reason: string]

const joinTexts = (parts: readonly (string | null | undefined)[], separator: string) =>
  parts.filter((part) => part != null && part !== '').join(separator)

/** The reason without status and code, which are in the receipts. */
function reasonOf({ outcome, message }: Receipt) {
  const { isReopenable, reason } = outcomeFacts(outcome)
  // An id with its own answer does not need the message of its batch.
  if (!isReopenable) return reason
  return joinTexts(
    [reason, message?.replace(/ ?\(?\bHTTP \d{3}\b[):,]*/g, '').trim()],
    ': ',
  )
}

/** The outcome and reason for each row of an input, or for a dry run what would happen to it. */
class RowOutcomes {
  readonly #state: RunState
  readonly #isUnsent: boolean
  readonly #unit: 'line' | 'row'
  /** The first line of each position; 0 until its row has come. (The line numbers in a plan are not those of its input.) */
  readonly #firstLines: Uint32Array
  /** The receipts of the last batch that was needed. */
  #batch: { number: number; receipts: readonly Receipt[] } | undefined

  constructor(state: RunState, isUnsent: boolean, unit: 'line' | 'row') {
    this.#state = state
    this.#isUnsent = isUnsent
    this.#unit = unit
    this.#firstLines = new Uint32Array(state.items.size)
  }

  of({ line, finding }: Row): RowOutcome | undefined {
    if (finding.kind === 'invalid') return ['invalid', finding.problem.reason]
    if (finding.kind === 'left-out') return ['left-out', finding.reason]
    if (finding.kind !== 'found') return undefined
    const position = this.#state.items.indexOf(finding.id)
    if (position < 0) {
      throw new RangeError(`line ${line} of the input has an id that the run does not have`)
    }
    const first = this.#firstLines[position] || line
    this.#firstLines[position] = first
    const same =
      first === line ? '' : `the same id as in ${this.#unit} ${groupDigits(first)}`
    if (this.#isUnsent) return [same === '' ? 'would be sent' : 'duplicate', same]
    const receipt = this.#receiptAt(position)
    return [receipt.outcome, joinTexts([same, reasonOf(receipt)], '; ')]
  }

  #receiptAt(position: number): Receipt {
    const { batches } = this.#state
    const number = batches.at(position)
    if (this.#batch?.number !== number) {
      this.#batch = { number, receipts: receiptsOf(this.#state, number) }
    }
    const receipt = this.#batch.receipts[position - batches.range(number).from]
    if (receipt === undefined) throw new RangeError(`no receipt at ${position}`)
    return receipt
  }
}

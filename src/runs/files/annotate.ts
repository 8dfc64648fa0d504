/**
 * `--annotate`: writes the input again, row by row with all its columns, followed by the outcome of the row's id and the
 * reason. The rows are those that the command has read; `runs resume` reads the input again, and its checksum makes sure
 * that it is the same.
 */
import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { usageError, fileError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { AnnotatedTable } from '../../input/annotated.ts'
import { bytesOf } from '../../input/input.ts'
import { readPairs } from '../../input/pairs.ts'
import { readIds } from '../../input/reader.ts'
import type { OnRow } from '../../input/table.ts'
import { say, svc } from '../../message.ts'
import { groupDigits } from '../../words.ts'
import type { DiskHost } from '../../world.ts'
import type { BulkOptions, RunTools } from '../jobs/job.ts'
import type { JobHead, SourceFile } from '../lines.ts'
import { operationOf } from '../operations/operations.ts'
import { outcomeFacts } from '../outcomes.ts'
import { receiptsOf, type Receipt } from '../receipts.ts'
import type { RunState } from '../state.ts'

/** The facts that decide how to find the ids or pairs of a source. */
type RunKind = Pick<JobHead, 'operation' | 'kind'>

/** The SHA-256 of a file's bytes, in hexadecimal. Rejects with the system's error. */
export async function sha256OfFile({ disk }: DiskHost, path: string): Promise<string> {
  const sum = createHash('sha256')
  for await (const chunk of bytesOf(disk, path)) sum.update(chunk)
  return sum.digest('hex')
}

/**
 * The file that the ids come from; undefined unless it can be read again. Throws exit 2 if `--annotate` needs such a file
 * and there is none.
 */
export async function sourceOf(
  host: Host,
  typedIds: readonly string[],
  { file, column, sheet, where, annotate }: BulkOptions,
): Promise<SourceFile | undefined> {
  const [path = '-'] = file
  const isOneFile = path !== '-' && file.length === 1 && typedIds.length === 0
  const stats = isOneFile
    ? await host.disk.promises.stat(path).catch(() => undefined)
    : undefined
  // The reader of the ids reports a file that is missing.
  const isRegular = stats?.isFile() === true
  const canBeReadAgain = isOneFile && (stats === undefined || isRegular)
  if (annotate !== undefined && !canBeReadAgain) {
    throw usageError(
      '--annotate writes its input again, so it needs the ids from exactly one file',
      'give it with --file <path>, and no other ids',
    )
  }
  if (!isRegular) return undefined
  const sha256 = await sha256OfFile(host, path).catch(() => undefined)
  if (sha256 === undefined) return undefined
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
  { host: { disk } }: RunTools,
  { operation, kind }: RunKind,
  { path, column, sheet, where }: SourceFile,
  onRow: OnRow,
) {
  const { item } = operationOf(operation)
  const options = {
    column,
    sheet,
    where,
    item,
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
export function annotatedTable(path: string, job: RunKind): AnnotatedTable {
  const headingsOfRead = pairColumns(job) ?? ['id']
  const addition = { headings: ['OUTCOME', 'REASON'], headingsOfRead }
  return new AnnotatedTable(path, addition)
}

/** A run whose ids are known, and its input, if that was one file. */
interface KnownInput extends RunKind {
  /** In words: `run 2026…`. */
  what: string
  source: SourceFile | undefined
}

/**
 * The table for ids that are already known. It reads their input again, from `inputPath` if given, because the input may
 * have moved. Throws exit 2.
 */
export async function rereadForAnnotation(
  tools: RunTools,
  { what, source, ...job }: KnownInput,
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
  const sum = await sha256OfFile(tools.host, input.path).catch((error: unknown) => {
    const words = `the input "${input.path}" cannot be read again for --annotate`
    throw fileError('usage', words, error, hint)
  })
  if (sum !== input.sha256) {
    throw usageError(
      `--annotate: the input "${input.path}" was changed since its ids were read`,
      hint,
    )
  }
  const table = annotatedTable(path, job)
  await readAgain(tools, job, input, table.take)
  await table.checkFit()
  return table
}

const joinTexts = (parts: readonly (string | null | undefined)[], separator: string) =>
  parts.filter((part) => part != null && part !== '').join(separator)

/** The reason without status and code, which are in the receipts. */
function reasonInTable({ outcome, message }: Receipt) {
  const { isReopenable, reason } = outcomeFacts(outcome)
  // If an answer settled the id, the message of its batch is not needed.
  if (!isReopenable) return reason
  return joinTexts(
    [reason, message?.replace(/ ?\(?\bHTTP \d{3}\b[):,]*/g, '').trim()],
    ': ',
  )
}

/** The annotated file, piece by piece: the outcome and the reason of each row. `isUnsent`: what would happen to it. */
export function annotatedBytes(
  table: AnnotatedTable,
  state: RunState,
  isUnsent: boolean,
): AsyncGenerator<Buffer> {
  const { items, batches } = state
  /** The first line of each position, 0 until its row has come. */
  const firstLines = new Uint32Array(items.size)
  /** The last batch that was needed, and its receipts. */
  let batch = 0
  let receipts: readonly Receipt[] = []

  function receiptAt(position: number): Receipt {
    const wanted = batches.at(position)
    if (wanted !== batch) receipts = receiptsOf(state, wanted)
    batch = wanted
    const receipt = receipts[position - batches.range(wanted).from]
    if (receipt === undefined) throw new RangeError(`no receipt at ${position}`)
    return receipt
  }

  return table.bytes(({ line, finding }) => {
    if (finding.kind === 'invalid') return ['invalid', finding.problem.reason]
    if (finding.kind === 'left-out') return ['left-out', finding.reason]
    if (finding.kind !== 'found') return undefined
    const position = items.indexOf(finding.id)
    // The input is the same, and is read again without the files of --except.
    if (position < 0) return ['left-out', 'excluded by --except']
    const first = firstLines[position] || line
    firstLines[position] = first
    const same =
      first === line ? '' : `the same id as in ${table.unit} ${groupDigits(first)}`
    if (isUnsent) return [same === '' ? 'would be sent' : 'duplicate', same]
    const receipt = receiptAt(position)
    return [receipt.outcome, joinTexts([same, reasonInTable(receipt)], '; ')]
  })
}

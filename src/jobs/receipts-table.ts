/** Receipts as a table: a row for each id, or the table of the input with the results after its own columns. */
import { resolve } from 'node:path'
import { SvcError, usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import type { Items } from '../input/items.ts'
import { readItems } from '../input/read.ts'
import { copyTable } from '../input/table-copy.ts'
import type { FoundRow, Table } from '../input/table.ts'
import { id, number, text, time, type Columns } from '../output/result.ts'
import type { Job, Operation, Receipt, ReceiptsFile } from '../runs/engine.ts'
import { firstTexts } from '../words.ts'

/** The input of a job; without a table for ids that were typed. */
interface ReadInput {
  table: Table | undefined
  rows: readonly FoundRow[]
}

const receiptFormats = ['csv', 'xlsx', 'ndjson'] as const

/** The columns of receipts; pairs add the other id. */
export function receiptColumns(pairs?: readonly [string, string]): Columns<Receipt> {
  return {
    ID: id('id'),
    ...(pairs !== undefined && { [pairs[1].toUpperCase()]: id('other') }),
    LINE: number('line'),
    OUTCOME: text('outcome'),
    REASON: text('reason'),
    AT: time('at'),
  }
}

/** Whether receipts keep the columns of an input: a list and JSON have none. */
export const keepsColumns = ({ source }: Table) =>
  !source.isList && !source.format.endsWith('json')

/** Returns the file of receipts at a path. Throws a usage error for another extension. */
export function receiptsFile(
  path: string,
  { pairs }: Operation,
  { table, rows }: ReadInput,
): ReceiptsFile {
  const format = formatOf(path)
  const columns = receiptColumns(pairs)
  async function* receiptRows(receipts: Iterable<Receipt>) {
    const { render } = await import('../output/render.ts')
    const print = { format, rowLimit: Infinity }
    yield* (await render({ kind: 'rows', rows: receipts }, { columns }, print)).bytes
  }
  const keepsTable = table !== undefined && keepsColumns(table) && format !== 'ndjson'
  return {
    path: resolve(path),
    bytes: keepsTable
      ? (receipts) => tableWithReceipts(table, rows, receipts, format === 'xlsx')
      : receiptRows,
  }
}

/** A recorded run, as far as its input is concerned. */
interface RecordedInput {
  operation: Operation
  items: Items
  source: Job['source']
}

/** Reads the table of a run again, as the run read it. Throws a usage error if it is no table, or lacks ids of the run. */
export async function readTableAgain(
  tools: { host: Host; note: (text: string) => void },
  file: string,
  { operation, items, source }: RecordedInput,
): Promise<{ table: Table; rows: readonly FoundRow[] }> {
  const { words, pairs } = operation
  const {
    table,
    rows,
    items: found,
  } = await readItems(tools.host, {
    ...source,
    file,
    item: words.item,
    sides: items.arePairs ? pairs : undefined,
    keepsRows: true,
    note: tools.note,
  })
  if (table === undefined || !keepsColumns(table))
    throw usageError(`"${file}" has no columns`, 'leave out --file')
  const ids = new Set(found.ids.map((id) => id.toLowerCase()))
  const missing = items.ids.filter((id) => !ids.has(id.toLowerCase()))
  if (missing.length === 0) return { table, rows }
  throw new SvcError('usage', `"${file}" does not have all ids of the run`, {
    lines: firstTexts(missing),
  })
}

/** Yields a table with the results of its rows after its own columns. */
export function tableWithReceipts(
  table: Table,
  rows: readonly FoundRow[],
  receipts: Iterable<Receipt>,
  isWorkbook: boolean,
): AsyncGenerator<Uint8Array> {
  const byId = new Map(Array.from(receipts, (each) => [each.id.toLowerCase(), each]))
  return copyTable({
    table,
    rows,
    addedHeadings: ['OUTCOME', 'REASON', 'AT'],
    addedTextsOf({ finding }) {
      if (finding.kind !== 'found')
        return { OUTCOME: finding.kind, REASON: finding.reason, AT: '' }
      const receipt = byId.get(finding.id.toLowerCase())
      if (receipt === undefined) return {}
      const { outcome, reason, at } = receipt
      return { OUTCOME: outcome, REASON: reason, AT: at ?? '' }
    },
    isWorkbook,
  })
}

function formatOf(path: string) {
  const format = receiptFormats.find((each) => path.toLowerCase().endsWith(`.${each}`))
  if (format !== undefined) return format
  throw usageError(
    `--receipts takes a file that ends in .csv, .xlsx or .ndjson, not "${path}"`,
  )
}

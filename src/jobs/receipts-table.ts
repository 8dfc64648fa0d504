/** Receipts as a table: a row for each id, or the table of the input with the results after its own columns. */
import { resolve } from 'node:path'
import { usageError } from '../errors.ts'
import { copyTable } from '../input/table-copy.ts'
import type { FoundRow, Table } from '../input/table.ts'
import { id, number, text, time, wide, type Columns } from '../output/result.ts'
import type { Operation, Receipt, ReceiptsFile } from '../runs/engine.ts'

/** Returns the columns of receipts. Pairs add the other id. */
export function receiptColumns(pairs?: readonly [string, string]): Columns<Receipt> {
  return {
    ID: id('id'),
    ...(pairs !== undefined && { [pairs[1].toUpperCase()]: id('target') }),
    LINE: number('line'),
    OUTCOME: text('outcome'),
    REASON: text('reason'),
    AT: wide(time('at')),
  }
}

/** Whether receipts keep the columns of an input: a list and JSON have none. */
export const keepsColumns = ({ source }: Table) =>
  !source.isList && !source.format.endsWith('json')

const fileFormats = ['csv', 'xlsx', 'ndjson'] as const
type FileFormat = (typeof fileFormats)[number]

/**
 * Returns the file of `--receipts`, which is written at the end of a run. The input has no table if its ids were typed. Throws a usage
 * error for another extension.
 */
export function receiptsFile(
  path: string,
  { pairs }: Operation,
  { table, rows }: { table: Table | undefined; rows: readonly FoundRow[] },
): ReceiptsFile {
  const format = formatOf(path)
  const bytes = (receipts: Iterable<Receipt>) =>
    table !== undefined && keepsColumns(table) && format !== 'ndjson'
      ? tableWithReceipts(table, rows, receipts, format)
      : rowsOfReceipts(receipts, receiptColumns(pairs), format)
  return { path: resolve(path), bytes }
}

function formatOf(path: string): FileFormat {
  const format = fileFormats.find((each) => path.toLowerCase().endsWith(`.${each}`))
  if (format !== undefined) return format
  throw usageError(
    `--receipts takes a file that ends in .csv, .xlsx or .ndjson, not "${path}"`,
  )
}

/** Yields a row for each receipt. */
async function* rowsOfReceipts(
  receipts: Iterable<Receipt>,
  columns: Columns<Receipt>,
  format: FileFormat,
) {
  const { render } = await import('../output/render.ts')
  const output = { kind: 'rows', rows: receipts } as const
  yield* (await render(output, { columns }, { format, rowLimit: Infinity })).bytes
}

/** Yields a table with the results of its rows after its own columns. */
export function tableWithReceipts(
  table: Table,
  rows: readonly FoundRow[],
  receipts: Iterable<Receipt>,
  format: 'csv' | 'xlsx',
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
    format,
  })
}

/** The file of `--receipts`: a row for each id, or the table of the input with the results behind its own columns. */
import { resolve } from 'node:path'
import { usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import { plainPrint, type Columns } from '../output/result.ts'
import type { Operation, Receipt, ReceiptsFile } from '../runs/engine.ts'

const receiptFormats = ['csv', 'xlsx', 'ndjson'] as const

/** The columns of receipts, of pairs with the other id. */
export function receiptColumns(pairs?: readonly [string, string]): Columns<Receipt> {
  return {
    ID: 'id',
    ...(pairs !== undefined && { [pairs[1].toUpperCase()]: 'other' }),
    LINE: 'line',
    OUTCOME: 'outcome',
    REASON: 'reason',
    AT: 'at',
  }
}

/** Returns the file of receipts at a path. Throws exit 2 for another extension. */
export function receiptsFile(
  _host: Host,
  path: string,
  { pairs }: Operation,
): ReceiptsFile {
  const format = formatOf(path)
  async function* bytes(rows: Iterable<Receipt>) {
    const { render } = await import('../output/render.ts')
    const print = { ...plainPrint, format }
    const { bytes } = await render(
      { kind: 'rows', rows },
      { columns: receiptColumns(pairs) },
      print,
    )
    yield* bytes
  }
  return { path: resolve(path), bytes }
}

function formatOf(path: string) {
  const format = receiptFormats.find((each) => path.toLowerCase().endsWith(`.${each}`))
  if (format !== undefined) return format
  throw usageError(
    `--receipts takes a file that ends in .csv, .xlsx or .ndjson, not "${path}"`,
  )
}

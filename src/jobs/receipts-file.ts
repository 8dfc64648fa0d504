/** The file of `--receipts`: of a table that this command reads all its columns and rows, of anything else the receipts alone. */
import { resolve } from 'node:path'
import { usageError } from '../errors.ts'
import type { Found } from '../input/read.ts'
import type { Row } from '../input/text.ts'
import {
  ownTableWith,
  id,
  number,
  rows,
  text,
  time,
  wide,
  type Columns,
} from '../output/result.ts'
import type { Operation, Receipt, ReceiptsFile } from '../runs/engine.ts'

/** Returns the columns of receipts. Pairs add the other id. */
export function receiptColumns(pairs?: readonly [string, string]): Columns<Receipt> {
  return {
    ID: id('id'),
    ...(pairs !== undefined && { [pairs[1].toUpperCase()]: id('target') }),
    LINE: wide(number('line')),
    OUTCOME: text('outcome'),
    REASON: text('reason'),
    AT: wide(time('at')),
  }
}

/** Returns the file at a path. `found` is the table that the command read. Throws exit 2 for another extension. */
export function receiptsFile(
  path: string,
  { pairs }: Pick<Operation, 'pairs'>,
  found?: Found,
): ReceiptsFile {
  const format = (['csv', 'xlsx'] as const).find((each) => path.endsWith(`.${each}`))
  if (format === undefined)
    throw usageError(`--receipts takes a file that ends in .csv or .xlsx, not "${path}"`)
  return {
    path: resolve(path),
    async *bytes(receipts) {
      const { render } = await import('../output/render.ts')
      const print = { format, rowLimit: Infinity }
      const { bytes } = isTable(found)
        ? await render(tableWithReceipts(found, receipts), {}, print)
        : await render(rows(receipts), { columns: receiptColumns(pairs) }, print)
      yield* bytes
    },
  }
}

/** Whether an input is a table, which is written back, and no list. */
const isTable = (found: Found | undefined): found is Required<Found> =>
  found?.table !== undefined && found.table.format !== 'list'

/** Returns the rows of a table with the receipts of their ids; of a row that was not sent, why. */
function tableWithReceipts(
  { table, items, left }: Required<Found>,
  receipts: Iterable<Receipt>,
) {
  const keyOf = ({ id }: { id: string }) => id.toLowerCase()
  const receiptByKey = new Map(Array.from(receipts, (each) => [keyOf(each), each]))
  type Shown = Row & Partial<Receipt>
  const ofLine = new Map<number, Partial<Receipt>>()
  for (const { line, reason } of left) ofLine.set(line, { reason })
  for (const item of items) ofLine.set(item.line, receiptByKey.get(keyOf(item)) ?? {})
  const shown = Array.from(table.rows(), (row): Shown => ({
    ...ofLine.get(row.line),
    ...row,
  }))
  const ownTable = ownTableWith<Shown>(table, {
    OUTCOME: ({ outcome }) => outcome,
    REASON: ({ reason }) => reason,
    AT: ({ at }) => at,
  })
  return rows(shown, { ownTable })
}

/** The file of `--receipts`: of a table that this command reads all its columns and rows, of anything else the receipts alone. */
import { resolve } from 'node:path'
import { usageError } from '../errors.ts'
import type { FoundTable } from '../input/read.ts'
import type { Row } from '../input/rows.ts'
import { givenColumns, id, number, rows, text, time } from '../output/result.ts'
import type { Columns } from '../output/result.ts'
import type { Operation, Receipt, ReceiptsFile } from '../runs/engine.ts'

/** Returns the columns of receipts. Pairs add the other id. */
export function receiptColumns(pairs?: readonly [string, string]): Columns<Receipt> {
  return {
    ID: id('id'),
    ...(pairs !== undefined && { [pairs[1].toUpperCase()]: id('target') }),
    LINE: number('line'),
    OUTCOME: text('outcome'),
    REASON: text('reason'),
    AT: time('at'),
  }
}

/** Returns the file at a path. `found` is the table that the command read. Throws exit 2 for another extension. */
export function receiptsFile(
  path: string,
  { pairs }: Pick<Operation, 'pairs'>,
  found?: FoundTable,
): ReceiptsFile {
  const format = (['csv', 'xlsx'] as const).find((each) => path.endsWith(`.${each}`))
  if (format === undefined)
    throw usageError(`--receipts takes a file that ends in .csv or .xlsx, not "${path}"`)
  return {
    path: resolve(path),
    async *bytes(receipts) {
      const { render } = await import('../output/render.ts')
      const print = { format, rowLimit: Infinity }
      const hasColumns = found !== undefined && found.table.headings.length > 0
      const { bytes } = hasColumns
        ? await render(tableWithReceipts(found, receipts), {}, print)
        : await render(rows(receipts), { columns: receiptColumns(pairs) }, print)
      yield* bytes
    },
  }
}

/** Returns the rows of a table with the receipts of their ids; of a row that was not sent, why. */
function tableWithReceipts({ table, meaningOf }: FoundTable, receipts: Iterable<Receipt>) {
  const keyOf = ({ id }: { id: string }) => id.toLowerCase()
  const receiptOf = new Map(Array.from(receipts, (each) => [keyOf(each), each]))
  type Shown = Row & Partial<Receipt>
  const shown = table.rows.map((row): Shown => {
    const meaning = meaningOf.get(row) ?? ''
    if (typeof meaning === 'string') return { ...row, reason: meaning }
    return { ...(receiptOf.get(keyOf(meaning)) ?? { reason: 'left out' }), ...row }
  })
  const given = givenColumns<Shown>(table, {
    OUTCOME: ({ outcome }) => outcome,
    REASON: ({ reason }) => reason,
    AT: ({ at }) => at,
  })
  return rows(shown, { given })
}

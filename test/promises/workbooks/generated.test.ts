/** Workbooks by chance: a cell counts exactly when it stores a text or a whole number, and a sheet with hidden or merged cells is refused. */
import { expect, test } from 'vitest'
import type { SvcError } from '../../../src/errors.ts'
import { readWorkbook } from '../../../src/workbook/workbook.ts'
import { amount } from '../../support/amount.ts'
import { Dice } from '../../support/dice.ts'
import { generate } from '../../support/generated-workbooks.ts'

/** What counts in cells. */
function takenOf(
  rows: Awaited<ReturnType<typeof readWorkbook>>,
  cells: readonly { line: number; column: number }[],
) {
  const rowByLine = new Map(rows.map((row) => [row.line, row]))
  return cells.map(({ line, column }) => {
    const row = rowByLine.get(line)
    return row?.reasons?.[column] === undefined ? row?.cells[column] : undefined
  })
}

test('no cell is taken for another one than the workbook stores', async () => {
  let refused = 0
  const count = amount(60)
  for (let seed = 1; seed <= count; seed += 1) {
    const { bytes, cells, isRefused } = generate(new Dice(seed))
    const rows = await readWorkbook(`seed ${seed}`, bytes, {
      fits: () => true,
      hide: String,
    }).catch((error: SvcError) => error.exitCode)
    if (isRefused) refused += 1
    const wanted = isRefused || cells.length === 0 ? 2 : cells.map(({ counts }) => counts)
    expect([seed, typeof rows === 'number' ? rows : takenOf(rows, cells)]).toEqual([seed, wanted])
  }
  // Neither kind is rare.
  expect(refused).toBeGreaterThan(count / 10)
  expect(refused).toBeLessThan(count / 1.5)
})

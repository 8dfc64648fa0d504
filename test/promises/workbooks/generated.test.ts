/** Workbooks by chance: a cell counts exactly when it stores a text or a whole number, and a sheet with hidden or merged cells is refused. */
import { expect, test } from 'vitest'
import type { SvcError } from '../../../src/errors.ts'
import { readWorkbook } from '../../../src/workbook/workbook.ts'
import { amount } from '../../support/amount.ts'
import { Dice } from '../../support/dice.ts'
import { generate } from '../../support/generated-workbooks.ts'

test('no cell is taken for another one than the workbook stores', async () => {
  let refused = 0
  const count = amount(60)
  for (let seed = 1; seed <= count; seed += 1) {
    const { bytes, cells, isRefused } = generate(new Dice(seed))
    const reading = readWorkbook(`seed ${seed}`, bytes, { fits: () => true })
    if (isRefused || cells.length === 0) {
      if (isRefused) refused += 1
      const exitCode = await reading.catch((error: SvcError) => error.exitCode)
      expect([seed, exitCode]).toEqual([seed, 2])
      continue
    }
    const rowByLine = new Map((await reading).map((row) => [row.line, row]))
    const taken = cells.map(({ line, column }) => {
      const row = rowByLine.get(line)
      return row?.reasons?.[column] === undefined ? row?.cells[column] : undefined
    })
    expect([seed, taken]).toEqual([seed, cells.map(({ counts }) => counts)])
  }
  // Neither kind is rare.
  expect(refused).toBeGreaterThan(count / 10)
  expect(refused).toBeLessThan(count / 1.5)
})

/** Workbooks by chance: a cell counts exactly when it shows what it stores. */
import { expect, test } from 'vitest'
import { readWorkbook } from '../../../src/workbook/workbook.ts'
import { amount } from '../../support/amount.ts'
import { Dice } from '../../support/dice.ts'
import { generate } from '../../support/generated-workbooks.ts'

test('no cell is taken for another one than a person sees', async () => {
  for (let seed = 1; seed <= amount(60); seed += 1) {
    const { bytes, cells } = generate(new Dice(seed))
    const { rows, isColumnHidden } = await readWorkbook(`seed ${seed}`, bytes, undefined)
    const rowByLine = new Map(rows.map((row) => [row.line, row]))
    const taken = cells.map(({ line, column }) => {
      const row = rowByLine.get(line)
      const isHidden = row?.isHidden === true || isColumnHidden(column)
      return isHidden || row?.reasons[column] !== undefined ? undefined : row?.cells[column]
    })
    expect([seed, taken]).toEqual([seed, cells.map(({ seen }) => seen)])
  }
})

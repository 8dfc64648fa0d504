/** Workbooks that LibreOffice wrote. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readWorkbook } from '../../src/workbook/workbook.ts'
import { read, refusal } from '../input/inputs.ts'
import { root } from '../svc.ts'

const folder = join(root, 'test/input/fixtures')
const bytesOf = (name: string): Buffer => readFileSync(join(folder, `${name}.xlsx`))
const [a, b, c] = [
  '6400057ed5aad2927b000026',
  '640005a3d5aad2927b000027',
  '640005edd5aad2927b000029',
] as const

test('umlauts, Chinese names, dates and a formula beside the ids', async () => {
  const { ids, duplicates, notes } = await read(bytesOf('customers'))
  expect([...ids].map((id, n) => [id, ids.line(n)])).toEqual([
    [a, 4],
    [b, 5],
    [c, 6],
  ])
  expect(duplicates).toBe(1)
  expect(notes).toEqual(['standard input: skipped 1 title row above the heading'])
  const { rows } = await readWorkbook('it', bytesOf('customers'), undefined, () => true)
  expect(rows.slice(2, 4).map(({ cells }) => cells)).toEqual([
    ['Anna Müller', a, '2026-03-01', '7', '14'],
    ['王小明', b, '2025-12-31', '12', '24'],
  ])
})

test('ids that look like numbers, formulas, days and hidden rows', async () => {
  const { ids, bad, notes } = await read(bytesOf('ruined'), { skipInvalid: true })
  expect([...ids]).toEqual([a, c])
  expect(notes).toEqual([])
  expect(
    bad.map(
      ({ where, text, reason }) =>
        `${where.replace('standard input ', '')} ${text} ${reason.split(/[:,;]/)[0]}`,
    ),
  ).toEqual([
    'cell B3 5.072E+023 a number',
    'cell B4 5.07E+023 a number',
    `cell B5 ${b} a formula`,
    'cell B6 2026-03-01 a date',
    `cell B7 ${b} in a hidden row`,
    `cell B8 ${c} in a hidden row`,
    'cell B9  empty',
  ])
})

test('several sheets, one of them empty and one hidden', async () => {
  const error = await refusal(read(bytesOf('sheets')))
  expect(error.message).toBe('standard input has 2 sheets: "Alle", "Zu löschen"')
  expect([...(await read(bytesOf('sheets'), { sheet: 'zu löschen' })).ids]).toEqual([b])
  expect([...(await read(bytesOf('sheets'), { sheet: 'Alt' })).ids]).toEqual([c])
})

test('a workbook that LibreOffice saved with a password is refused, which the error says', async () => {
  const bytes = readFileSync(join(folder, 'encrypted.xlsx'))
  const error = await refusal(read(bytes))
  expect([error.exitCode, error.message]).toEqual([
    2,
    'standard input is not a table: it is an old Office file, such as an .xls workbook, or one with a password',
  ])
})

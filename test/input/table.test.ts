/** What is hidden in a sheet is a bad line where a command reads it. Tables that are much too large come to an end. */
import { expect, it } from 'vitest'
import { idOf, read, refusal, temporaryFolder } from '../support/inputs.ts'
import { inline, workbook, type SheetXml } from '../support/workbooks.ts'

const [a, b] = [idOf(1), idOf(2)] as const
const folder = temporaryFolder()

/** A table with decisions, whose last row has none, and an own column. */
function book(sheet: Partial<SheetXml> = {}, row: Readonly<Record<number, string>> = {}) {
  const cells = [
    ['contactId', 'MATCH', 'Remark'],
    [a, 'one', 'x'],
    ['', 'several', 'x'],
  ]
  const rows = cells.map((texts, index) => {
    const each = texts.map((text, column) =>
      text === '' ? '' : inline(`${'ABC'[column]}${index + 1}`, text),
    )
    return `<row r="${index + 1}" ${row[index + 1] ?? ''}>${each.join('')}</row>`
  })
  return workbook({ sheets: [{ rows: rows.join(''), ...sheet }] })
}

const hiddenColumn = (number: number) => ({
  before: `<cols><col min="${number}" max="${number}" width="0"/></cols>`,
})

it.each([
  ['the row of an id', book({}, { 2: 'hidden="1"' }), 'cell A2: '],
  ['the row of a MATCH alone', book({}, { 3: 'ht="0"' }), 'cell B3: "several": in a hidden row'],
  ['the column of the ids', book(hiddenColumn(1)), 'cell A2: '],
  ['the column of MATCH', book(hiddenColumn(2)), 'in a hidden column'],
  ['the row of the heading', book({}, { 1: 'hidden="1"' }), 'it is hidden'],
])('ids: %s is refused, of --without as well', async (_, bytes, words) => {
  const error = await refusal(read(bytes))
  expect([error.message, ...(error.details.lines ?? [])].join('\n')).toContain(words)
  const without = folder.file('hidden.xlsx', bytes)
  expect((await refusal(read(`${b}\n`, { without }))).exitCode).toBe(2)
})

it('ids: a hidden column that nothing reads does not matter; for --where it does', async () => {
  const { items, undecided } = await read(book(hiddenColumn(3)))
  expect([items.map(({ id }) => id), undecided]).toEqual([[a], 1])
  expect((await refusal(read(book(hiddenColumn(3)), { where: ['Remark=x'] }))).exitCode).toBe(2)
})

it.each([
  ['too many columns of csv', `id${',x'.repeat(16_384)}\n`, 'more than 16,384 columns'],
  ['a million bad lines', `${a}\n${'nonsense\n'.repeat(1e6)}`, '1,000,000 bad lines'],
  ['as many in quotes', `id,x\n${'"nonsense","x"\n'.repeat(1e6)}`, '1,000,000 bad lines'],
  ['a wrong quote in each', `id,x\n${`${a},x"y\n`.repeat(1e6)}`, '1,000,000 bad lines'],
])('%s are exit 2', async (_, content, words) => {
  const error = await refusal(read(content))
  expect([error.exitCode, error.message]).toEqual([2, expect.stringContaining(words)])
})

it('five million blank lines', async () => {
  const { items } = await read(`id,x\n${'\n'.repeat(5e6)}${a}\n`)
  expect(items).toMatchObject([{ id: a, line: 5e6 + 2 }])
})

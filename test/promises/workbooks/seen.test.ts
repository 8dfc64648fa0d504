/** What nobody sees in a sheet never comes back as shown, and each cell stands where a person sees it. */
import { expect, test } from 'vitest'
import { readWorkbook } from '../../../src/workbook/workbook.ts'
import { inline, workbook, type SheetXml } from '../../support/workbooks.ts'

const first = `<row r="1">${inline('A1', 'a')}${inline('B1', 'b')}</row>`
/** The second of two rows, with attributes of its own. */
const second = (attributes = '') =>
  `<row r="2" ${attributes}>${inline('A2', 'c')}${inline('B2', 'd')}</row>`
const format = (attributes: string) => `<sheetFormatPr ${attributes}/>`
const columns = (...all: string[]) =>
  `<cols>${all.map((attributes) => `<col ${attributes}/>`).join('')}</cols>`
const merged = (ref: string) => `<mergeCells><mergeCell ref="${ref}"/></mergeCells>`
const nameless = '<c t="inlineStr"><is><t>x</t></is></c>'

/** A sheet, of two rows unless said, and what is seen: a `?` behind a text says that nothing may be decided by it. */
test.each<[string, SheetXml, string]>([
  ['all', {}, 'A1=a B1=b A2=c B2=d'],
  ['a row of no height', { rows: first + second('ht="0"') }, 'A1=a B1=b'],
  ['a row too low to read', { rows: first + second('ht="0.2" customHeight="1"') }, 'A1=a B1=b'],
  ['a hidden row', { rows: first + second('hidden="true"') }, 'A1=a B1=b'],
  ['rows of no height', { before: format('defaultRowHeight="0"') }, ''],
  [
    'one row of a height',
    { before: format('defaultRowHeight="0"'), rows: first + second('ht="15"') },
    'A2=c B2=d',
  ],
  ['a column of no width', { before: columns('min="1" max="1" width="0"') }, 'B1=b B2=d'],
  ['a narrow column', { before: columns('min="2" max="2" width="0.2"') }, 'A1=a A2=c'],
  ['hidden columns', { before: columns('min="1" max="9" width="9" hidden="true"') }, ''],
  [
    'one column of a width',
    { before: format('defaultColWidth="0"') + columns('min="2" max="2" width="9"') },
    'B1=b B2=d',
  ],
  [
    'a column described twice',
    { before: columns('min="1" max="1" hidden="1"', 'min="1" max="1" width="9"') },
    'B1=b B2=d',
  ],
  ['merged cells of a row', { after: merged('A1:B1') }, 'A1=a? B1=? A2=c B2=d'],
  ['merged cells of a column', { after: merged('B1:B2') }, 'A1=a B1=b? A2=c B2=?'],
  ['a row without a number', { rows: `<row r="4"/><row>${nameless}</row>` }, 'A5=x'],
  ['a cell without a name', { rows: `<row r="1"><c/>${nameless}</row>` }, 'B1=x'],
  ['an escape', { rows: '<row r="1"><c t="str"><v>_x0066_</v></c></row>' }, 'A1=f'],
])('%s', async (_, sheet, seen) => {
  const bytes = workbook({ sheets: [{ rows: first + second(), ...sheet }] })
  const { rows, isColumnHidden } = await readWorkbook('it', bytes, undefined)
  const cells = rows.flatMap(({ line, isHidden, cells: texts, reasons }) =>
    texts.flatMap((text, column) => {
      if (isHidden || isColumnHidden(column)) return []
      return `${'AB'[column]}${line}=${text}${reasons[column] === undefined ? '' : '?'}`
    }),
  )
  expect(cells.join(' ')).toBe(seen)
})

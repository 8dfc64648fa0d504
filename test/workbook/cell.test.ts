/** Which numbers and texts the formats of cells show as they are stored. If red, svc takes what a person does not see, or refuses what they do. */
import { expect, test } from 'vitest'
import { readWorkbook } from '../../src/workbook/workbook.ts'
import { workbook } from '../support/workbooks.ts'

const ranges = (...all: [from: number, to: number][]) =>
  all.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, n) => from + n))

/** Formats as codes, or as the ids of those that need no definition. */
const formats: [shown: string, all: (string | number)[]][] = [
  ['numbers texts', [0, 1, 49, 'General', 'GENERAL', '0', '@']],
  [
    'texts',
    [
      ...ranges([2, 23], [27, 40], [45, 48], [50, 58], [81, 81]),
      ...['#', '##0', '00000', '0.00', '#,##0', '0%', '# ?/?', '0.00E+00', '0,', '0_)', '[Red]0'],
      ...['General;General', '0;-0', '0;;0', ';;', '[>100]0;0', '0" kg"', '"$"#,##0.00', '£#,##0'],
      ...['yyyy\\-mm\\-dd', 'dd.mm.yyyy', '[h]:mm', 'mmm', '[$-409]d-mmm-yy', 'h:mm AM/PM'],
      ...['"a;b;c;d"0', '"@"0', '\\@0', '0\\;\\;\\;', '[$€-407] #,##0.00', '_-* #,##0.00_-;-* 0_-'],
      // A part for texts that shows the text alone, perhaps with spaces beside it.
      ...ranges([41, 44]),
      ...['0;0;0;@', '0;-0;;@', '@ ', '*x@', '0;@', 'dd/mm/yyyy;@', '_@_(@', '0;0;0;_-@_-'],
      '_-* #,##0.00_-;-* #,##0.00_-;_-* "-"??_-;_-@_-',
    ],
  ],
  [
    '',
    [';;;', '@" old"', '"x"@', '[Blue]@', '0;0;0;0', '@@', '\\x@', '[Red]0;0;0;"gone"', '@;"x"@'],
  ],
]

/** Reads a cell with a number and one with a text in each of these formats. */
async function shownIn(all: readonly (string | number)[], number = '7', firstOwn = 200) {
  const idOf = (format: string | number, n: number) =>
    typeof format === 'number' ? format : firstOwn + n
  const styles = [
    `<numFmts>${all.map((format, n) => (typeof format === 'number' ? '' : `<numFmt numFmtId="${firstOwn + n}" formatCode="${format.replaceAll('"', '&quot;').replaceAll('>', '&gt;')}"/>`)).join('')}</numFmts>`,
    `<cellXfs>${all.map((format, n) => `<xf numFmtId="${idOf(format, n)}"/>`).join('')}</cellXfs>`,
  ]
  const rows = all.map(
    (_, n) =>
      `<row><c s="${n}"><v>${number}</v></c><c s="${n}" t="inlineStr"><is><t>x</t></is></c></row>`,
  )
  const bytes = workbook({ sheets: [{ rows: rows.join('') }], styles: styles.join('') })
  return (await readWorkbook('it', bytes, undefined)).rows
}

test.each(formats)('%s', async (shown, all) => {
  const told = (await shownIn(all)).map(({ reasons }) =>
    ['numbers', 'texts'].filter((_, column) => reasons[column] === undefined).join(' '),
  )
  expect(all.map((format, n) => [format, told[n]])).toEqual(all.map((format) => [format, shown]))
})

test.each([
  ...['0', '7', '12e3', '7.0', '999999999999999', '-7'].map((number) => [number, true] as const),
  ...['1.5', '-0.1', '1e15', '9999999999999999', '5.07E+23'].map((text) => [text, false] as const),
])('the number %s is taken: %s', async (number, isTaken) => {
  const [row] = await shownIn(['General'], number)
  expect([row?.cells[0], row?.reasons[0] === undefined]).toEqual([`${Number(number)}`, isTaken])
})

test.each([
  // As programs write accounting.
  ['_("$"* #,##0.00_);_("$"* \\(#,##0.00\\);_("$"* "-"??_);_(@_)', 44, false],
  ['@', 1, false],
  ['0;0;0;"gone"', 49, true],
  ['@', 49, false],
])(
  'the code %s under the built-in number %i changes texts: %s',
  async (code, number, isRefused) => {
    const [row] = await shownIn([code], '7', number)
    expect(row?.reasons[1] !== undefined).toBe(isRefused)
    // Programs disagree about which of the two codes counts for numbers.
    expect(row?.reasons[0] === undefined).toBe(number === 49 && code === '@')
  },
)

/** Reading workbooks. With SVC_CRAFTED the deceiving ones are kept in that folder, with the result of reading them. */
import { shownText } from '../shown-text.ts'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SvcError } from '../../src/errors.ts'
import { readPairs } from '../../src/input/pairs.ts'
import { readIds } from '../../src/input/reader.ts'
import type { CellUse } from '../../src/workbook/cells.ts'
import { crafted } from './crafted.ts'
import {
  fileInput,
  idOf,
  read,
  refusal,
  rowsBelowTitle,
  stdin,
  temporaryFolder,
} from '../input/inputs.ts'
import {
  inline,
  main,
  office,
  packageSpace,
  rowsOf,
  workbook,
  workbookParts,
  zip,
  type WorkbookXml,
} from '../input/workbooks.ts'

const folder = temporaryFolder()

const [a, b, c] = [idOf(1), idOf(2), idOf(3)] as const

type Reading = readonly (readonly [text: string, row: number])[]

/** The cells of the second column that may decide, or why the first one may not. */
async function cellsIn(bytes: Buffer, use: CellUse): Promise<Reading | string> {
  const found: [string, number][] = []
  let problem: string | undefined
  for (const { cells, line, sheetRow } of await rowsBelowTitle(bytes)) {
    problem ??= sheetRow?.unfit(1, use)
    if (sheetRow?.unfit(1, use) === undefined) found.push([cells[1] ?? '', line])
  }
  return problem ?? found
}

/** The ids with their rows, or the refusal. */
async function outcomeOf(bytes: Buffer, use: CellUse | undefined): Promise<Reading | string> {
  try {
    if (use !== undefined) return await cellsIn(bytes, use)
    const { ids } = await read(bytes)
    return [...ids].map((id, n) => [id, ids.line(n)] as const)
  } catch (error) {
    if (error instanceof SvcError && error.exitCode === 2) return error.message
    throw error
  }
}

test('each that is made to deceive is read as it is shown, or refused with what is wrong', async () => {
  const all = crafted()
  const seen = await Promise.all(all.map(async ({ bytes, use }) => outcomeOf(bytes, use)))
  const wrong = all.flatMap(({ name, verdict }, n) => {
    const found = seen[n] ?? ''
    const isRight =
      typeof found === 'string'
        ? typeof verdict === 'string' && found.includes(verdict)
        : typeof verdict !== 'string' && found.map(([text]) => text).join() === verdict.join()
    return isRight ? [] : [{ name, verdict, found }]
  })
  expect(wrong).toEqual([])
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
  expect(all.length).toBeGreaterThan(600)
  const kept = process.env['SVC_CRAFTED']
  if (kept === undefined) return
  all.forEach(({ bytes }, n) => writeFileSync(join(kept, `${n}.xlsx`), bytes))
  writeFileSync(
    join(kept, 'read.json'),
    JSON.stringify(all.map(({ name, use }, n) => ({ name, use, read: seen[n] }))),
  )
})

const sheet = (rows: string, around: { before?: string } = {}): WorkbookXml => ({
  sheets: [{ rows, ...around }],
})
const titled = rowsOf(
  ['Kündigungen'],
  [],
  ['Name', 'CONTACT ID'],
  ['Jürgen', a],
  ['王', b],
  ['x', a.toUpperCase()],
)
const named = rowsOf(['Kunde', 'Ansprechpartner'], ['x', a], ['y', b])
const full = rowsOf(['id'], [a])
const two: WorkbookXml = {
  sheets: [
    { name: 'Alle', rows: full },
    { name: 'Löschen 2', rows: rowsOf(['id'], [b], ['x']) },
  ],
}
const secret = { name: 'Old', rows: rowsOf([b]), state: 'veryHidden' } as const
const partly: WorkbookXml = { sheets: [{ name: 'Full', rows: full }, secret] }
const hidden = '<cols><col min="2" max="3" hidden="1"/></cols>'
const ruined =
  rowsOf(['id', 'name'], [a, 'x']) +
  `<row r="3"><c r="A3"><v>5.07E+23</v></c></row><row r="4"><c r="A4" t="str"><f>B1</f><v>${b}</v></c></row>` +
  `<row r="5" hidden="1">${inline('A5', c)}</row><row r="6">${inline('B6', 'y')}</row>` +
  `<row r="7"><c r="A7" t="b"><v>0</v></c></row><row r="8"><c r="A8" t="e"><v>#REF!</v></c></row><row r="9">${inline('A9', 'abc')}</row>`
const empty = { name: 'Empty', rows: '<row r="1"><c r="A1" s="1"/></row>' }

/** A table of Excel whose last row is said to be that of totals. */
const totalled = (count: string): WorkbookXml => ({
  sheets: [{ rows: rowsOf(['id', 'name'], [a, 'x'], [b, 'y'], ['Total', '2']) }],
  parts: {
    'xl/worksheets/_rels/sheet0.xml.rels': `<Relationships xmlns="${packageSpace}"><Relationship Id="r1" Type="${office}/table" Target="../tables/table1.xml"/></Relationships>`,
    'xl/tables/table1.xml': `<table xmlns="${main}" id="1" name="T" displayName="T" ref="A1:B4" totalsRowCount="${count}"><tableColumns count="2"/></table>`,
  },
})

type Options = Parameters<typeof read>[1]

const titles = 'a4 b5 | skipped 1 title row above the heading'
const total = 'a2 b3 | 1 row left out: the total row of a table'
const states = sheet(rowsOf(['id', 'state'], [a, 'x'], [b, 'y']))
const skipping = { skipInvalid: true }

/** The ids with their rows, a note, and the cells that are no ids. */
test.each<[string, string, WorkbookXml, Options?]>([
  ['below a heading, with title rows above it', titles, sheet(titled)],
  ['above a total row', total, totalled('1')],
  ['above a total row that is said oddly', total, totalled('x')],
  ['of a table without one', 'a2 b3 |  | A4', totalled('0'), skipping],
  ['each cell that is no id', 'a2 |  | A3 A4 A5 A6 A7 A8 A9', sheet(ruined), skipping],
  ['in a column of another name', 'a2 b3', sheet(named), { column: 'Ansprechpartner' }],
  ['an empty workbook has none', '', {}],
  ['beside a hidden column', 'a2', sheet(rowsOf(['id', 'Name'], [a, 'x']), { before: hidden })],
  ['one by its name with blanks around it', 'a2', two, { sheet: ' alle ' }],
  [
    'one whose umlaut is two characters',
    'b2 |  | A3',
    two,
    { sheet: 'Lo\u0308schen 2', ...skipping },
  ],
  [
    'empty sheets do not count',
    'a2 | read the sheet "Full"',
    { sheets: [empty, { name: 'Full', rows: full }] },
  ],
  ['beside a hidden sheet', 'a2 | did not read hidden sheets: "Old"', partly],
  ['--where', 'a2 | 1 row left out', states, { where: ['state=x'] }],
  ['a hidden sheet that is named', 'b1', partly, { sheet: 'Old' }],
])('read: %s', async (_, expected, xml, options) => {
  const { ids, notes, bad } = await read(workbook(xml), options)
  const found = [...ids].map((id, n) => `${'abc'[[a, b, c].indexOf(id)]}${ids.line(n)}`)
  const cells = bad.map(({ where }) => where.replace(/^.*cell /, ''))
  const [wanted = '', note = '', places = ''] = expected.split(' | ')
  expect([found.join(' '), cells.join(' ')]).toEqual([wanted, places])
  expect(notes.map((each) => each.includes(note))).toEqual(note === '' ? [] : [true])
})

const formula = (cell: string, value = 'x') => `<c r="${cell}" t="str"><f>1</f><v>${value}</v></c>`
const row = (n: number, ...cells: string[]): string => `<row r="${n}">${cells.join('')}</row>`
const idIn = (cell: string, id: string = a): string => inline(cell, id)
const computed =
  rowsOf(['id', 'state']) + row(2, idIn('A2'), formula('B2')) + row(3, idIn('A3', b), formula('B3'))
const headed =
  row(1, inline('A1', 'id'), formula('B1', 'state')) + row(2, idIn('A2'), inline('B2', 'x'))
const matched =
  rowsOf(['contactId', 'MATCH', 'BY']) +
  row(2, idIn('A2'), formula('B2', 'one'), inline('C2', 'phone'))
const hiddenId = sheet(rowsOf(['Name', 'id'], ['x', a]), { before: hidden })
const bare = sheet(rowsOf([a]), { before: hidden.replace('2', '1') })
const where = { where: ['state=x'] }
const relations = workbookParts({})['_rels/.rels']?.toString() ?? ''
const allHidden =
  'no visible sheet of standard input has content\nto read a hidden one anyway: --sheet Old'

test.each<[string, string, WorkbookXml | Buffer, Options?]>([
  [
    'all cells that are no ids',
    '7 ids are invalid\n  standard input cell A3: "5.07E+23": a number',
    sheet(ruined),
  ],
  ['a heading that nobody knows', 'cell A1: "Customer"', sheet(rowsOf(['Customer'], [a]))],
  ['no id column', '--column Ansprechpartner', sheet(named)],
  ['a hidden one that is named', 'cell B1: the heading', hiddenId, { column: 'id' }],
  ['a hidden one without a heading', `cell A1: "${a}": in a hidden column`, bare],
  [
    'a condition by a formula',
    '2 ids are invalid\n  standard input cell B2',
    sheet(computed),
    where,
  ],
  ['a condition under a formula', 'cell B1: the heading is a formula', sheet(headed), where],
  ['a MATCH by a formula', 'standard input cell B2: "one": a formula', sheet(matched)],
  ['several sheets', 'has 2 sheets: "Alle", "Löschen 2"\nname one: --sheet Alle', two],
  [
    'an unknown sheet',
    'has no sheet "Neu"\nits sheets are "Alle", "Löschen 2"',
    two,
    { sheet: 'Neu' },
  ],
  ['hidden content alone', allHidden, { sheets: [empty, secret] }],
  [
    'a binary workbook',
    'is a zip archive, not an .xlsx',
    zip({ '_rels/.rels': relations.replace('.xml', '.bin') }),
  ],
])('refused: %s', async (_, words, xml, options) => {
  const error = await refusal(read(Buffer.isBuffer(xml) ? xml : workbook(xml), options))
  expect([error.exitCode, shownText(error)]).toEqual([2, expect.stringContaining(words)])
})

test('from a file, whatever its name ends in', async () => {
  const path = folder.file('contacts.txt', workbook(sheet(full)))
  const { ids, formats } = await readIds([fileInput(path)], { skipInvalid: false })
  expect([[...ids], formats]).toEqual([[a], ['xlsx']])
})

test('pairs; --sheet means nothing for a file that is no workbook, which a note says', async () => {
  const how = { skipInvalid: true, columns: ['ticket', 'employee'] } as const
  const rows = rowsOf(['Employee', 'x', 'Ticket ID'], ['Jürgen Groß', '', a], ['', '', b], ['7'])
  const { pairs, bad } = await readPairs([stdin(workbook(sheet(rows)))], how)
  expect(pairs).toEqual([{ id: a, other: 'Jürgen Groß', line: 2 }])
  expect(bad.map(({ where, reason }) => `${where}: ${reason}`)).toEqual([
    'standard input cell A3: employee: empty',
    'standard input cell C4: ticket: empty',
  ])
  const notes = ['--sheet is not used: standard input is not a workbook']
  expect((await read(`${a}\n`, { sheet: 'x' })).notes).toEqual(notes)
  expect((await readPairs([stdin(`${a},${b}\n`)], { ...how, sheet: 'x' })).notes).toEqual(notes)
})

test('a pair is not taken when its second cell is one that a person may not see so', async () => {
  for (const columns of [
    ['ticket', 'employee'],
    ['source', 'target'],
  ] as const) {
    const second = `<c r="B3" t="str"><f>B2</f><v>${c}</v></c>`
    const rows = `${rowsOf([...columns], [a, b])}<row r="3">${inline('A3', b)}${second}</row>`
    const how = { skipInvalid: true, columns } as const
    const { pairs, bad } = await readPairs([stdin(workbook(sheet(rows)))], how)
    expect(pairs).toEqual([{ id: a, other: b, line: 2 }])
    expect(bad.map(({ where, reason }) => `${where}: ${reason}`)).toEqual([
      expect.stringContaining(`cell B3: ${columns[1]}: a formula`),
    ])
  }
})

test('the sheet with a heading is read, below at most 20 title rows', async () => {
  const titles = (count: number): string[][] => Array.from({ length: count }, () => ['Report'])
  const book = (count: number): Buffer => {
    const rows = rowsOf(...titles(count), ['id'], [a])
    return workbook({
      sheets: [
        { name: 'Notes', rows: rowsOf(['x']) },
        { name: 'Ids', rows },
      ],
    })
  }
  const { ids } = await read(book(20))
  expect([...ids].map((id, n) => [id, ids.line(n)])).toEqual([[a, 22]])
  expect((await refusal(read(book(21)))).message).toContain('has 2 sheets: "Notes", "Ids"')
})

test('a heading that would be refused in one of two sheets does not hide the other', async () => {
  const twoColumns = { name: 'Both', rows: rowsOf(['id', 'contactId'], [a, a]) }
  const ids = { name: 'Ids', rows: rowsOf(['id'], [a]) }
  const { message } = await refusal(read(workbook({ sheets: [twoColumns, ids] })))
  expect(message).toBe('standard input has 2 sheets: "Both", "Ids"')
})

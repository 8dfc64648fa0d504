/** `svc contacts match …` of sheets with cells that a person may not see. All else is in test/transcripts/contacts.txt. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ContactMatch } from '../../../src/views/documents.ts'
import { inline, rowsOf, workbook } from '../../input/workbooks.ts'
import { createSandboxWorld } from '../../svc.ts'
import { table } from '../../table.ts'

const { svc, folder } = await createSandboxWorld()
const json = (text: string): unknown => JSON.parse(text)
let files = 0

function file(content: Buffer): string {
  files += 1
  const path = join(folder, `${files}.xlsx`)
  writeFileSync(path, content)
  return path
}

/** A workbook with these cells merged. */
function mergedTable(ref: string, ...rows: readonly string[][]): string {
  const after = `<mergeCells><mergeCell ref="${ref}"/></mergeCells>`
  return file(workbook({ sheets: [{ rows: rowsOf(...rows), after }] }))
}

/** Verdict, name and what decided, of each row. */
async function verdicts(words: string): Promise<string[]> {
  const { stdout } = await svc(`contacts match ${words} --in "Trade fair" --json`)
  return (json(stdout) as ContactMatch[]).map(({ match, name, by }) =>
    `${match} ${by} ${name}`.trimEnd(),
  )
}

const notesOf = async (table: string): Promise<string> =>
  (await svc(`contacts match --file ${table} --in "Trade fair"`)).stderr

test('a cell of a sheet that a person may not see so makes its row unreadable; a name is not compared', async () => {
  const souza = rowsOf(['Name', 'Phone'], ['João Souza', '+55 11 91234-5678'])
  const formula =
    '<row r="3"><c r="A3" t="str"><f>B1</f><v>Peter</v></c><c r="B3" t="str"><f>B2</f><v>+55 11 91234-5678</v></c></row>'
  const named = formula.replace(/<f>B2<\/f>/, '').replaceAll('3"', '4"')
  const unsaved = `<row r="5">${inline('A5', 'João Souza')}<c r="B5"><f>B2</f></c></row>`
  const all = souza + formula + named + unsaved
  const table = file(workbook({ sheets: [{ name: 'First', rows: all }, { name: 'Other' }] }))
  expect(await verdicts(`--file ${table}`)).toEqual([
    'one phone João Souza',
    'unreadable',
    'one phone João Souza',
    'unreadable',
  ])
  expect(await notesOf(table)).toMatch(
    /read the sheet "First"[^]*4 cells cannot be read: B3: a formula.*; A3: a formula.*; A4: a formula/,
  )
  const { stdout } = await svc(`contacts match --file ${table} --in "Trade fair" --json`)
  expect((json(stdout) as ContactMatch[])[3]?.why).toContain(
    'B5: a formula without its result: open and save it in a spreadsheet',
  )
})

const souza = 'João Souza,+55 11 91234-5678'
// The merged cells, the verdicts, a note, and the rows below the heading.
const merged = table(`
  B2:B3 | one / unreadable | | ${souza} / ${souza}
  A2:B2 | unreadable / one | | ${souza} / ${souza}
  A3:C3 | one / unreadable | | ${souza} / ${souza}
  C2:D3 | one / one | | ${souza} / ${souza}
  B2:B3 | one / unreadable | 1 cell cannot be read: B3: in merged | ${souza} / João Souza,,nobody@example.org
  A2:A3 | one / one | 1 cell cannot be read: A3: in merged | ${souza} / ,+55 11 91234-5678
`)
test.each(merged)(
  'merged cells but the first make their rows unreadable, and no other: %s %s',
  async (ref = '', expected = '', note = '', rows = '') => {
    const people = rows.split(' / ').map((row) => row.split(','))
    const path = mergedTable(ref, ['Name', 'Phone', 'E-mail'], ...people)
    expect(await verdicts(`--file ${path}`)).toEqual(
      expected.replaceAll('one', 'one phone João Souza').split(' / '),
    )
    expect(await notesOf(path)).toContain(note)
  },
)

test('a decision that a person may not see in a sheet is looked for again, but "no" always counts', async () => {
  const own = '6402d0a2d5aad2927b00137a'
  const noor = '6402d25ed5aad2927b001386'
  const decided = (line: number, id: string, match: string): string =>
    `<row r="${line}">${inline(`A${line}`, 'João Souza')}${inline(`B${line}`, '+55 11 91234-5678')}${id}${match}</row>`
  const formula = (cell: string, text: string): string =>
    `<c r="${cell}" t="str"><f>Z1</f><v>${text}</v></c>`
  const sheetRows = [
    rowsOf(['Name', 'Phone', 'contactId', 'MATCH', 'BY']),
    decided(2, inline('C2', noor), inline('D2', 'one')),
    decided(3, formula('C3', noor), inline('D3', 'one')),
    decided(4, inline('C4', noor), formula('D4', 'one')),
    decided(5, '<c r="C5"><v>6.4E+23</v></c>', inline('D5', 'one')),
    decided(6, inline('C6', `"${noor}",`), inline('D6', ' ONE ')),
    decided(7, formula('C7', noor), formula('D7', 'no')),
  ].join('')
  const table = file(workbook({ sheets: [{ rows: sheetRows }] }))
  const { stdout } = await svc(`contacts match --file ${table} --in "Trade fair" --json`)
  const found = json(stdout) as ContactMatch[]
  expect(found.map(({ match, contactId }) => `${match} ${contactId}`)).toEqual([
    `one ${noor}`,
    `one ${own}`,
    `one ${own}`,
    `one ${own}`,
    `one ${noor}`,
    'no null',
  ])
})

test.each(['', '--email-column E-mail', '--by email'])(
  'a table with a hidden column that could decide is refused: match %s',
  async (words) => {
    const sheet = {
      rows: rowsOf(['Phone', 'E-mail'], ['+55 11 91234-5678', 'noor.haddad@example.org']),
      before: '<cols><col min="2" max="2" hidden="1" width="9"/></cols>',
    }
    const path = file(workbook({ sheets: [sheet] }))
    const { code, stdout, stderr } = await svc(`contacts match --file ${path} ${words}`)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('cell B1: the heading is in a hidden column; show the column')
  },
)

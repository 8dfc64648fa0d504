/** `svc contacts match …` of sheets with cells that a person may not see. All else is in test/transcripts/contacts.txt. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ContactMatch } from '../../src/people/matching.ts'
import { inline, rowsOf, workbook } from '../input/workbooks.ts'
import { createSandboxWorld } from '../svc.ts'

const { svc, folder } = await createSandboxWorld()
let files = 0

function file(content: Buffer): string {
  files += 1
  const path = join(folder, `${files}.xlsx`)
  writeFileSync(path, content)
  return path
}

/** The rows of a match, and its notes. */
async function matched(table: string) {
  const { stdout, stderr } = await svc(`contacts match --file ${table} --in "Trade fair" --json`)
  return { rows: JSON.parse(stdout) as ContactMatch[], stderr }
}

test('a cell of a sheet that a person may not see so makes its row unreadable; a name is not compared', async () => {
  const souza = rowsOf(['Name', 'Phone'], ['João Souza', '+55 11 91234-5678'])
  const formula =
    '<row r="3"><c r="A3" t="str"><f>B1</f><v>Peter</v></c><c r="B3" t="str"><f>B2</f><v>+55 11 91234-5678</v></c></row>'
  const named = formula.replace(/<f>B2<\/f>/, '').replaceAll('3"', '4"')
  const unsaved = `<row r="5">${inline('A5', 'João Souza')}<c r="B5"><f>B2</f></c></row>`
  const merged = `<row r="6">${inline('A6', 'João Souza')}</row>`
  const first = {
    name: 'First',
    rows: souza + formula + named + unsaved + merged,
    after: '<mergeCells><mergeCell ref="B5:B6"/></mergeCells>',
  }
  const table = file(workbook({ sheets: [first, { name: 'Other' }] }))
  const { rows, stderr } = await matched(table)
  expect(rows.map(({ match, by, name }) => `${match} ${by} ${name}`.trimEnd())).toEqual([
    'one phone João Souza',
    'unreadable',
    'one phone João Souza',
    'unreadable',
    'unreadable',
  ])
  expect(stderr).toMatch(
    /read the sheet "First"[^]*5 cells cannot be read: B3: a formula.*; A3: a formula.*; A4: a formula/,
  )
  expect(rows[3]?.why).toContain('B5: in merged cells')
  expect(rows[4]?.why).toContain('B6: in merged cells')
})

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
    decided(6, inline('C6', `"${noor}"`), inline('D6', ' ONE ')),
    decided(7, formula('C7', noor), formula('D7', 'no')),
  ].join('')
  const table = file(workbook({ sheets: [{ rows: sheetRows }] }))
  const { rows } = await matched(table)
  expect(rows.map(({ match, contactId }) => `${match} ${contactId}`)).toEqual([
    `one ${noor}`,
    `one ${own}`,
    `one ${own}`,
    `one ${own}`,
    `one ${noor}`,
    'no null',
  ])
})

test.each(['', '--email-column E-mail'])(
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

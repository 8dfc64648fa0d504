/** What a person decided in contactId stays: random sequences of match, save, sort, add rows, match again. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { randomFrom } from '../dice.ts'
import { amount } from '../amount.ts'
import { rowsOf, workbook } from '../input/workbooks.ts'
import { createSandboxWorld } from '../svc.ts'

const { svc, folder } = await createSandboxWorld()
const own = '6402d0a2d5aad2927b00137a'
const noor = '6402d25ed5aad2927b001386'

/** Whom a row is about: several, one, check, none and unreadable of the list. */
const people = [
  ['João Souza', '+55 11 91234-5678'],
  ['Peter Pan', '+55 11 91234-5678'],
  ['Maria Schmidt', '0171 2345678'],
  ['Noor', 'noor.haddad@example.org'],
  ['Nobody', '+1 555 999 9999'],
  ['Ann', 'see notes'],
] as const
const decisions = [own, noor.toUpperCase(), ` ${noor}`, '-', 'f'.repeat(24), 'ask Ann', '0']

test.each(Array.from({ length: amount(20) }, (_, n) => n + 1))(
  'nothing that was in contactId is lost or changed: sequence %i',
  async (seed) => {
    const below = randomFrom(seed)
    const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T
    const place = (name: string): string => join(folder, `${seed}-${name}`)
    let heading = ['Key', 'Name', 'Phone', 'E-Mail']
    let rows: string[][] = []
    /** By key: what is in contactId. */
    const decided = new Map<string, string>()
    const column = (name: string): number => heading.indexOf(name)

    function addRow(): void {
      const key = String(decided.size)
      const [name, reach] = pick(people)
      const row = heading.map(() => '')
      row[column('Key')] = key
      row[column('Name')] = name
      row[column(reach.includes('@') ? 'E-Mail' : 'Phone')] = reach
      rows.push(row)
      decided.set(key, '')
    }

    /** As a spreadsheet of another country saves it: other separators and line ends, and perhaps a mark. */
    function save(path: string): void {
      const [separator, end] = [pick([',', ';', '\t']), pick(['\n', '\r\n'])]
      const lines = [heading, ...rows].map((cells) =>
        cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(separator),
      )
      writeFileSync(path, `${pick(['', '\ufeff'])}${lines.join(end)}${end}`)
    }

    /** Reads what svc wrote. Each row has what was decided, and what svc filled in is decided from now on. */
    function load(path: string): void {
      const [first = [], ...others] = parse(readFileSync(path, 'utf8'), {
        bom: true,
        delimiter: [',', ';', '\t'],
      })
      heading = first
      rows = others
      expect(heading.filter((name) => name === 'contactId')).toHaveLength(1)
      expect(rows).toHaveLength(decided.size)
      for (const row of rows) {
        const key = row[column('Key')] ?? ''
        const cell = row[column('contactId')] ?? ''
        const known = decided.get(key) ?? ''
        // svc fills in only what is empty, and only where it is sure.
        const filled = row[column('MATCH')] === 'one' ? cell : ''
        expect([seed, key, cell]).toEqual([seed, key, known.trim() === '' ? filled : known])
        expect([row[column('MATCH')], cell]).not.toEqual(['one', ''])
        decided.set(key, cell)
      }
    }

    for (let n = 0; n < 4; n += 1) addRow()
    for (let step = 0; step < 4; step += 1) {
      save(place(`${step}.csv`))
      const middle = place(`${step}.${pick(['csv', 'xlsx'])}.out.${pick(['csv', 'xlsx'])}`)
      const country = pick(['', '--country DE', '--email-column E-Mail', '--name-column Name'])
      const line = `contacts match ${place(`${step}.csv`)} --in "Trade fair" ${country} -q`
      expect((await svc(`${line} --annotate ${middle}`)).code).not.toBe(2)
      // An existing file stays as it is.
      const written = readFileSync(middle)
      expect((await svc(`${line} --annotate ${middle}`)).code).toBe(2)
      expect(readFileSync(middle).equals(written)).toBe(true)
      const copy = place(`${step}.copy.csv`)
      await svc(`contacts match ${middle} --in "Trade fair" --annotate ${copy} -q`)
      load(copy)
      for (const row of rows) {
        const at = column('contactId')
        if (row[at] !== '' || below(2) === 0) continue
        row[at] = pick(decisions)
        decided.set(row[column('Key')] ?? '', row[at])
      }
      if (below(2) === 0) rows.sort((one, other) => (String(one) < String(other) ? 1 : -1))
      if (below(2) === 0) addRow()
      // Columns are moved, but for that of CANDIDATES, which is taken out.
      const order = heading.map((name, index) => ({
        index,
        at: below(2) === 0 ? index : below(9),
        name,
      }))
      const kept = order.filter(({ name }) => name !== 'CANDIDATES').toSorted((a, b) => a.at - b.at)
      rows = rows.map((row) => kept.map(({ index }) => row[index] ?? ''))
      heading = kept.map(({ name }) => name)
    }
    const ids = [...decided.values()]
      .map((text) => text.trim())
      .filter((text) => /^[0-9a-f]{24}$/i.test(text))
    save(place('last.csv'))
    const { stdout } = await svc(`contacts match ${place('last.csv')} --in VIP -o ids -q`)
    expect(stdout.split('\n').filter(Boolean).toSorted()).toEqual(ids.toSorted())
  },
)

test('a cell of a sheet that a person may not see so decides nothing, and stays', async () => {
  const text = (cell: string, shown: string): string =>
    `<c r="${cell}" t="inlineStr"><is><t>${shown}</t></is></c>`
  const formula = (cell: string, shown: string): string =>
    `<c r="${cell}" t="str"><f>Z1</f><v>${shown}</v></c>`
  const phone = '+55 11 91234-5678'
  const rows = [
    rowsOf(['Name', 'Phone', 'contactId', 'MATCH']),
    `<row r="2">${text('A2', 'João Souza')}${formula('B2', phone)}</row>`,
    `<row r="3">${text('A3', 'João Souza')}${text('B3', phone)}${formula('C3', noor)}</row>`,
    `<row r="4">${formula('A4', 'Peter')}${text('B4', phone)}${text('C4', noor)}</row>`,
    `<row r="5" hidden="1">${text('A5', 'João Souza')}${text('B5', phone)}</row>`,
  ].join('')
  const [path, copy] = [join(folder, 'cells.xlsx'), join(folder, 'cells.csv')]
  writeFileSync(path, workbook({ sheets: [{ rows }] }))
  const line = `contacts match ${path} --in "Trade fair"`
  const { code, stderr } = await svc(`${line} --annotate ${copy}`)
  expect([code, stderr]).toEqual([
    3,
    expect.stringMatching(/3 rows? without a decision[^]*without 1 hidden row/),
  ])
  const written = readFileSync(copy, 'utf8').replaceAll('"', '').trimEnd().split('\n').slice(1)
  expect(written).toEqual([
    `João Souza,${phone},,unreadable,B2: a formula; paste the column as values,`,
    expect.stringMatching(`^João Souza,.*,${noor},unreadable,C3: a formula`),
    expect.stringMatching(`^Peter,.*,${noor},unreadable,A4: a formula`),
  ])
})

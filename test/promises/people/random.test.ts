/** People by chance: verdicts as simple code finds them, and decisions that no order of steps loses. */
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { matchedColumns, matchedRows, matchPeople } from '../../../src/people/match.ts'
import { readPeopleTable } from '../../../src/people/people-table.ts'
import { render } from '../../../src/output/render.ts'
import { rows as rowsOutput } from '../../../src/output/result.ts'
import { amount } from '../../support/amount.ts'
import { Dice } from '../../support/dice.ts'
import { hostOf, idOf, read } from '../../support/inputs.ts'
import { writtenTable } from '../../support/written-people.ts'
import { knownOf, randomPeople, verdictOf, type RandomRow } from '../../support/people-reference.ts'

type Contacts = ReturnType<typeof randomPeople>['contacts']

const csvOf = (rows: readonly (readonly string[])[]) =>
  rows.map((cells) => `${cells.map((cell) => `"${cell}"`).join(',')}\n`).join('')

const cellsOf = ({ name, phone, email, decided }: RandomRow) => [name, phone, email, decided]

/** Matches a table, and gives it back as csv. */
async function matched(csv: string, contacts: Contacts) {
  const table = await readPeopleTable(hostOf(csv), '-', {
    country: undefined,
    note: () => undefined,
  })
  const byId = new Map(contacts.map((contact) => [contact.id, contact]))
  const searched = { all: contacts, find: (id: string) => byId.get(id), place: '' }
  const { matches } = matchPeople(table, searched)
  const output = rowsOutput(matchedRows(table, matches), { ownTable: matchedColumns(table) })
  const { bytes } = await render(output, {}, { format: 'csv', rowLimit: Infinity })
  return { matches, csv: Buffer.concat(bytes).toString() }
}

test('each row has the verdict that simple code finds', async () => {
  const size = amount(200)
  const { contacts, rows } = randomPeople(new Dice(size), size, size)
  const heading = ['Key', 'Name', 'Phone', 'Email', 'contactId']
  const lines = rows.map((row, n) => [`${n}`, ...cellsOf(row)])
  const { matches } = await matched(csvOf([heading, ...lines]), contacts)
  const found = matches.map(({ match, contactId }) => ({ match, contactId }))
  const people = contacts.map(knownOf)
  const expected = rows.map((row) => verdictOf(row, people))
  expect(found).toEqual(expected)
  expect(new Set(expected.map(({ match }) => match)).size).toBe(6)
})

test('however a table is written, nobody is taken for another, and nobody who is there is "none"', async () => {
  const counts = new Map<string, number>()
  const tables = amount(15)
  for (let seed = 1; seed <= tables; seed += 1) {
    const { contacts, rows, csv, country, headingRow } = writtenTable(new Dice(seed), 67)
    const options = { headingRow, country, note: () => undefined }
    const table = await readPeopleTable(hostOf(csv), '-', options)
    const searched = { all: contacts, find: () => undefined, place: '' }
    const wrong = matchPeople(table, searched).matches.filter(({ match, contactId }, n) => {
      counts.set(match, (counts.get(match) ?? 0) + 1)
      const owner = rows[n]?.owner
      return match === 'one' ? contactId !== owner?.id : match === 'none' && owner !== undefined
    })
    expect([
      seed,
      wrong.map(({ row, match, why }) => [rows[row - 1 - headingRow]?.cells, match, why]),
    ]).toEqual([seed, []])
  }
  // The usual verdicts are usual.
  for (const match of ['one', 'check', 'none', 'unreadable'])
    expect([match, (counts.get(match) ?? 0) > tables * 3]).toEqual([match, true])
})

test('no order of matching, deciding, sorting, adding rows and reading loses a decision', async () => {
  for (let seed = 1; seed <= amount(10); seed += 1) {
    const dice = new Dice(seed)
    const { contacts, rows: stock } = randomPeople(dice, 12, 30)
    let table: Record<string, string>[] = []
    /** What is under contactId, by the key of the row. */
    const decisions = new Map<string, string>()
    const addRow = () => {
      const { name, phone, email } = stock[table.length] ?? { name: '', phone: '', email: '' }
      table.push({ Key: `${table.length}`, Name: name, Phone: phone, Email: email, contactId: '' })
    }
    const decide = () => {
      const row = table[dice.below(table.length)] ?? {}
      const candidates = row['CANDIDATES']?.split('; ') ?? []
      const choices = ['-', idOf(dice.below(12)), candidates[0] ?? '', '']
      row['contactId'] = dice.pick(choices)
      // Somebody who insists empties MATCH.
      if (dice.isLucky(0.3)) row['MATCH'] = ''
      decisions.set(row['Key'] ?? '', row['contactId'])
    }
    const csv = () => {
      const headings = [...new Set(table.flatMap((row) => Object.keys(row)))]
      const shuffled = dice.isLucky(0.3) ? headings.toReversed() : headings
      return csvOf([shuffled, ...table.map((row) => shuffled.map((each) => row[each] ?? ''))])
    }
    const match = async () => {
      table = parse((await matched(csv(), contacts)).csv, { columns: true, bom: true })
      for (const { Key = '', contactId = '', MATCH } of table) {
        const before = decisions.get(Key) ?? ''
        if (before === '' && MATCH === 'one') decisions.set(Key, contactId)
        expect([seed, Key, contactId]).toEqual([seed, Key, decisions.get(Key) ?? ''])
      }
    }
    /** A command reads the ids of decided rows, but not of those that differ. */
    const readIds = async () => {
      const { items, undecided } = await read(csv(), { column: 'contactId' })
      const decided = table.filter(({ contactId = '' }) => /^[0-9a-f]{24}/.test(contactId))
      const idIn = ({ contactId = '' }: Record<string, string>) => contactId.slice(0, 24)
      const differing = new Set(decided.filter(({ MATCH }) => MATCH === 'differs').map(idIn))
      const ids = new Set(decided.map(idIn).filter((id) => !differing.has(id)))
      expect([seed, new Set(items.map(({ id }) => id))]).toEqual([seed, ids])
      const isOpen = (row: Record<string, string>) =>
        row['contactId'] === '' || differing.has(idIn(row))
      expect([seed, undecided]).toEqual([seed, table.filter(isOpen).length])
    }
    const sort = () =>
      table.sort((one, other) => ((one['Name'] ?? '') < (other['Name'] ?? '') ? -1 : 1))
    for (let count = 0; count < 4; count += 1) addRow()
    const steps: (() => unknown)[] = [addRow, decide, decide, sort, match, readIds]
    for (let step = 0; step < 15; step += 1) await steps[dice.below(steps.length)]?.()
    await match()
    await readIds()
  }
})

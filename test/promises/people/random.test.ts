/** People by chance: verdicts as simple code finds them, and decisions that no order of steps loses. */
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { matchPeople } from '../../../src/people/match.ts'
import { readPeopleTable } from '../../../src/people/people-table.ts'
import { render } from '../../../src/output/render.ts'
import { rows as rowsOutput, text } from '../../../src/output/result.ts'
import { amount } from '../../support/amount.ts'
import { Dice } from '../../support/dice.ts'
import { hostOf, idOf, read } from '../../support/inputs.ts'
import { writtenTable } from '../../support/written-people.ts'
import { knownOf, randomPeople, verdictOf } from '../../support/people-reference.ts'

type Contacts = ReturnType<typeof randomPeople>['contacts']

const csvOf = (rows: readonly (readonly string[])[]) =>
  rows.map((cells) => `${cells.map((cell) => `"${cell}"`).join(',')}\n`).join('')

/** Matches a table, and gives it back as csv. */
async function matched(csv: string, contacts: Contacts) {
  const typed = { country: undefined, sheet: undefined, note: () => undefined, hide: String }
  const read = await readPeopleTable(hostOf(csv), '-', typed)
  const find = (id: string) => contacts.find((contact) => contact.id === id)
  const { matches } = matchPeople(read, { all: contacts, find, place: '', extent: '' })
  const added = {
    contactId: text('contactId'),
    MATCH: text('match'),
    WHY: text('why'),
    CANDIDATES: text('candidates'),
  }
  const cells = matches.map((match, n) => ({ ...match, cells: read.people[n]?.row.cells }))
  const output = rowsOutput<object>(cells, { ownTable: { ...read.table, added } })
  const { bytes } = await render(output, {}, { format: 'csv', rowLimit: Infinity })
  return { matches, csv: Buffer.concat(bytes).toString() }
}

test('each row has the verdict that simple code finds', async () => {
  const size = amount(200)
  const { contacts, rows } = randomPeople(new Dice(size), size, size)
  const heading = ['Key', 'contactId', 'Name', 'Phone', 'Email']
  const lines = rows.map(({ decided, name, phone, email }) => ['x', decided, name, phone, email])
  const { matches } = await matched(csvOf([heading, ...lines]), contacts)
  const found = matches.map(({ match, contactId }) => ({ match, contactId }))
  const people = contacts.map(knownOf)
  const expected = rows.map((row) => verdictOf(row, people))
  expect(found).toEqual(expected)
  expect(new Set(expected.map(({ match }) => match)).size).toBe(5)
})

test('however a table is written, nobody is taken for another, and nobody who is there is "none"', async () => {
  const counts = new Map<string, number>()
  const tables = amount(15)
  for (let seed = 1; seed <= tables; seed += 1) {
    const { contacts, rows, csv, country, phone } = writtenTable(new Dice(seed), 67)
    const options = { country, phone, sheet: undefined, note: () => undefined, hide: String }
    const table = await readPeopleTable(hostOf(csv), '-', options)
    const searched = { all: contacts, find: () => undefined, place: '', extent: '' }
    const wrong = matchPeople(table, searched).matches.flatMap(({ match, contactId, why }, n) => {
      counts.set(match, (counts.get(match) ?? 0) + 1)
      const { owner, cells } = rows[n] ?? {}
      const isWrong =
        match === 'one' ? contactId !== owner?.id : match === 'none' && owner !== undefined
      return isWrong ? [[cells, match, why]] : []
    })
    expect([seed, wrong]).toEqual([seed, []])
  }
  // The usual verdicts are usual.
  for (const match of ['one', 'check', 'none'])
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
      const candidates = row['CANDIDATES']?.split(';') ?? []
      const choices = ['-', idOf(dice.below(12)), candidates[0] ?? '', '']
      row['contactId'] = dice.pick(choices)
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
    /** A command reads the ids of rows with a decision. */
    const readIds = async () => {
      const ids = [...decisions.values()].filter((id) => id !== '' && id !== '-')
      if (ids.length === 0) return
      const { items, withoutId } = await read(csv(), { column: 'contactId' })
      const wanted = new Set(ids.map((id) => id.slice(0, 24)))
      expect([seed, new Set(items.map(({ id }) => id))]).toEqual([seed, wanted])
      const open = table.filter(({ contactId = '' }) => contactId === '')
      expect([seed, withoutId]).toEqual([seed, open.length])
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

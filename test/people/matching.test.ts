/** `contacts match` and `contacts duplicates` of random people, against the rules written a second time. */
import { expect, test } from 'vitest'
import { findDuplicates } from '../../src/people/duplicates.ts'
import { matchTable } from '../../src/people/match.ts'
import { readPeopleTable } from '../../src/people/people-table.ts'
import { amount } from '../amount.ts'
import { hostOf } from '../input/inputs.ts'
import {
  csvOf,
  directoryOf,
  expectedDuplicates,
  expectedOf,
  RandomPeople,
  randomContacts,
  randomRow,
} from './second-rule.ts'

/** How many rows and contacts: 10,000 in the measured figures. */
const count = amount(600)
const seeds = [1, 2, 3, 4].map((seed) => [seed, seed % 2 === 0] as const)
const seen = new Set<string>()

test.each(seeds)('random rows of seed %d, with a country: %s', async (seed, hasCountry) => {
  const country = hasCountry ? 'DE' : undefined
  const people = new RandomPeople(seed, hasCountry, (count * (seed + 1)) / 5)
  const contacts = randomContacts(people, count)
  const rows = Array.from({ length: count }, () => randomRow(people, contacts))
  const table = await readPeopleTable(hostOf(csvOf(rows, people)), '-', {
    phoneColumn: [],
    emailColumn: [],
    nameColumn: [],
    country,
    note: () => undefined,
  })
  const { rows: matched } = await matchTable(table, directoryOf(contacts))
  const found = matched.map(({ match, contactId }) => `${match} ${contactId}`)
  const wanted = rows.map((row) => expectedOf(row, contacts))
  const wrong = found.flatMap((verdict, n) =>
    verdict === wanted[n] ? [] : [[rows[n], verdict, wanted[n]]],
  )
  expect([wrong, found.length]).toEqual([[], rows.length])
  for (const verdict of wanted) seen.add(verdict.split(' ')[0] ?? '')
})

test('each verdict occurs in the random rows', () => {
  expect([...seen].toSorted()).toEqual(['check', 'none', 'one', 'several', 'unreadable'])
})

test.each(seeds)('duplicates of seed %d, with a country: %s', async (seed, hasCountry) => {
  const people = new RandomPeople(seed + 100, hasCountry, (count * (seed + 1)) / 8)
  const contacts = randomContacts(people, count)
  const { rows } = await findDuplicates(
    directoryOf(contacts),
    hasCountry ? 'DE' : undefined,
    Infinity,
  )
  const found = rows.map(({ source, target, shared, warning }) => {
    const words = warning.map((text) => text.replace(/^(only through) others$/, '$1'))
    const isDirect = !words.includes('only through')
    // A value that leads to the target through others may be shared by many.
    const told = words.filter((text) => isDirect || !text.startsWith('shared by'))
    return `${source} ${target} ${isDirect ? shared.length : 0} ${told.join(';')}`
  })
  expect(found.toSorted()).toEqual(expectedDuplicates(contacts).toSorted())
  expect(rows.length).toBeGreaterThan(10)
})

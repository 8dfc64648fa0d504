/** `contacts match` and `contacts duplicates` of random people, against what a table of how things are written says. */
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { findDuplicates } from '../../src/people/duplicates.ts'
import { valueReader } from '../../src/people/values.ts'
import { matchTable, shownRows } from '../../src/people/matching.ts'
import { readPeopleTable } from '../../src/people/people-table.ts'
import type { Duplicate } from '../../src/people/duplicates.ts'
import { atRandom, figure, howMany } from '../figures/figure.ts'
import {
  directoryOf,
  fitOf,
  randomContacts,
  RandomPeople,
  type RandomContact,
  type Written,
} from './random-people.ts'
import { isContradiction } from './name-rule.ts'

const noColumns = { phoneColumn: [], emailColumn: [] }

/** Rows of a table of people as they are shown. */
async function matched(csv: string, contacts: Parameters<typeof directoryOf>[0], country?: string) {
  const readValues = valueReader(country)
  const input = {
    kind: 'stdin',
    stream: Readable.from([Buffer.from(csv)]),
    isTerminal: false,
  } as const
  const table = await readPeopleTable(input, noColumns, readValues)
  const matching = await matchTable(table, directoryOf(contacts), readValues)
  return [...shownRows(matching.rows)]
}

interface RandomRow {
  readonly name: string
  readonly values: readonly Written[]
  /** Values under phone that are not numbers. */
  readonly noPhone: string
  /** contactId, MATCH and BY of an earlier match. */
  readonly before: readonly string[]
}

/** The rules of matching, applied contact by contact. */
function expected(row: RandomRow, contacts: readonly RandomContact[]): string {
  const { name, values, noPhone, before } = row
  const [contactId = '', match = ''] = before
  if (match.toLowerCase() === 'no') return 'no'
  if (match.toLowerCase() === 'one' && /^[0-9a-f]{24}$/.test(contactId)) return `one ${contactId}`
  const fitsOf = (value: Written) =>
    contacts.map(({ values: stored }) => {
      const fits = stored.map((other) => fitOf(value, other))
      return fits.includes('exact') ? 'exact' : fits.includes('variant') ? 'variant' : 'none'
    })
  const all = values
    .map(fitsOf)
    .map((fits) =>
      fits.includes('exact') ? fits.map((fit) => (fit === 'exact' ? fit : 'none')) : fits,
    )
  const known = all.filter((fits) => fits.some((fit) => fit !== 'none'))
  const isUnreadable = noPhone === 'see notes' && !values.some(({ key }) => key.endsWith('phone'))
  // A number without its country was not compared whole.
  const isDoubtful = values.some(({ form }) => form === '?')
  if (known.length === 0)
    return isUnreadable || isDoubtful ? 'unreadable' : values.length === 0 ? 'empty' : 'none'
  const fitting = contacts.filter((_, index) => known.every((fits) => fits[index] !== 'none'))
  if (fitting.length === 0) return 'conflict'
  if (fitting.length > 1) return 'several'
  const [only] = fitting as [RandomContact]
  const isExact = known.some((fits) => fits[contacts.indexOf(only)] === 'exact')
  if (!isExact) return 'variant'
  if (isContradiction(name, only.name)) return 'differs'
  return `one ${only.contact.id}`
}

/** Tables of people have no messenger values. */
const isInTable = ({ key }: Written): boolean => key !== 'messengerB_username'

/** Some rows are of one contact, most of whoever has these values. */
function randomRow(people: RandomPeople, contacts: readonly RandomContact[]): RandomRow {
  const one = people.pick(contacts)
  const noPhone = people.pick(['', '', '-', 'N/A', 'see notes'])
  const before = people.pick([
    ...[[], [], [], ['', 'none', '']],
    ...[one.contact.id, 'f'.repeat(24), 'x'].map((id) => [
      id,
      people.pick(['one', 'One', 'differs', 'No']),
      'phone',
    ]),
  ])
  if (people.below(2) === 0) {
    const values = one.values.filter((value) => isInTable(value) && people.below(3) > 0)
    return { name: people.below(3) === 0 ? people.name() : one.name, values, noPhone, before }
  }
  return {
    name: people.name(),
    values: Array.from({ length: people.below(4) }, () => people.value()).filter(isInTable),
    noPhone,
    before,
  }
}

const column = (key: Written['key']): number => (key === 'email' ? 1 : 3)

/** Several values in a cell, with words around numbers. */
function csvOf(rows: readonly RandomRow[], people: RandomPeople): string {
  const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`
  const lines = rows.map(({ name, values, noPhone, before }) => {
    const cells = [name, '', '', '']
    for (const { key, text } of values) {
      const place = column(key)
      const isPhone = place === 3
      // Commas behind a line break could make it a row for itself, which is refused.
      const separators = [
        ['; ', ', '],
        [';', '\n'],
        ['; ', ' | ', '\n', ' or '],
      ]
      const between = people.pick(separators[place - 1] ?? [])
      const around = isPhone && people.below(3) === 0 ? `Tel: ${text} (home)` : text
      cells[place] += `${cells[place] === '' ? '' : between}${around}`
    }
    if (cells[3] === '') cells[3] = noPhone
    return [...cells, 'x', ...(before.length === 0 ? ['', '', ''] : before)].map(cell).join(',')
  })
  return ['Nom,Courriel,Chat,Téléphone,Note,contactId,MATCH,BY', ...lines, ''].join('\n')
}

const directories = howMany('PEOPLE', 4_500) / 500

const cases = Array.from({ length: directories }, (_, index) => {
  const seed = index + 1
  return [seed, seed % 2 === 0] as const
})

/** The verdicts that the random rows have had. */
const seen = new Set<string>()

test.each(cases)('random rows of seed %d, with a country: %s', async (seed, hasCountry) => {
  const country = hasCountry ? 'DE' : undefined
  const people = new RandomPeople(seed, hasCountry, 100 * (1 + (seed % 9)))
  const contacts = randomContacts(people, 500)
  const rows = Array.from({ length: atRandom(500) }, () => randomRow(people, contacts))
  const found = (await matched(csvOf(rows, people), contacts, country)).map(
    ({ match, contactId }) => (contactId === null ? match : `${match} ${contactId}`),
  )
  const wanted = rows.map((row) => expected(row, contacts))
  const wrong = found.flatMap((verdict, index) =>
    verdict === wanted[index] ? [] : [[rows[index], verdict, wanted[index]]],
  )
  expect(wrong).toEqual([])
  for (const verdict of wanted) seen.add(verdict.split(' ')[0] ?? '')
  figure('random people matched', contacts.length)
})

test('each verdict occurs in the random rows', () => {
  const all = 'one several conflict none unreadable empty variant differs no'
  expect(all.split(' ').filter((one) => !seen.has(one))).toEqual([])
})

/** Values that both have exactly. */
function sharedOf(one: RandomContact, other: RandomContact): Written[] {
  return one.values.filter((value) => other.values.some((each) => fitOf(value, each) === 'exact'))
}

/** Everybody who can be reached: the smallest number goes around until nothing moves. */
function groupsBy(contacts: readonly RandomContact[]): RandomContact[][] {
  const near = contacts.map((one) =>
    contacts.flatMap((other, index) => (sharedOf(one, other).length > 0 ? [index] : [])),
  )
  let group = contacts.map((_, index) => index)
  for (let before: number[] = []; before.join() !== group.join();) {
    before = group
    group = near.map((others, index) =>
      Math.min(before[index] ?? 0, ...others.map((other) => before[other] ?? 0)),
    )
  }
  const found = [...new Set(group)].map((number) =>
    contacts.filter((_, index) => group[index] === number),
  )
  return found.filter(({ length }) => length > 1)
}

function age({ createdAt = Infinity, contact }: RandomContact): string {
  return `${createdAt === Infinity ? 'z' : new Date(createdAt).toISOString()} ${contact.id}`
}

function expectedRows(contacts: readonly RandomContact[]): string[] {
  return groupsBy(contacts).flatMap((group) => {
    const [target, ...sources] = group.toSorted((one, other) =>
      age(one) < age(other) ? -1 : 1,
    ) as [RandomContact]
    return (sources as RandomContact[]).map((source) => {
      const shared = sharedOf(source, target)
      const count = ({ thing, form }: Written): number =>
        contacts.filter(({ values }) =>
          values.some((value) => value.thing === thing && value.form === form),
        ).length
      const most = Math.max(...shared.map(count))
      const warning = [
        ...(isContradiction(source.name, target.name) ? ['names differ'] : []),
        ...(most > 2 ? [`shared by ${most}`] : []),
        ...(shared.length === 0 ? ['only through'] : []),
      ]
      const things =
        shared.length === 0 ? 0 : new Set(shared.map(({ thing, form }) => `${thing} ${form}`)).size
      return `${source.contact.id} ${target.contact.id} ${things} ${warning.join(';')}`
    })
  })
}

function asText({ source, target, shared, warning }: Duplicate): string {
  const isDirect = !warning.some((words) => words.startsWith('only through'))
  // A value that two contacts share may be shared by many.
  const words = warning.map((text) => text.replace(/^(only through).*$/, '$1'))
  return `${source} ${target} ${isDirect ? shared.length : 0} ${words.filter((text) => isDirect || !text.startsWith('shared by')).join(';')}`
}

const seeds = Array.from({ length: directories }, (_, seed) => [seed + 1, seed % 2 === 0] as const)

test.each(seeds)(
  'duplicates of 500 contacts, seed %d, with a country: %s',
  async (seed, hasCountry) => {
    const people = new RandomPeople(seed + 100, hasCountry, 60 * (1 + (seed % 10)))
    const contacts = randomContacts(people, 500)
    const readValues = valueReader(hasCountry ? 'DE' : undefined)
    const rows: Duplicate[] = []
    for await (const row of findDuplicates(directoryOf(contacts), readValues, Infinity))
      rows.push(row)
    expect(rows.map(asText).toSorted()).toEqual(expectedRows(contacts).toSorted())
    expect(rows.length).toBeGreaterThan(10)
    figure('random people compared', contacts.length)
    // The contacts of a row are of one group, and no contact of two.
    for (const { source, target, group } of rows) {
      const groups = rows.filter((row) =>
        [row.source, row.target].some((id) => id === source || id === target),
      )
      expect(new Set(groups.map((row) => row.group))).toEqual(new Set([group]))
    }
  },
)

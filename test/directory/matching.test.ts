/** `contacts match` and `contacts duplicates` of random people, against what a table of how things are written says. */
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { Duplicates } from '../../src/directory/duplicates.ts'
import { kinds } from '../../src/directory/identity.ts'
import { Matching } from '../../src/directory/matching.ts'
import { phoneReader } from '../../src/directory/phone.ts'
import { readDirectory } from '../../src/directory/reading.ts'
import type { Duplicate } from '../../src/resources/duplicate.ts'
import { atRandom } from '../figures/figure.ts'
import {
  directoryOf,
  fitOf,
  randomContacts,
  RandomPeople,
  type RandomContact,
  type RandomName,
  type Written,
} from './random-people.ts'

type Accept = ('differs' | 'variant')[]

interface RandomRow {
  readonly name: RandomName
  readonly values: readonly Written[]
}

function isDisjoint(one: RandomName, other: RandomName): boolean {
  return one.words.length > 0 && other.words.length > 0 && !one.words.some((word) => other.words.includes(word))
}

/** What the words of the surface say, contact by contact. */
function expected({ name, values }: RandomRow, contacts: readonly RandomContact[], accept: Accept): string {
  if (values.length === 0) return 'empty'
  const fitsOf = (value: Written) =>
    contacts.map(({ values: stored }) => {
      const fits = stored.map((other) => fitOf(value, other))
      return fits.includes('exact') ? 'exact' : fits.includes('variant') ? 'variant' : 'none'
    })
  const all = values
    .map(fitsOf)
    .map((fits) => (fits.includes('exact') ? fits.map((fit) => (fit === 'exact' ? fit : 'none')) : fits))
  const known = all.filter((fits) => fits.some((fit) => fit !== 'none'))
  if (known.length === 0) return 'none'
  const fitting = contacts.filter((_, index) => known.every((fits) => fits[index] !== 'none'))
  if (fitting.length === 0) return 'conflict'
  if (fitting.length > 1) return 'several'
  const [only] = fitting as [RandomContact]
  const isExact = known.some((fits) => fits[contacts.indexOf(only)] === 'exact')
  if (!isExact && !accept.includes('variant')) return 'variant'
  if (isDisjoint(name, only.name) && !accept.includes('differs')) return 'differs'
  return `one ${only.contact.id}`
}

/** Some rows are of one contact, most of whoever has these values. */
function randomRow(people: RandomPeople, contacts: readonly RandomContact[]): RandomRow {
  const one = contacts[people.below(contacts.length)]
  if (people.below(2) === 0 && one !== undefined) {
    const values = one.values.filter(() => people.below(3) > 0)
    return { name: people.below(3) === 0 ? people.name() : one.name, values }
  }
  return { name: people.name(), values: Array.from({ length: people.below(4) }, () => people.value()) }
}

const column = (key: Written['key']): number => (key === 'email' ? 1 : key === 'messengerB_username' ? 2 : 3)

function csvOf(rows: readonly RandomRow[]): string {
  const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`
  const lines = rows.map(({ name, values }) => {
    const cells = [name.text, '', '', '']
    for (const { key, text } of values) cells[column(key)] += `${cells[column(key)] === '' ? '' : ';'}${text}`
    return [...cells, 'x'].map(cell).join(',')
  })
  return ['Nom,Courriel,Chat,Téléphone,Note', ...lines, ''].join('\n')
}

const cases = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((seed) => {
  const accept: Accept = [
    ...(seed % 3 === 0 ? (['variant'] as const) : []),
    ...(seed % 4 === 0 ? (['differs'] as const) : []),
  ]
  return [seed, seed % 2 === 0, accept] as const
})

describe('random rows', () => {
  test.each(cases)('seed %d, with a country: %s, accepting %j', async (seed, hasCountry, accept) => {
    const readPhone = await phoneReader(hasCountry ? 'DE' : undefined)
    const people = new RandomPeople(seed, hasCountry, 25 * seed)
    const contacts = randomContacts(people, 100)
    const rows = Array.from({ length: atRandom(400) }, () => randomRow(people, contacts))
    const input = { kind: 'stdin', stream: Readable.from([Buffer.from(csvOf(rows))]), isTerminal: false } as const
    const { signal } = new AbortController()
    const options = { messengerColumn: ['Chat=messengerB_username'], signal, accept }
    const matching = await Matching.of(input, options, readPhone)
    await matching.read(directoryOf(contacts))
    const found = [...matching.matches()].map(({ match, contactId }) =>
      contactId === null ? match : `${match} ${contactId}`,
    )
    const wanted = rows.map((row) => expected(row, contacts, accept))
    const wrong = found.flatMap((verdict, index) =>
      verdict === wanted[index] ? [] : [[rows[index], verdict, wanted[index]]],
    )
    expect(wrong).toEqual([])
    // Each of them occurs.
    const seen = new Set(wanted.map((verdict) => verdict.split(' ')[0]))
    const never = ['one', 'several', 'conflict', 'none', 'empty', 'variant', 'differs'].filter((one) => !seen.has(one))
    expect(never.filter((one) => !(accept as string[]).includes(one))).toEqual([])
  })
})

test('of several candidates one without a name is called by its id', async () => {
  const people = ['Anna', ''].map((firstName, n) => ({
    contact: { id: `${n}`.repeat(24), firstName, identities: { email: ['a@example.org'] } },
    ...{ name: { text: firstName, words: [] }, values: [], createdAt: undefined },
  }))
  const stream = Readable.from([Buffer.from('Email\na@example.org\n')])
  const { signal } = new AbortController()
  const matching = await Matching.of(
    { kind: 'stdin', stream, isTerminal: false },
    { messengerColumn: [], signal },
    await phoneReader(undefined),
  )
  await matching.read(directoryOf(people))
  expect([...matching.matches()]).toMatchObject([{ match: 'several', name: `Anna; ${'1'.repeat(24)}` }])
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
    group = near.map((others, index) => Math.min(before[index] ?? 0, ...others.map((other) => before[other] ?? 0)))
  }
  const found = [...new Set(group)].map((number) => contacts.filter((_, index) => group[index] === number))
  return found.filter(({ length }) => length > 1)
}

function age({ createdAt = Infinity, contact }: RandomContact): string {
  return `${createdAt === Infinity ? 'z' : new Date(createdAt).toISOString()} ${contact.id}`
}

function expectedRows(contacts: readonly RandomContact[]): string[] {
  return groupsBy(contacts).flatMap((group) => {
    const [target, ...sources] = group.toSorted((one, other) => (age(one) < age(other) ? -1 : 1)) as [RandomContact]
    return (sources as RandomContact[]).map((source) => {
      const shared = sharedOf(source, target)
      const count = ({ thing, form }: Written): number =>
        contacts.filter(({ values }) => values.some((value) => value.thing === thing && value.form === form)).length
      const most = Math.max(...shared.map(count))
      const warning = [
        ...(isDisjoint(source.name, target.name) ? ['names differ'] : []),
        ...(most > 2 ? [`shared by ${most}`] : []),
        ...(shared.length === 0 ? ['only through'] : []),
      ]
      const things = shared.length === 0 ? 0 : new Set(shared.map(({ thing, form }) => `${thing} ${form}`)).size
      return `${source.contact.id} ${target.contact.id} ${things} ${warning.join(';')}`
    })
  })
}

function asText({ source, target, shared, warning }: Duplicate): string {
  const isDirect = !warning.some((words) => words.startsWith('only through'))
  // What is shared with somebody else may be shared by many too.
  const words = warning.map((text) => text.replace(/^(only through).*$/, '$1'))
  return `${source} ${target} ${isDirect ? shared.length : 0} ${words.filter((text) => isDirect || !text.startsWith('shared by')).join(';')}`
}

const seeds = Array.from({ length: 10 }, (_, seed) => [seed + 1, seed % 2 === 0] as const)

test.each(seeds)('duplicates of 500 contacts, seed %d, with a country: %s', async (seed, hasCountry) => {
  const people = new RandomPeople(seed + 100, hasCountry, 60 * seed)
  const contacts = randomContacts(people, 500)
  const duplicates = new Duplicates(await phoneReader(hasCountry ? 'DE' : undefined), kinds)
  await readDirectory(directoryOf(contacts), duplicates.visit)
  const rows = [...duplicates.rows()]
  duplicates.close()
  expect(rows.map(asText).toSorted()).toEqual(expectedRows(contacts).toSorted())
  expect(rows.length).toBeGreaterThan(10)
  // The contacts of a row are of one group, and no contact of two.
  for (const { source, target, group } of rows) {
    const groups = rows.filter((row) => [row.source, row.target].some((id) => id === source || id === target))
    expect(new Set(groups.map((row) => row.group))).toEqual(new Set([group]))
  }
})

/** Rows of few values that collide, judged by a second, plain implementation of the rules. */
import { expect, test } from 'vitest'
import type { FoundContact } from '../../src/api/contacts.ts'
import { matchPeople } from '../../src/people/match.ts'
import { readPeopleTable } from '../../src/people/people-table.ts'
import { amount } from '../support/amount.ts'
import { Dice } from '../support/dice.ts'
import { hostOf, idOf } from '../support/inputs.ts'

interface Person {
  name: string
  phones: string[]
  emails: string[]
}

const contactOf = ({ name, phones, emails }: Person, n: number): FoundContact => {
  const [firstName = '', ...rest] = name.split(' ')
  const identities = { phone: phones, email: emails }
  return { id: idOf(n), firstName, lastName: rest.join(' '), identities, lists: [] }
}

async function matched(cells: readonly string[][], contacts: readonly FoundContact[]) {
  // A row without any cell would be no row.
  const lines = cells.map((row) =>
    ['x', ...row].map((cell) => `"${cell.replaceAll('"', '""')}"`).join(),
  )
  const content = ['Source,Name,Phone,Email,contactId,MATCH', ...lines, ''].join('\n')
  const options = { country: 'DE', sheet: undefined, note: () => undefined, hide: String }
  const table = await readPeopleTable(hostOf(content), '-', options)
  const byId = new Map(contacts.map((contact) => [contact.id, contact]))
  const people = { all: contacts, find: (id: string) => byId.get(id), place: '', extent: '' }
  return matchPeople(table, people).matches
}

/** Words of names, numbers of which some end alike, and addresses. */
const words = ['anna', 'berg', 'ben', 'eve']
const numbers = ['491712345678', '431712345678', '491712345679', '15551000025', '4930123456']
const addresses = ['a@x.de', 'b@x.de', 'info@x.de']

/** Whether names agree: undefined if one says nothing. */
function plainlyAgree(one: string, other: string) {
  const [short = [], long = []] = [one, other]
    .map((name) => name.split(' ').filter(Boolean))
    .toSorted((a, b) => a.length - b.length)
  if (short.length === 0) return undefined
  for (const word of new Set(short))
    if (short.filter((each) => each === word).length > long.filter((each) => each === word).length)
      return false
  return short.length === 1 && long.length > 1 ? undefined : true
}

interface PlainRow {
  name: string
  phones: string[]
  emails: string[]
  isMasked: boolean
  decided: number | undefined
  before: string
}

/** The verdicts by the rules as the page has them, without regard to speed. */
function judge(rows: readonly PlainRow[], people: readonly Person[]) {
  const all = people.map((_, n) => n)
  const first = rows.map(({ name, phones, emails, isMasked, decided, before }) => {
    const isOwn = decided !== undefined && before === 'one'
    if (decided !== undefined && !isOwn) return { verdict: 'decided', contact: decided }
    const values = isMasked ? [...emails] : [...phones, ...emails]
    const owners = [...new Set(values)].map((value) => {
      const exact = all.filter((n) =>
        [...(people[n]?.phones ?? []), ...(people[n]?.emails ?? [])].includes(value),
      )
      const near = all.filter((n) =>
        people[n]?.phones.some(
          (phone) => phones.includes(value) && phone.slice(-8) === value.slice(-8),
        ),
      )
      return { exact, some: exact.length > 0 ? exact : near }
    })
    const known = owners.filter(({ some }) => some.length > 0)
    const any = all.filter((n) => known.some(({ some }) => some.includes(n)))
    const having = any.filter((n) => known.every(({ some }) => some.includes(n)))
    const fitting = having.length === 1 ? having : any
    if (fitting.length > 1) return { verdict: isOwn ? 'check' : 'several' }
    const [contact] = fitting
    if (contact === undefined)
      return { verdict: isMasked || values.length === 0 || isOwn ? 'check' : 'none' }
    const agree = plainlyAgree(name, people[contact]?.name ?? '')
    const isAgainst =
      isMasked ||
      known.some(({ exact }) => exact.length === 0) ||
      agree === false ||
      (agree !== true && known.length < owners.length) ||
      (isOwn && decided !== contact)
    return { verdict: isAgainst ? 'check' : 'one', contact }
  })
  return first.map(({ verdict, contact }) => {
    if (verdict !== 'one') return verdict
    const group = rows.filter(
      (_, n) =>
        first[n]?.contact === contact && ['one', 'decided'].includes(first[n]?.verdict ?? ''),
    )
    const isSame = (one: PlainRow, other: PlainRow) => {
      const counts = [one, other].map(({ name }) => name.split(' ').filter(Boolean).length)
      const valuesIn = ({ phones, emails, isMasked }: PlainRow) =>
        [...new Set([...(isMasked ? [] : phones), ...emails])].toSorted().join()
      if (counts.every((count) => count >= 2)) return plainlyAgree(one.name, other.name) === true
      return counts.every((count) => count === 0) && valuesIn(one) === valuesIn(other)
    }
    const isOnePerson = group.every((one, n) =>
      group.slice(n + 1).every((other) => isSame(one, other)),
    )
    return isOnePerson ? verdict : 'check'
  })
}

test('rows of values that collide: the same verdicts as by a plain reading of the rules', async () => {
  const dice = new Dice(5)
  const some = <T>(all: readonly T[], counts: readonly number[]) =>
    Array.from({ length: dice.pick(counts) }, () => dice.pick(all))
  const seen = new Map<string, number>()
  for (let round = 0; round < amount(250); round += 1) {
    const people = Array.from({ length: 4 }, (): Person => {
      const name = some(words, [1, 2, 2, 3]).join(' ')
      return { name, phones: some(numbers, [0, 1, 1, 2]), emails: some(addresses, [0, 1]) }
    })
    const rows = Array.from({ length: 4 }, (): PlainRow => {
      const decided = dice.isLucky(0.25) ? dice.below(4) : undefined
      const name = some(words, [0, 1, 2, 2, 3]).join(' ')
      const before = dice.pick(['one', 'check', ''])
      const [phones, emails] = [some(numbers, [0, 1, 1, 2]), some(addresses, [0, 1, 1])]
      return { name, phones, emails, isMasked: dice.isLucky(0.1), decided, before }
    })
    const cells = rows.map(({ name, phones, emails, isMasked, decided, before }) => [
      name,
      phones.map((each) => `+${each}`).join('; ') + (isMasked ? ' / +49 171***' : ''),
      emails.join(),
      decided === undefined ? '' : idOf(decided),
      before,
    ])
    const contacts = people.map((person, n) =>
      contactOf({ ...person, phones: person.phones.map((each) => `+${each}`) }, n),
    )
    const verdicts = (await matched(cells, contacts)).map(({ match }) => match)
    expect([cells, people, verdicts]).toEqual([cells, people, judge(rows, people)])
    for (const verdict of verdicts) seen.set(verdict, (seen.get(verdict) ?? 0) + 1)
  }
  for (const verdict of ['one', 'check', 'several', 'none', 'decided'])
    expect(seen.get(verdict)).toBeGreaterThan(amount(20))
})

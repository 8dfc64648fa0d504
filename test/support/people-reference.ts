/** Tables of people by chance, and what a person would find in them: each row is compared with each contact, one after the other. */
import type { FoundContact } from '../../src/api/people.ts'
import type { ContactMatch } from '../../src/people/match.ts'
import type { Dice } from './dice.ts'
import { idOf } from './inputs.ts'

/** A row of a table: its values are numbers in E.164 and addresses. */
export interface RandomRow {
  name: string
  phone: string
  email: string
  decided: string
}

/** Contacts and rows from so small a stock of names, numbers and addresses that many share them. */
export function randomPeople(dice: Dice, contactCount: number, rowCount: number) {
  const stock = Math.max(4, Math.floor(contactCount * 0.8))
  const name = () =>
    dice.pick([
      '',
      ...['Anna', 'Ben', 'Carl'].map((first) => `${first} ${dice.pick(['Berg', 'Kuhn'])}`),
    ])
  // Numbers of two countries that have the same last eight digits fit nearly.
  const phone = () => `${dice.pick(['+49171', '+43171'])}${2_000_000 + dice.below(stock)}`
  const email = () => `p${dice.below(stock)}@example.org`
  const some = (make: () => string) => (dice.isLucky(0.7) ? [make()] : [])
  const contacts = Array.from({ length: contactCount }, (_, n): FoundContact => {
    const [firstName, lastName] = name().split(' ')
    const identities = { phone: [...some(phone), ...some(phone)], email: some(email) }
    return { id: idOf(n), firstName, lastName, identities, lists: [] }
  })
  const rows = Array.from({ length: rowCount }, (): RandomRow => ({
    name: name(),
    phone: some(phone).join(),
    email: some(email).join(),
    decided: dice.pick(['', '', '', '-', idOf(dice.below(contactCount)), idOf(contactCount)]),
  }))
  return { contacts, rows }
}

/** The part of a value by which it fits nearly. */
const endOf = (value: string) => (value.startsWith('+') ? value.slice(-8) : value)

/** What is known of a contact. */
export function knownOf({ id, firstName, lastName, identities }: FoundContact) {
  const values = [...(identities?.phone ?? []), ...(identities?.email ?? [])]
  return { id, name: [firstName, lastName].join(' ').trim(), values, ends: values.map(endOf) }
}

const agree = (one: string, other: string) => one === '' || other === '' || one === other
/** The verdict on a row, and what is in its contactId then. */
export function verdictOf(
  { name, phone, email, decided }: RandomRow,
  contacts: readonly ReturnType<typeof knownOf>[],
): Pick<ContactMatch, 'match' | 'contactId'> {
  const values = [phone, email].filter((value) => value !== '')
  const owned = values.flatMap((value) => {
    const exact = contacts.filter((contact) => contact.values.includes(value))
    const near = contacts.filter(({ ends }) => ends.includes(endOf(value)))
    if (exact.length > 0) return [{ people: exact, isExact: true }]
    return near.length > 0 ? [{ people: near, isExact: false }] : []
  })
  const everybody = [...new Set(owned.flatMap(({ people }) => people))]
  const countOf = (contact: (typeof everybody)[number]) =>
    owned.filter(({ people }) => people.includes(contact)).length
  const most = everybody.map(countOf).reduce((one, other) => Math.max(one, other), 0)
  const best = everybody.filter((contact) => countOf(contact) === most)
  const [first] = best
  const contactId = decided === '' ? null : decided

  const isChosen = decided !== '' && decided !== '-'
  const chosen = contacts.find(({ id }) => id === decided)
  const isOtherName = chosen !== undefined && !agree(name, chosen.name)
  const hasBetter = everybody.some((each) => each !== chosen && agree(name, each.name))
  const fits = chosen !== undefined && best.includes(chosen)
  const differs = owned.length === 0 ? isOtherName : !fits || (isOtherName && hasBetter)
  if (isChosen && differs) return { match: 'differs', contactId }

  if (first === undefined) return { match: values.length === 0 ? 'unreadable' : 'none', contactId }
  if (best.length > 1) return { match: 'several', contactId }
  const isSure =
    owned.every(({ people, isExact }) => isExact && people.includes(first)) &&
    agree(name, first.name)
  if (!isSure) return { match: 'check', contactId }
  return { match: 'one', contactId: contactId ?? first.id }
}

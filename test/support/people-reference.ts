/** Tables of people by chance, and what a person would find in them: each row is compared with each contact, one after the other. */
import type { FoundContact } from '../../src/api/people.ts'
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

/** The verdict on a row, and what is in its contactId then. */
export function verdictOf(
  { name, phone, email, decided }: RandomRow,
  contacts: readonly ReturnType<typeof knownOf>[],
) {
  if (decided !== '') return { match: 'decided', contactId: decided }
  const values = [phone, email].filter((value) => value !== '')
  const owned = values.map((value) => {
    const exact = contacts.filter((contact) => contact.values.includes(value))
    const near = contacts.filter(({ ends }) => ends.includes(endOf(value)))
    return { people: exact.length > 0 ? exact : near, isExact: exact.length > 0 }
  })
  const known = owned.filter(({ people }) => people.length > 0)
  const everybody = [...new Set(known.flatMap(({ people }) => people))]
  const best = everybody.filter((each) => known.every(({ people }) => people.includes(each)))
  const [only, ...others] = best.length === 1 ? best : everybody
  if (others.length > 0) return { match: 'several', contactId: '' }
  if (only === undefined) return { match: values.length === 0 ? 'check' : 'none', contactId: '' }
  const isAbsent = name === '' || only.name === ''
  const isSure =
    known.every(({ isExact }) => isExact) &&
    (isAbsent ? known.length === values.length : name === only.name)
  return isSure ? { match: 'one', contactId: only.id } : { match: 'check', contactId: '' }
}

/** Rows that are made of the people whom they are about. `SVC_TEST_TIMES=5` makes 20,000. */
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
    ['1', ...row].map((cell) => `"${cell.replaceAll('"', '""')}"`).join(),
  )
  const content = ['Source,Name,Phone,Email', ...lines, ''].join('\n')
  const options = { country: 'DE', note: () => undefined, hide: String }
  const table = await readPeopleTable(hostOf(content), { path: '-' }, options)
  const byId = new Map(contacts.map((contact) => [contact.id, contact]))
  const people = { all: contacts, find: (id: string) => byId.get(id), extent: '' }
  return matchPeople(table, people).matches
}

const firstNames = 'Anna Ben Zoë Jürgen Łukasz André Mehmet Søren Ximena Olga Björn Chloé'.split(
  ' ',
)
const lastNames = 'Schmidt Müller Wójcik Öztürk Nordström Souza Haddad Meyer Berg Keller'.split(' ')

/** Half of the people are contacts. A name can occur several times, a value only once. */
function worldOf(dice: Dice) {
  const all = Array.from({ length: 800 }, (_, n): Person => {
    const middle = dice.isLucky(0.2) ? `${dice.pick(firstNames)} ` : ''
    const name = `${dice.pick(firstNames)} ${middle}${dice.pick(lastNames)}`
    const digits = `${1_000_000 + n * 7919}`
    const phones = [dice.pick([`+49171${digits}`, `+1555${digits}`, `+336${digits}0`])]
    const emails = [`person${n}@${dice.pick(['example.com', 'example.org'])}`]
    return {
      name,
      phones: dice.isLucky(0.8) ? phones : [],
      emails: phones.length > 0 && dice.isLucky(0.3) ? [] : emails,
    }
  })
  return all.filter(({ phones, emails }) => phones.length + emails.length > 0)
}

function written(dice: Dice, phone: string) {
  const spaced = phone.replace(/(\d{3})(?=\d{3})/g, `$1${dice.pick([' ', '-', '', '/'])}`)
  const local = phone.replace('+49', '0')
  const forms = [phone.replace('+', '00'), phone.replace('+', '＋'), `${phone}.0`]
  return dice.pick([phone, spaced, local, ...forms])
}

const plain = (name: string) =>
  name
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .replaceAll('ł', 'l')
    .replaceAll('Ł', 'L')
    .replaceAll('ø', 'o')

/** Returns a name as somebody writes it: never that of somebody else. */
function spelled(dice: Dice, name: string) {
  const words = name.split(' ')
  const turned = `${words.at(-1)}, ${words.slice(0, -1).join(' ')}`
  const [first = '', last = ''] = [words[0], words.at(-1)]
  const whole = [name, name.toUpperCase(), turned, plain(name), `Dr. ${name}`]
  return dice.pick([...whole, first, last, '', '-'])
}

test('rows about known people: nobody is confused, and nobody is missed', async () => {
  const dice = new Dice(137)
  const wrong: string[] = []
  let ones = 0
  for (let round = 0; round < amount(20); round += 1) {
    const world = worldOf(dice)
    const present = world.filter((_, n) => n % 2 === 0)
    const contacts = present.map(contactOf)
    const about = Array.from({ length: 200 }, () => dice.pick(world))
    const rows = about.map((person) => {
      const last = person.name.split(' ').at(-1) ?? ''
      // Of two people of one name, only a person can tell which one a row is about.
      const other = dice.pick(world.filter((each) => !each.name.endsWith(last)))
      const name = spelled(dice, person.name)
      const phone = person.phones.map((each) => written(dice, each)).join()
      const email = person.emails
        .map((each) => (dice.isLucky(0.3) ? each.toUpperCase() : each))
        .join()
      const unknown = `+4930${dice.below(9_000_000) + 1_000_000}9`
      return dice.pick([
        [name, phone, email],
        [name, phone, ''],
        [name, '', email],
        // A second number that nobody has, and one that was mistyped or masked.
        [name, `${phone};${unknown}`, email],
        [name, `${phone.slice(0, -1)}*`, email],
        // Somebody else of the household, with a full name, or half of one and an own number.
        [`Quentin ${last}`, phone, email],
        [last, unknown, email],
        // The values of two people.
        [name, phone, phone === '' ? '' : other.emails.join()],
      ])
    })
    const matches = await matched(rows, contacts)
    const taken = new Map<string, string>()
    for (const { row: line, match, contactId } of matches) {
      const at = line - 2
      const person = about[at]
      const [name = '', phone = '', email = ''] = rows[at] ?? []
      const isKnown = person !== undefined && present.includes(person)
      const its = person === undefined ? '' : idOf(present.indexOf(person))
      const isOther = name.startsWith('Quentin')
      if (match === 'one' && (contactId !== its || isOther)) wrong.push(`one: ${rows[at]?.join()}`)
      const isThere =
        isKnown && (phone !== '' || person.emails.join().toLowerCase() === email.toLowerCase())
      if (match === 'none' && isThere && phone + email !== '' && !phone.startsWith('+4930'))
        wrong.push(`none: ${rows[at]?.join()}`)
      if (match !== 'one') continue
      ones += 1
      const before = taken.get(contactId)
      if (before !== undefined && before !== person?.name) wrong.push(`twice: ${contactId}`)
      taken.set(contactId, person?.name ?? '')
    }
  }
  expect(wrong).toEqual([])
  expect(ones).toBeGreaterThan(amount(400))
})

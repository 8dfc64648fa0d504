/** Tables of people as offices keep them: columns in any order, also of other people, and values written in many ways. */
import type { FoundContact } from '../../src/api/people.ts'
import type { Dice } from './dice.ts'
import { idOf } from './inputs.ts'

/** A number of a contact: its calling code, and the national digits without a zero before them. */
interface Known {
  code: string
  national: string
  email: string
  name: string
}

const firstNames = ['Anna', 'Ben', 'Carla', 'Dmitri', 'Éva', 'Jürgen', 'Noor', '王']
const lastNames = ['Berg', 'Kuhn', 'Müller', 'Souza', 'Nagy', 'Haddad', '小明']

function knownOf(dice: Dice, n: number): Known {
  const digits = (count: number) =>
    Array.from({ length: count }, () => String(dice.below(10))).join('')
  const [code, area, rest] = dice.pick([
    ['49', '171', 7],
    ['49', '30', 7],
    ['49', '8151', 5],
    ['43', '664', 7],
    ['55', '119', 8],
    ['1', '212', 7],
  ] as const)
  return {
    code,
    national: area + String(1 + dice.below(9)) + digits(rest - 1),
    email: `p${n}.${dice.pick(['x', 'büro', 'o-k'])}@${dice.pick(['example.org', 'münchen.example'])}`,
    name: `${dice.pick(firstNames)} ${dice.pick(lastNames)}`,
  }
}

/** A number as people and programs write it. `isHome`: national forms are understood. */
function writtenNumber({ code, national }: Known, isHome: boolean, dice: Dice): string {
  const groups = (digits: string) => digits.replace(/(\d{3})(?=\d{3})/g, '$1 ')
  const international = [
    `+${code}${national}`,
    `+${code} ${groups(national)}`,
    `00${code} ${national.slice(0, 3)}-${national.slice(3)}`,
    `+${code} (${national.slice(0, 3)}) ${national.slice(3)}`,
    `(+${code}) ${national.slice(0, 3)}/${national.slice(3)}`,
    `${code}${national}.0`,
    `<+${code}-${national}>`,
  ]
  const atHome = [`0${national}`, `0${national.slice(0, 3)}/${groups(national.slice(3))}`]
  const plain = dice.pick(isHome ? [...international, ...atHome, ...atHome] : international)
  const fullWidth = plain.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)))
  return dice.pick([
    ...Array.from({ length: 8 }, () => plain),
    ...[fullWidth, `Tel.: ${plain}`, `mobil ${plain}`, `T: ${plain}`, `☎ ${plain}`],
    ...[`${plain} (9-17 Uhr)`, `${plain} privat`, `${plain}¹`, `${plain} 2`, `${plain} (2)`],
    ...[`1. ${plain}`, `${plain}; +1 212 5550100`, `+1 212 5550100 / ${plain}`],
    ...[`${plain}\n+1 212 5550100`, `${plain.slice(0, -2)}…`, `${plain.slice(0, -2)}XX`],
    ...[`${plain.slice(0, -3)}***`, `${plain.slice(0, -2)}..`, `${plain}${' '.repeat(190)}x`],
  ])
}

function writtenAddress({ email, name }: Known, dice: Dice): string {
  const usual = dice.pick([email, email.toUpperCase(), `${name} <${email}>`, `mailto:${email}`])
  return dice.pick([
    ...[usual, usual, usual, usual.replace('@', '\u200b@'), `${usual}, other@example.net`],
    ...[`${usual}..`, usual.replace(/.@/, '¹@'), `(${usual})`],
  ])
}

/** A row, and the contact whose values it has; undefined for nobody. */
interface WrittenRow {
  cells: string[]
  owner: FoundContact | undefined
}

/** Makes contacts and a table with some of their values. Each row has values of one person at most. */
export function writtenTable(dice: Dice, rowCount: number) {
  const known = Array.from({ length: 30 }, (_, n) => knownOf(dice, n))
  const contacts = known.map(({ code, national, email, name }, n): FoundContact => {
    const [firstName, lastName] = name.split(' ')
    const phone = [`+${code}${national}`]
    return { id: idOf(n), firstName, lastName, identities: { phone, email: [email] }, lists: [] }
  })
  const country = dice.pick(['DE', undefined])
  const rows = Array.from({ length: rowCount }, (): WrittenRow => {
    const n = dice.below(40)
    const person = known[n] ?? knownOf(dice, 1000 + n)
    const way = dice.below(3)
    return {
      cells: [
        dice.isLucky(0.2) ? '' : dice.pick([person.name, dice.pick(known).name]),
        way === 0 ? '' : writtenNumber(person, person.code === '49' && country === 'DE', dice),
        way === 1 ? '' : writtenAddress(person, dice),
        // What nobody reads: somebody else's number and address, notes.
        `+${dice.pick(known).code}${dice.pick(known).national}`,
        dice.pick(known).email,
        dice.pick(['', 'x', 'VIP since 01.03.2026', 'Hauptstr. 12, 10115 Berlin']),
      ],
      owner: contacts[n],
    }
  })
  const phone = dice.pick(['Phone', 'MOBILE', 'Telefon (privat)', '電話番号'])
  const headings = [
    dice.pick(['Name', 'first name', 'LAST_NAME']),
    phone,
    dice.pick(['E-Mail', 'mail', 'e.mail']),
    ...['Owner Phone', 'Company email', 'Notes'],
  ]
  const order = headings.map((_, n) => n).sort(() => dice.random() - 0.5)
  const lines = [headings, ...rows.map(({ cells }) => cells)]
  const quote = (cell = '') => `"${cell.replaceAll('"', '""')}"`
  const delimiter = dice.pick([',', ';', '\t', '|'])
  const csv = lines
    .map((cells) => `${order.map((at) => quote(cells[at])).join(delimiter)}\n`)
    .join('')
  return { contacts, rows, csv, country, phone: [phone] }
}

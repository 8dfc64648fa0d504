/** Hard cases of a sandbox: names that attack or are hard to type, people hard to tell apart. */
import type { Company } from '../../src/sandbox/company.ts'
import { hour, idOf } from '../../src/sandbox/company.ts'

const esc = '\u001b'

/** Lists by their position, the oldest first: names that are hard to type, and to tell apart. */
const hostileLists: Readonly<Record<number, { name: string; description: string | undefined }>> = {
  40: { name: '-VIP', description: 'Begins like an option' },
  41: { name: 'vip', description: 'Another letter case is another name' },
  42: { name: 'Café', description: 'Composed' },
  43: { name: 'Cafe\u0301', description: 'Decomposed: looks like the other one' },
  44: { name: '640000000000000000000abc', description: 'A name that looks like an id' },
  45: { name: '=1+1', description: "=cmd|' /C calc'!A0" },
  46: { name: `${esc}]0;owned\u0007Red ${esc}[31mlist`, description: 'two\nlines\u202e and more' },
  47: { name: '👩‍👩‍👧‍👦'.repeat(14), description: 'd'.repeat(1000) },
  48: { name: '顧客リスト', description: '' },
  49: { name: 'العملاء المميزون', description: undefined },
  250: {
    name: '"double" \'single\' $(touch pwned): colon',
    description: '`touch pwned`; rm -rf ~',
  },
}

/** People at the trade fair by their positions, twice or alike, with values of other countries. */
const hardPeople: Readonly<Record<number, string>> = {
  4979: 'Jo|Keller|messengerB_username=@jo_keller; messengerB_user_id=4711001',
  4980: 'Johanna|Keller|messengerB_user_id=4711001; email=johanna.keller@example.org',
  4981: 'Ayşe|Yılmaz|phone=+49 30 5556677',
  4982: 'Mehmet|Yılmaz|phone=+49 30 5556677',
  4983: 'Łukasz|Wójcik|phone=+49 30 5556677; email=lukasz.wojcik@example.org',
  4984: 'Zoë|Nordström|phone=+49 30 5556677',
  4985: 'Reception||phone=+49 30 5556677',
  4987: 'Joao|Souza|messengerC_phone=+55 11 1234-5678',
  4989: 'Sofia|Nunez|messengerC_phone=+54 11 2345-6789',
  4990: 'José|Hernández|phone=+52 1 55 1234 5678',
  4991: 'Jose|Hernandez|messengerC_phone=+52 55 1234 5678',
  4992: 'Jürgen|Müller|phone=0171 9876543; email=juergen.mueller@example.org',
  4993: "Siân|O'Neill|phone=(020) 7946 0018",
  4994: 'Dana|Extension|phone=+1 555 200 0199 ext. 5',
  4995: 'Ольга|Иванова|phone=8 (912) 345-67-89',
  4996: '花子|山田|phone=０９０−１２３４−５６７８',
  4997: 'محمد|الأحمد|phone=+٩٧١ ٥٠ ١٢٣ ٤٥٦٧',
}

const emptyTicket = idOf('ticket', 12)

/** Puts hard cases into a new sandbox. All ids stay what they were. */
export function putHostileData(company: Company) {
  const { contacts, employees, tickets } = company
  putLists(company)
  putPeople(company)
  Object.assign(employees[5] ?? {}, { firstName: `Mallory${esc}[31m`, lastName: 'Override\u202e' })
  Object.assign(existing(tickets.get(emptyTicket)), { messages: () => [] })
  sort(contacts)
}

function existing<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the sandbox lacks something that tests change')
  return value
}

/** Sorts things by their ids, as if they had all been made in order. */
function sort(things: Map<string, unknown>): void {
  const all = [...things].toSorted(([one], [other]) => (one < other ? -1 : 1))
  things.clear()
  for (const [id, thing] of all) things.set(id, thing)
}

function putLists({ contacts, lists }: Company): void {
  const ids = [...contacts.keys()]
  const vip = existing([...lists.values()].find(({ name }) => name === 'VIP'))
  for (const [key, words] of Object.entries(hostileLists)) {
    const position = Number(key)
    const age = (position - 160) * 7 * hour
    const createdAt = new Date(Date.parse(vip.createdAt) + age).toISOString()
    const members = ids.slice(position, position + 5 + (position % 10) * 3)
    const rows = members.map((member, n): [string, { id: string; createdAt: string }] => [
      member,
      { id: idOf('membership', 9000 + n), createdAt },
    ])
    const id = idOf('list', position)
    lists.set(id, { ...words, id, createdAt, updatedAt: createdAt, members: new Map(rows) })
  }
  sort(lists)
}

/** Adds the people to the trade fair, and its last one to many lists. */
function putPeople({ contacts, chats, lists }: Company): void {
  const [usual] = contacts.values()
  const fair = existing([...lists.values()].find(({ name }) => name === 'Trade fair'))
  const noor = existing([...fair.members.keys()].at(-1))
  const joined = existing(fair.members.get(noor))
  for (const [position, line] of Object.entries(hardPeople)) {
    const [firstName = '', lastName = '', values = ''] = line.split('|')
    const id = idOf('contact', Number(position))
    const none = Object.keys(existing(usual).identities).map((key) => [key, []])
    const own = values.split('; ').map((pair) => pair.split('='))
    const pairs = [...none, ...own.map(([key = '', value = '']) => [key, [value]])]
    const identities = Object.fromEntries(pairs) as Record<string, string[]>
    contacts.set(id, { ...existing(usual), id, firstName, lastName, identities })
    if (Number(position) % 3 === 1) chats.add(id)
    fair.members.set(id, { ...joined, id: idOf('membership', Number(position)) })
  }
  sort(fair.members)
  for (const { name, members } of lists.values())
    if (name.startsWith('Campaign 28')) members.set(noor, joined)
}

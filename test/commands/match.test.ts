/** `svc contacts match …` and `svc contacts duplicates …`: from tables of people to contacts, and contacts that look alike. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { meaningOf } from '../../src/directory/headings.ts'
import type { ContactMatch } from '../../src/resources/contact-match.ts'
import type { Duplicate } from '../../src/resources/duplicate.ts'
import { rowsOf, workbook } from '../ids/workbooks.ts'
import { textsOf, zipParts } from '../output/opened.ts'
import { createSandboxWorld } from '../svc.ts'

const world = await createSandboxWorld()
const { svc, sandbox, folder } = world
const json = (text: string): unknown => JSON.parse(text)
let files = 0

function file(content: string | Buffer, name = 'table.csv'): string {
  files += 1
  const path = join(folder, `${files}-${name}`)
  writeFileSync(path, content)
  return path
}

function csv(...rows: readonly (readonly string[])[]): string {
  return file(rows.map((row) => `${row.join(',')}\n`).join(''))
}

/** A workbook with these cells merged. */
function mergedTable(ref: string, ...rows: readonly string[][]): string {
  const after = `<mergeCells><mergeCell ref="${ref}"/></mergeCells>`
  return file(workbook({ sheets: [{ rows: rowsOf(...rows), after }] }), 'merged.xlsx')
}

/** Verdict, name and what decided, of each row. */
async function verdicts(words: string): Promise<string[]> {
  const { stdout } = await svc(`contacts match ${words} --in "Trade fair" --json`)
  return (json(stdout) as ContactMatch[]).map(({ match, name, by }) => `${match} ${by} ${name}`.trimEnd())
}

describe('the sandbox’s people', () => {
  test.each<[words: string, row: readonly string[], verdict: string]>([
    ['', ['Maria Schmidt', '+49 171 2345678', ''], 'several phone maria schmidt; Maria Schmidt'],
    ['', ['Maria Schmidt', '+49 171 2345678', 'MARIA.SCHMIDT@example.org'], 'one phone+email maria schmidt'],
    ['', ['', '+55 11 91234-5678', ''], 'one phone João Souza'],
    ['', ['', '+55 11 1234-5678', ''], 'one phone Joao Souza'],
    ['', ['Peter Pan', '+55 11 91234-5678', ''], 'differs phone João Souza'],
    ['--accept differs', ['Peter Pan', '+55 11 91234-5678', ''], 'one phone (name differs) João Souza'],
    ['', ['Dana', '+1 555 200 0199', ''], 'variant phone (variant) Dana Extension'],
    ['--accept variant', ['Dana E.', '+1 555 200 0199', ''], 'one phone (variant) Dana Extension'],
    // A first name alone says too little.
    ['--accept variant', ['Dana', '+1 555 200 0199', ''], 'differs phone (variant) Dana Extension'],
    ['', ['Anna Souza', '+55 11 91234-5678', ''], 'differs phone João Souza'],
    ['', ['"SOUZA, Joao"', '+55 11 91234-5678', ''], 'one phone João Souza'],
    ['', ['Dr. J. Souza', '+55 11 91234-5678', ''], 'one phone João Souza'],
    ['', ['', 'Tel: +55 11 91234-5678 (after 5 pm)', ''], 'one phone João Souza'],
    ['', ['', '+1 555 999 9999 / +55 11 91234-5678', ''], 'one phone João Souza'],
    ['', ['', '+55 (0) 11 91234-5678', ''], 'one phone João Souza'],
    ['', ['', '', 'Noor <noor.haddad@example.org>; or call'], 'one email Noor Haddad'],
    ['', ['', 'see notes', ''], 'unreadable'],
    ['', ['', '4.91712E+11', ''], 'unreadable'],
    ['', ['', '', 'noor.haddad at example.org'], 'unreadable'],
    ['', ['', 'see notes', 'nobody@example.org'], 'unreadable'],
    ['', ['', 'see notes', 'noor.haddad@example.org'], 'one email Noor Haddad'],
    ...['-', '–', '?', 'n/a', 'N/A', 'none', 'Unknown', ' - '].map((cell): [string, readonly string[], string] => [
      '',
      ['João Souza', cell, cell],
      'empty',
    ]),
    ['--accept variant', ['Peter', '+1 555 200 0199', ''], 'differs phone (variant) Dana Extension'],
    ['--accept variant,differs', ['Peter', '+1 555 200 0199', ''], 'one phone (variant) (name differs) Dana Extension'],
    ['', ['', '+49 171 9876543', ''], 'variant phone (variant) Jürgen Müller'],
    ['--country DE', ['', '+49 171 9876543', ''], 'one phone Jürgen Müller'],
    ['--country GB', ['', '0207 946 0018', ''], "one phone Siân O'Neill"],
    ['', ['', '+971 50 123 4567', ''], 'one phone محمد الأحمد'],
    ['', ['', '+55 11 91234-5678; +54 9 11 2345-6789', ''], 'conflict phone João Souza; Sofía Núñez'],
    ['', ['', '+55 11 91234-5678', 'noor.haddad@example.org'], 'conflict phone+email João Souza; Noor Haddad'],
    ['--by email', ['', '+55 11 91234-5678', 'noor.haddad@example.org'], 'one email Noor Haddad'],
    ['', ['', '+55 11 91234-5678', 'nobody@example.org'], 'one phone João Souza'],
    ['', ['João Souza', '', ''], 'empty'],
    ['', ['João Souza', '-', ''], 'empty'],
    ['', ['João Souza', '+1 555 999 9999', 'nobody@example.org'], 'none'],
    ['', ['', '', 'robin.unlisted@example.org'], 'none'],
    [
      '',
      ['', '+49 30 5556677', ''],
      'several phone Reception; Zoë Nordström; Łukasz Wójcik; Mehmet Yılmaz; Ayşe Yılmaz',
    ],
    ['', ['', '+49 30 5556677', 'lukasz.wojcik@example.org'], 'one phone+email Łukasz Wójcik'],
  ])('%s %j is %s', async (words, row, verdict) => {
    expect(await verdicts(`--file ${csv(['Name', 'Phone', 'Email'], row)} ${words}`)).toEqual([verdict])
  })

  test('numbers whose country is not written are counted, for a command without one', async () => {
    const table = csv(
      ['Name', 'Phone'],
      ['A', '0171 2345678'],
      ['B', '(0049) 171 2345678'],
      ['C', ' (+49) 171 2345678'],
    )
    const told = async (words: string): Promise<string> => (await svc(`contacts match --file ${table} ${words}`)).stderr
    expect(await told('--in "Trade fair"')).toContain('note: 1 phone number without + or 00 can only be a variant')
    expect(await told('--in "Trade fair" --country DE')).not.toContain('without +')
    const wrong = await told('--in "Trade fair" --phone-column Name')
    expect(wrong).toContain('note: 3 cells cannot be read: "A" in row 2;')
    expect(wrong).not.toContain('without +')
  })

  test('a messenger is looked for under its own key', async () => {
    const table = csv(['Who', 'Chat'], ['Jo', '4711001'], ['Jo', 'JO_KELLER'])
    const by = (key: string): Promise<string[]> => verdicts(`--file ${table} --messenger-column chat=${key}`)
    expect(await by('messengerB_user_id')).toEqual(['several messenger Johanna Keller; Jo Keller', 'none'])
    expect(await by('messengerB_username')).toEqual(['none', 'one messenger Jo Keller'])
    expect(await by('messengerA_user_id')).toEqual(['none', 'none'])
  })
})

test.each([
  ['phone', 'Phone; PHONE NUMBER; Mobile; Tel.; Tel; Cell phone; phone 2; Work Phone; identities.phone; PhoneNumber'],
  ['phone', 'Telefon; Handynummer; Telefon (privat); Mobil; Telefonnummer; Téléphone; Portable; N° de téléphone'],
  ['phone', 'Teléfono; Móvil; Número de teléfono; Celular; Telefone; Telemóvel; Número de telefone'],
  ['email', 'Email; E-Mail; mail; E-mail address; EMAIL; identities.email; E-Mail-Adresse; Emailadresse; Courriel'],
  ['email', 'Adresse e-mail; Correo electrónico; Correo; Correio eletrônico; Endereço de e-mail'],
  ['phone', 'Phone 1 - Value; Phone 2 - Value; Telefon Kunde'],
  ['email', 'E-mail 1 - Value; E-Mail 2 - Value'],
  ['name', 'Name; NAME; Full Name; Nom; Nombre; Nome; Vor- und Nachname; Nom et prénom; Nombre y apellidos'],
  ['firstName', 'First name; Vorname; Prénom; Given Name'],
  ['lastName', 'lastName; Nachname; Apellidos; Sobrenome; Family Name; Nom de famille'],
  ['contact', 'Contact; Contact name; Ansprechpartner; Persona de contacto; Interlocuteur; Contato'],
  ['customer', 'Customer; Customer name; Kundenname; Kunde; Client; Cliente; Nom du client'],
  ['nothing', 'Company name; Email sent; Phone verified; Note; id; ; Address; Number; Mailing list; 1; Filename'],
  [
    'nothing',
    'Phone 1 - Label; E-mail 1 - Type; Phonetic First Name; Name Prefix; Organization Name; Customer no; contactId',
  ],
])('a heading says %s: %s', (meaning, headings) => {
  const found = headings.split('; ').map((heading) => [heading, meaningOf(heading) ?? 'nothing'])
  expect(found).toEqual(found.map(([heading]) => [heading, meaning]))
})

const rows = [
  ['Customer', 'Tel.', 'E-Mail', 'Note'],
  ['João Souza', '+55 11 91234-5678', '', 'keep; this'],
  ['Peter Pan', '', 'noor.haddad@example.org', ''],
  ['Nobody', '+1 555 999 9999', '', 'x'],
]
const tables: readonly (readonly [string, () => string])[] = [
  ['csv', () => csv(...rows)],
  [
    'semicolons under a title',
    () => file(`Callers of May\n\n${rows.map((row) => row.map((cell) => `"${cell}"`).join(';')).join('\r\n')}`),
  ],
  ['tabs', () => file(rows.map((row) => `${row.join('\t')}\n`).join(''), 'table.tsv')],
  [
    'UTF-16',
    () => file(Buffer.from(`\ufeff${rows.map((row) => row.join(';').replace('; this', '')).join('\n')}`, 'utf16le')),
  ],
  ['a workbook', () => file(workbook({ sheets: [{ name: 'Calls', rows: rowsOf(...rows) }] }), 'table.xlsx')],
]

describe('a table', () => {
  const words = '--name-column Customer'

  test.each(tables)('of %s: table, exit code and notes', async (_name, write) => {
    const { code, stdout, stderr } = await svc(
      `contacts match --file ${write()} ${words} --in "Trade fair" -o csv --fields match,name,by,lists.name`,
    )
    expect([code, stdout]).toEqual([
      3,
      'match,name,by,lists.name\none,João Souza,phone,Trade fair\ndiffers,Noor Haddad,email,Trade fair\nnone,,,\n',
    ])
    expect(stderr).toContain(
      'note: names from "Customer", phone numbers from "Tel.", email addresses from "E-Mail"\n' +
        'note: 3 rows: 1 one, 1 differs, 1 none\n',
    )
    expect(stderr).toContain('and no other list')
  })

  test('every row is one: exit code 0; -o ids prints the ids of those alone', async () => {
    const table = csv(...rows.slice(0, 2))
    const [one] = json((await svc(`contacts match --file ${table} --in "Trade fair" --json`)).stdout) as ContactMatch[]
    expect(await svc(`contacts match --file ${table} --in "Trade fair" -q`)).toMatchObject({ code: 0, stderr: '' })
    const ids = await svc(`contacts match --file ${csv(...rows)} --in "Trade fair" ${words} -o ids -q`)
    expect(ids).toEqual({ code: 3, stdout: `${one?.contactId ?? ''}\n`, stderr: '' })
    expect(one).toMatchObject({ row: 2, match: 'one', candidates: [] })
  })

  test('a table shows 50 rows, and the file has all of them', async () => {
    const table = csv(['Phone'], ...Array.from({ length: 60 }, () => ['+55 11 91234-5678']))
    const shown = async (words: string): Promise<[lines: number, cut: boolean]> => {
      const { stdout, stderr } = await svc(`contacts match --file ${table} --in "Trade fair" ${words}`)
      return [stdout.split('\n').length - 1, stderr.includes('note: Showing 50 of 60 rows. Use --limit all for all of')]
    }
    const out = join(folder, 'sixty.csv')
    expect(await shown(`--annotate ${out}`)).toEqual([51, true])
    expect(readFileSync(out, 'utf8').match(/,one,/g)).toHaveLength(60)
    expect(await shown('--limit all')).toEqual([61, false])
    expect(await shown('-o csv')).toEqual([61, false])
    expect(await shown('-o ids --limit 2')).toEqual([2, false])
  })

  test('from standard input', async () => {
    const stdin = readFileSync(csv(...rows))
    const { code, stdout } = await svc(`contacts match --file - ${words} -o csv --fields row,match`, { stdin })
    expect([code, stdout]).toEqual([3, 'row,match\n2,one\n3,differs\n4,none\n'])
  })

  const heading = 'Name,Phone\n'
  test.each([
    ['no table', undefined, 'no table was given'],
    ['a name alone', 'Name\nAnna\n', 'a name alone never decides'],
    ['no heading', 'Anna,+1555\nBen,+1556\nBen,+1556\n', 'has no heading'],
    ['no rows', heading, 'no rows below its heading'],
    ['--phone-column Telephon', 'Name,Telephone\na,1\n', 'did you mean --phone-column "Telephone"?'],
    ['--phone-column x', 'x,x,Email\na,1,\n', 'has 2 columns called "x"'],
    ['--by messenger', `${heading}a,1\n`, 'no column with messenger values'],
    ['--by fax', `${heading}a,1\n`, '--by takes phone, email or messenger, not "fax"'],
    ['--accept several', `${heading}a,1\n`, '--accept takes differs or variant, not "several"'],
    ['--messenger-column Phone=fax', `${heading}a,1\n`, 'takes <column>=<identity key>'],
    ['--annotate out.txt', `${heading}a,1\n`, 'ends in .csv or .xlsx'],
    ['--country XX', `${heading}a,1\n`, 'there is no country "XX"'],
  ])('%s is refused before a request', async (words_, table, message) => {
    const before = sandbox.requests.length
    const input = table === undefined ? '' : `--file ${file(table)}`
    const { code, stdout, stderr } = await svc(`contacts match ${input} ${words_.startsWith('--') ? words_ : ''}`)
    expect([code, stdout, sandbox.requests.length - before]).toEqual([2, '', 0])
    expect(stderr).toContain(message)
  })

  test('one row and 2,000 take the same requests', async () => {
    const requestsOf = async (table: string): Promise<number> => {
      const before = sandbox.requests.length
      await svc(`contacts match --file ${table} --in VIP --in "Trade fair" -o ids -q`)
      return sandbox.requests.length - before
    }
    const many = Array.from({ length: 2_000 }, (_, n) => [
      `Name ${n}`,
      `+1555${String(1_000_000 + n)}`,
      `contact${n}@example.com`,
    ])
    expect(await requestsOf(csv(['Name', 'Phone', 'Email'], ...many))).toBe(
      await requestsOf(csv(['Name', 'Phone'], ['a', '+15551000025'])),
    )
  })
})

describe('columns', () => {
  const notesOf = async (table: string, words = ''): Promise<string> =>
    (await svc(`contacts match --file ${table} --in "Trade fair" ${words}`)).stderr

  test('of Google’s export, the name from its parts', async () => {
    const table = csv(
      ['First Name', 'Last Name', 'Phonetic First Name', 'E-mail 1 - Label', 'E-mail 1 - Value', 'Phone 1 - Value'],
      ['João', 'Souza', 'x', 'home', '', '+1 555 999 9999 ::: +55 11 91234-5678'],
    )
    expect(await verdicts(`--file ${table}`)).toEqual(['one phone João Souza'])
    expect(await notesOf(table)).toContain(
      'names from "First Name", "Last Name", phone numbers from "Phone 1 - Value", email addresses from "E-mail 1 - Value"\n',
    )
  })

  test('a Nom beside a Prénom is the last name, in whatever order', async () => {
    const row = ['Souza', 'Maria', '+55 11 91234-5678']
    expect(await verdicts(`--file ${csv(['Nom', 'Prénom', 'Téléphone'], row)}`)).toEqual(['differs phone João Souza'])
    const alone = csv(['Nom', 'Prénom', 'Téléphone'], ['Souza', '', '+55 11 91234-5678'])
    expect(await verdicts(`--file ${alone}`)).toEqual(['one phone João Souza'])
    // Who is called is compared, not the company.
    const called = csv(['Kunde', 'Ansprechpartner', 'Tel'], ['Souza', 'Maria Berg', '+55 11 91234-5678'])
    expect(await verdicts(`--file ${called}`)).toEqual(['differs phone João Souza'])
  })

  test('several of a kind are named, and without names a note says so', async () => {
    const table = csv(['A', 'B', 'C'], ['-', '+55 11 91234-5678', ''], ['', '', 'noor.haddad@example.org'])
    const words = '--phone-column A --phone-column B --email-column C'
    expect(await verdicts(`--file ${table} ${words}`)).toEqual(['one phone João Souza', 'one email Noor Haddad'])
    expect(await notesOf(table, words)).toContain(
      'note: names are not compared: no column of names was found; name it with --name-column\n',
    )
  })

  test('what cannot be read is counted, told and exit code 3', async () => {
    const table = csv(['Name', 'Phone'], ['A', 'see notes'], ['João Souza', '+55 11 91234-5678'])
    const { code, stdout, stderr } = await svc(
      `contacts match --file ${table} --in "Trade fair" -o csv --fields row,match`,
    )
    expect([code, stdout]).toEqual([3, 'row,match\n2,unreadable\n3,one\n'])
    expect(stderr).toContain('note: 2 rows: 1 one, 1 unreadable\nnote: 1 cell cannot be read: "see notes" in row 2\n')
  })

  test('a cell of a sheet that a person may not see so makes its row unreadable; a name is not compared', async () => {
    const souza = rowsOf(['Name', 'Phone'], ['João Souza', '+55 11 91234-5678'])
    const formula =
      '<row r="3"><c r="A3" t="str"><f>B1</f><v>Peter</v></c><c r="B3" t="str"><f>B2</f><v>+55 11 91234-5678</v></c></row>'
    const named = formula.replace(/<c r="B3".*<\/c>/, '<c r="B3"><v>5511912345678</v></c>').replaceAll('3"', '4"')
    const table = file(workbook({ sheets: [{ rows: souza + formula + named }] }), 'table.xlsx')
    expect(await verdicts(`--file ${table}`)).toEqual([
      'one phone João Souza',
      'unreadable',
      'variant phone (variant) João Souza',
    ])
    expect(await notesOf(table)).toMatch(
      /1 cell cannot be read: B3: a formula.*\nnote: 2 names not compared: A3: a formula.*; A4: a formula/,
    )
  })

  test.each<[ref: string, verdicts: readonly string[]]>([
    ['B2:B3', ['one phone João Souza', 'unreadable']],
    ['A2:B2', ['unreadable', 'one phone João Souza']],
    ['A3:C3', ['one phone João Souza', 'unreadable']],
    ['C2:D3', ['one phone João Souza', 'one phone João Souza']],
  ])('merged cells but the first make their rows unreadable, and no other: %s', async (ref, expected) => {
    const row = ['João Souza', '+55 11 91234-5678']
    expect(await verdicts(`--file ${mergedTable(ref, ['Name', 'Phone'], row, row)}`)).toEqual(expected)
  })

  test('merged cells that are empty make their rows unreadable too; a name is not compared', async () => {
    const table = mergedTable(
      'B2:B3',
      ['Name', 'Phone', 'E-mail'],
      ['João Souza', '+55 11 91234-5678', ''],
      ['João Souza', '', 'nobody@example.org'],
    )
    expect(await verdicts(`--file ${table}`)).toEqual(['one phone João Souza', 'unreadable'])
    expect(await notesOf(table)).toContain('1 cell cannot be read: B3: in merged cells')
    const named = mergedTable(
      'A2:A3',
      ['Name', 'Phone'],
      ['João Souza', '+55 11 91234-5678'],
      ['', '+55 11 91234-5678'],
    )
    expect(await verdicts(`--file ${named}`)).toEqual(['one phone João Souza', 'one phone João Souza'])
    expect(await notesOf(named)).toContain('1 name not compared: A3: in merged cells')
  })
})

describe('a table that was matched before', () => {
  test('keeps its rows that are one with one valid contactId, whoever set them', async () => {
    const noor =
      (json((await svc('contacts find --name "noor haddad" --json')).stdout) as { id: string }[])[0]?.id ?? ''
    const nobody = 'f'.repeat(24)
    const table = csv(
      ['Name', 'Phone', 'contactId', 'MATCH', 'BY', 'NAME'],
      ['Peter Pan', '+55 11 91234-5678', noor, 'One', 'by hand'],
      ['Peter Pan', '+55 11 91234-5678', nobody, 'one', '', 'Robin'],
      ['João Souza', '+55 11 91234-5678', 'x', 'one', ''],
      ['João Souza', '+55 11 91234-5678', noor, 'differs', ''],
    )
    const words = `contacts match --file ${table} --in "Trade fair" -o csv --fields match,contactId,name,by`
    const kept = await svc(words)
    const [, ...lines] = kept.stdout.trimEnd().split('\n')
    expect(lines.slice(0, 2)).toEqual([`one,${noor},Noor Haddad,by hand`, `one,${nobody},Robin,`])
    expect(lines.slice(2)).toEqual([
      expect.stringMatching(/^one,.*,João Souza,phone$/),
      expect.stringMatching(/^one,.*,João Souza,phone$/),
    ])
    expect([kept.code, kept.stderr]).toEqual([0, expect.stringContaining('note: 4 rows: 2 kept, 2 one\n')])
    expect(kept.stderr).toContain('kept were rows that are "one" already, 1 of them on no list that was read; --again')
    const again = await svc(`${words} --again`)
    expect(again.stdout).toMatch(/^match.*\ndiffers,,João Souza,phone\ndiffers,,João Souza,phone\none,/)
    expect(again.stderr).not.toContain('kept')
  })

  test('its own columns are recognized with a colon, a blank and other letters in their headings', async () => {
    const table = csv(
      ['Name', 'Phone', 'contactId: ', ' Match', 'BY:', 'NAME'],
      ['João Souza', '+55 11 91234-5678', '', '', '', ''],
    )
    const out = join(folder, `${(files += 1)}-own.csv`)
    expect((await svc(`contacts match --file ${table} --in "Trade fair" --annotate ${out} -q`)).code).toBe(0)
    expect(readFileSync(out, 'utf8')).toMatch(/^Name,Phone,contactId,MATCH,BY,NAME,LISTS,CANDIDATES\r?\n/)
  })

  test('with another country it adds to what it had', async () => {
    const table = csv(['Name', 'Phone'], ['João Souza', '+55 11 91234-5678'], ['J. Mueller', '0171 9876543'])
    const [first, second] = ['first', 'second'].map((name) => join(folder, `${(files += 1)}-${name}.csv`))
    await svc(`contacts match --file ${table} --in "Trade fair" --annotate ${first} -q`)
    const { code, stderr } = await svc(
      `contacts match --file ${first} --in "Trade fair" --country DE --annotate ${second}`,
    )
    expect([code, stderr]).toEqual([0, expect.stringContaining('note: 2 rows: 1 kept, 1 one\n')])
    expect(readFileSync(second ?? '', 'utf8').match(/,one,phone,/g)).toHaveLength(2)
  })
})

describe('--annotate', () => {
  test.each(tables)('gives %s back, and its own columns are replaced by a second match', async (_name, write) => {
    const [table, out] = [write(), join(folder, `${files}-out.csv`)]
    const first = await svc(
      `contacts match --file ${table} --in "Trade fair" --name-column Customer --annotate ${out} -q`,
    )
    expect(first.code).toBe(3)
    const bytes = readFileSync(out)
    const text = bytes[0] === 0xff ? bytes.toString('utf16le') : bytes.toString('utf8')
    const [cut = ','] = /[;\t,](?=contactId)/.exec(text) ?? []
    const plain = text.replaceAll('"', '').replaceAll(cut, ',')
    expect(plain).toMatch(/^(?:.*\n+)?.*Customer,Tel\.,E-Mail,Note,contactId,MATCH,BY,NAME,LISTS,CANDIDATES\r?\n/)
    expect(plain).toMatch(/João Souza,\+55 11 91234-5678,,keep.*,[0-9a-f]{24},one,phone,João Souza,Trade fair,\r?\n/)
    expect(plain).toMatch(
      /Peter Pan,,noor\.haddad@example\.org,,,differs,email,Noor Haddad,Trade fair.*,[0-9a-f]{24}\r?\n/,
    )
    expect(plain).toMatch(/Nobody,\+1 555 999 9999,,x,,none,,,,(?:\r?\n|$)/)
    const again = join(folder, `${files}-again.csv`)
    await svc(
      `contacts match --file ${out} --in "Trade fair" --name-column Customer --accept differs --annotate ${again} -q`,
    )
    const replaced = readFileSync(again, bytes[0] === 0xff ? 'utf16le' : 'utf8')
    expect(replaced.match(/contactId/g)).toHaveLength(1)
    expect(replaced).toContain('email (name differs)')
  })

  test('as a workbook, whose rows with one contact alone a bulk command takes', async () => {
    const out = join(folder, 'out.xlsx')
    await svc(`contacts match --file ${csv(...rows)} --in "Trade fair" --name-column Customer --annotate ${out} -q`)
    const plan = await svc(`lists add-contacts VIP --file ${out} --column contactId --expect 1 --json`)
    expect(json(plan.stdout)).toMatchObject({ input: { read: 1, unique: 1, leftOut: 2 }, result: { added: 1 } })
    expect(plan.stderr).toContain('2 rows left out: MATCH is not \\"one\\"')
    // What became of it stands in the row of it.
    const annotated = join(folder, 'annotated.csv')
    expect((await svc(`lists add-contacts VIP --file ${out} --annotate ${annotated}`)).code).toBe(0)
    expect(readFileSync(annotated, 'utf8')).toMatch(
      /Souza.*,ok,\r?\n.*Pan,[^\n]*,left-out,"MATCH is ""differs"""\r?\n.*,left-out,/,
    )
    expect((await svc(`contacts delete --file ${out} --expect 2 --dry-run`)).code).toBe(2)
  })

  test('as the workbook that it was: another match replaces its own columns where they are', async () => {
    const table = file(
      workbook({ sheets: [{ rows: rowsOf(...rows), after: '<autoFilter ref="A1:D4"/>' }, { name: 'Other' }] }),
      'table.xlsx',
    )
    const match = async (from: string, more: string): Promise<{ path: string; cells: string[][] }> => {
      const path = join(folder, `${(files += 1)}-own.xlsx`)
      const words = `--in "Trade fair" --name-column Customer --annotate ${path}`
      const { code, stderr } = await svc(`contacts match --file ${from} ${words} ${more}`)
      expect([code, stderr]).toEqual([3, expect.stringContaining('if its filter does not cover the new columns')])
      const [before, after] = [zipParts(readFileSync(from)), zipParts(readFileSync(path))]
      const changed = [...before].filter(([part, { raw }]) => after.get(part)?.raw.equals(raw) !== true)
      expect(changed.map(([part]) => part)).toEqual(['xl/worksheets/sheet0.xml'])
      return { path, cells: textsOf(readFileSync(path)) }
    }
    const first = await match(table, '')
    const second = await match(first.path, '--accept differs')
    const added = (cells: string[][]): (string | undefined)[][] => cells.map((row) => [row[0], ...row.slice(4, 8)])
    expect(added(first.cells)).toEqual([
      ['Customer', 'contactId', 'MATCH', 'BY', 'NAME'],
      ['João Souza', expect.stringMatching(/^[0-9a-f]{24}$/), 'one', 'phone', 'João Souza'],
      ['Peter Pan', '', 'differs', 'email', 'Noor Haddad'],
      ['Nobody', '', 'none'],
    ])
    expect(second.cells[0]).toEqual(first.cells[0])
    expect(added(second.cells)[2]?.slice(1, 4)).toEqual([
      expect.stringMatching(/^[0-9a-f]{24}$/),
      'one',
      'email (name differs)',
    ])
  })

  test('an existing file stays as it is; standard input cannot be read twice', async () => {
    const out = file('mine')
    const refused = await svc(`contacts match --file ${csv(...rows)} --annotate ${out}`)
    expect(refused).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('exists already') as string,
    })
    expect(readFileSync(out, 'utf8')).toBe('mine')
    const { code, stderr } = await svc(`contacts match --file - --annotate ${out}.csv`, { stdin: 'Phone\n1\n' })
    expect([code, stderr]).toEqual([2, expect.stringContaining('read twice')])
  })
})

test.each([
  ['500', 7],
  ['403', 5],
  ['404', 6],
])('a list that cannot be read (%s): its code, no row and no file, and the output says so', async (status, code) => {
  const broken = await createSandboxWorld({ faults: `lists.get:20+=${status}` })
  const table = join(broken.folder, 'people.csv')
  writeFileSync(table, rows.map((row) => `${row.join(',')}\n`).join(''))
  for (const [words, stdout] of [
    ['', /^# incomplete: .*\n$/],
    ['--json', /^\[\n$/],
  ] as const) {
    const result = await broken.svc(`contacts match --file ${table} --annotate ${table}.csv --retries 0 ${words}`)
    expect(result).toMatchObject({ code, stdout: expect.stringMatching(stdout) as string })
  }
  expect(existsSync(`${table}.csv`)).toBe(false)
  expect(readdirSync(broken.folder).filter((name) => name.includes('.part'))).toEqual([])
  expect(await broken.svc('contacts duplicates --retries 0 -o csv')).toMatchObject({
    code,
    stdout: expect.stringMatching(/^# incomplete: .*\n$/) as string,
  })
})

test('a table that is changed while the lists are read is not given back', async () => {
  let path = ''
  const busy = await createSandboxWorld({ onRequest: () => writeFileSync(path, 'Phone\n+1 555 200 0198\n') })
  path = `${busy.folder}/people.csv`
  writeFileSync(path, 'Phone\n+1 555 200 0199\n')
  const { code, stderr } = await busy.svc(`contacts match --file ${path} --annotate ${path}.csv --in VIP`)
  expect([code, stderr]).toEqual([2, expect.stringContaining('was changed while it was matched')])
  expect(existsSync(`${path}.csv`)).toBe(false)
})

test('while others change the lists: that is said, and no row gets a contact that is not its own', async () => {
  let join: () => void = () => undefined
  const busy = await createSandboxWorld({ onRequest: ({ url }) => /lists\/[0-9a-f]{24}\?/.test(url) && join() })
  const { store, examples } = busy.sandbox
  const emails = async (list: string): Promise<string[][]> => {
    const { stdout } = await busy.svc(`lists members "${list}" --fields contact.id,contact.identities.email -o csv -q`)
    return stdout
      .split('\n')
      .flatMap((line) => (/^([0-9a-f]{24}),"?([^";]+@[^";]+)/.exec(line) ?? []).slice(0, 3)[0] ?? [])
      .map((line) => line.replaceAll('"', '').split(',').slice(0, 2))
  }
  const members = await emails('VIP')
  const others = (await emails('Trade fair')).filter(([id]) => !members.some(([member]) => member === id))
  const wanted = [...members, ...others]
  const path = `${busy.folder}/people.csv`
  writeFileSync(path, ['Email', ...wanted.map(([, email]) => email), ''].join('\n'))
  const waiting = others.map(([id = '']) => id)
  // Some join before each page is answered.
  join = () => {
    const contactIds = waiting.splice(0, 3)
    if (contactIds.length > 0) store.change('lists.add-contacts', { contactIds }, { listId: examples.list })
  }
  const { stdout, stderr } = await busy.svc(`contacts match --file ${path} --in VIP --json --error-format text`)
  expect(stderr).toContain('note: 1 list changed while they were read: some members may be missing')
  const found = (json(stdout) as ContactMatch[]).map(({ match, contactId }) => `${match} ${contactId}`)
  // Who joined meanwhile is found or not.
  const isRight = (verdict: string, n: number): boolean =>
    verdict === `one ${wanted[n]?.[0]}` || (n >= members.length && verdict === 'none null')
  expect(found.filter((verdict, n) => !isRight(verdict, n))).toEqual([])
  expect(found).toHaveLength(wanted.length)
})

describe('contacts duplicates', () => {
  const found = async (words: string): Promise<Duplicate[]> =>
    json((await svc(`contacts duplicates --in "Trade fair" --json ${words}`)).stdout) as Duplicate[]
  const inWords = ({ sourceName, targetName, shared, warning }: Duplicate): string =>
    `${sourceName} > ${targetName}: ${shared.join(', ')} (${warning.join(', ')})`

  test('shares, warnings, and who stays', async () => {
    const all = (await found('')).map(inWords)
    expect(all.filter((row) => row.includes('eller'))).toHaveLength(1)
    expect(all.find((row) => row.includes('eller'))).toContain('messengerB_user_id 4711001')
    const landline = all.filter((row) => row.includes('+49305556677'))
    expect(landline).toHaveLength(4)
    for (const row of landline) expect(row).toContain('shared by 5')
    expect(landline.filter((row) => row.includes('names differ')).length).toBeGreaterThan(1)
    // Three of one person, two of them only through the third.
    const schmidt = all.filter((row) => /schmi[dt]t/i.test(row))
    expect(schmidt).toHaveLength(2)
    // Variants of a number are no duplicates.
    expect(all.filter((row) => row.includes('Souza'))).toEqual([])
  })

  test('--by, and a country that makes more of them', async () => {
    expect((await found('--by messenger')).map(({ shared }) => shared)).toEqual([['messengerB_user_id 4711001']])
    expect((await found('--by email')).map(({ shared }) => shared)).toEqual([['email maria.schmidt@example.org']])
    const [some, more] = [await found('--by phone'), await found('--by phone --country DE')]
    expect(more.length).toBe(some.length + 1)
  })

  test('as a file in which a person decides, which merge reads', async () => {
    const { stdout } = await svc('contacts duplicates --in "Trade fair" --country DE -o csv -q')
    const [heading, ...lines] = stdout.trimEnd().split('\n')
    expect(heading).toBe(
      'group,source,target,shared,sourceName,targetName,sourceLists,targetLists,sourceEmails,targetEmails,' +
        'sourcePhones,targetPhones,sourceCreatedAt,targetCreatedAt,warning,DECISION',
    )
    expect(lines[0]).toMatch(/,Trade fair,.*,\d{4}-\d\d-\d\dT/)
    const decided = file([heading, ...lines.map((line, n) => `${line}${n === 0 ? 'Merge' : ''}`), ''].join('\n'))
    const plan = await svc(`contacts merge --file ${decided} --where decision=merge --dry-run --json`)
    expect([plan.code, json(plan.stdout)]).toMatchObject([0, { input: { read: 1, leftOut: lines.length - 1 } }])
    const table = (await svc('contacts duplicates --in "Trade fair" -q')).stdout.split('\n')[0]
    expect(table?.trim().split(/ {2,}/)).toEqual(['GROUP', 'SOURCE', 'TARGET', 'SHARED', 'NAMES', 'WARNING'])
    const xlsx = await svc('contacts duplicates --in "Trade fair" -o xlsx -q')
    expect(xlsx.code).toBe(0)
  })
})

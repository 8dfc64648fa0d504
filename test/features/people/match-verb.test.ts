/** `svc contacts match …`: from tables of people to contacts. What it says, and `contacts duplicates`, are in the transcript of contacts. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { meaningOf } from '../../../src/features/people/heading-words.ts'
import type { ContactMatch } from '../../../src/views/documents.ts'
import { inline, rowsOf, workbook } from '../../input/workbooks.ts'
import { createSandboxWorld } from '../../svc.ts'
import { table } from '../../table.ts'
import { hasFeature } from '../../has-feature.ts'

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
  return (json(stdout) as ContactMatch[]).map(({ match, name, by }) =>
    `${match} ${by} ${name}`.trimEnd(),
  )
}

const headings = `
  phone: Phone; PHONE NUMBER; Mobile; Tel.; Tel; Cell phone; phone 2; Work Phone; identities.phone; PhoneNumber
  phone: Telefon; Handynummer; Telefon (privat); Mobil; Telefonnummer; Téléphone; Portable; N° de téléphone
  phone: Teléfono oficina; Teléfono de casa; Móvil personal; Telefone comercial; Telefone residencial; Celular outro; Téléphone domicile; Tél. travail; Mobile autre; Telefon Arbeit; Telefon zuhause; Mobil weitere; Phone other; Direct phone; Teléfono; Móvil; Número de teléfono; Celular; Telefone; Telemóvel; Número de telefone
  phone: Phone 1 - Value; Phone 2 - Value; Telefon Kunde; Tel. Büro; contact number
  email: Email; E-Mail; mail; E-mail address; EMAIL; identities.email; E-Mail-Adresse; Emailadresse; Courriel
  email: Adresse e-mail; Correo electrónico; Correo; Correio eletrônico; Endereço de e-mail
  email: E-mail 1 - Value; E-Mail 2 - Value
  name: Name; NAME; Full Name; Nom; Nombre; Nome; Vor- und Nachname; Nom et prénom; Nombre y apellidos
  firstName: First name; Vorname; Prénom; Given Name
  lastName: lastName; Nachname; Apellidos; Sobrenome; Family Name; Nom de famille
  contact: Contact; Contact name; Ansprechpartner; Persona de contacto; Interlocuteur; Contato
  customer: Customer; Customer name; Kundenname; Kunde; Client; Cliente; Nom du client
  nothing: Company name; Email sent; Phone verified; Note; id; ; Address; Number; Mailing list; 1; Filename
  nothing: Phone 1 - Label; E-mail 1 - Type; Phonetic First Name; Name Prefix; Organization Name
  nothing: Customer no; contactId`
test.each(headings.trim().split(/\n */))('a heading says %s', (line) => {
  const [meaning, texts = ''] = line.split(/: (.*)/)
  for (const heading of texts.split('; '))
    expect([heading, meaningOf(heading) ?? 'nothing']).toEqual([heading, meaning])
})

const rows = [
  ['Customer', 'Tel.', 'E-Mail', 'Note'],
  ['João Souza', '+55 11 91234-5678', '', 'keep; this'],
  ['Peter Pan', '', 'noor.haddad@example.org', ''],
  ['Nobody', '+1 555 999 9999', '', 'x'],
]
describe('a table', () => {
  test('a table shows 50 rows, and the file has all of them', async () => {
    const table = csv(['Phone'], ...Array.from({ length: 60 }, () => ['+55 11 91234-5678']))
    const shown = async (words: string): Promise<[lines: number, cut: boolean]> => {
      const line = `contacts match --file ${table} --in "Trade fair" ${words}`
      const { stdout, stderr } = await svc(line)
      return [stdout.split('\n').length - 1, stderr.includes('note: Showing 50 of 60 rows.')]
    }
    const out = join(folder, 'sixty.csv')
    expect(await shown('')).toEqual([51, true])
    expect(await shown(`--annotate ${out}`)).toEqual([0, false])
    expect(readFileSync(out, 'utf8').match(/,one,/g)).toHaveLength(60)
    expect(await shown('--limit all')).toEqual([61, false])
  })

  const heading = 'Name,Phone\n'
  test.each([
    ['no table', undefined, 'required option "--file <table>" not specified'],
    ['a name alone', 'Name\nAnna\n', 'a name alone is never enough'],
    ['no heading', 'Anna,+1555\nBen,+1556\nBen,+1556\n', 'has no heading'],
    ['nothing', '', 'is empty'],
    [
      '--phone-column Telephon',
      'Name,Telephone\na,1\n',
      'did you mean --phone-column "Telephone"?',
    ],
    ['--phone-column x', 'x,x,Email\na,1,\n', 'has 2 columns called "x"'],
    ['--country-column Lnd', 'Phone,Land\na,1\n', 'did you mean --country-column "Land"?'],
    ['--by messenger', `${heading}a,1\n`, 'no column with messenger values'],
    ['--by fax', `${heading}a,1\n`, '--by takes phone, email or messenger, not "fax"'],
    ['--accept several', `${heading}a,1\n`, '--accept takes differs or variant, not "several"'],
    ['--messenger-column Phone=fax', `${heading}a,1\n`, 'takes <column>=<identity key>'],
    ['--annotate out.txt', `${heading}a,1\n`, 'ends in .csv or .xlsx'],
  ])('%s is refused before a request', async (words_, table, message) => {
    const before = sandbox.requests.length
    const input = table === undefined ? '' : `--file ${file(table)}`
    const { code, stdout, stderr } = await svc(
      `contacts match ${input} ${words_.startsWith('--') ? words_ : ''}`,
    )
    expect([code, stdout, sandbox.requests.length - before]).toEqual([2, '', 0])
    expect(stderr).toContain(message)
  })

  test('a row with more cells than headings is unreadable, also one that was decided before', async () => {
    const path = file(
      'Name,Phone,contactId,MATCH,BY\nSouza, João,+55 11 91234-5678,,,\nx,y,,64f0a1b2c3d4e5f600000001,one,phone\n',
    )
    expect(await verdicts(`--file ${path}`)).toEqual(['unreadable', 'unreadable'])
  })

  test.each([
    ['a quote that is not closed on its line', 'Ann,"+1 555 100 2852\nJoão,"+55 11 91234-5678"\n'],
    ['another row in a cell', 'Ann,"x\nJoão,+55 11 91234-5678"\n'],
  ])('rows that may be lost are refused: %s', async (_, rows) => {
    const { code, stdout, stderr } = await svc(
      `contacts match --file ${file(`Name,Phone\n${rows}`)}`,
    )
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('line 2: ')
  })

  test('a heading alone is a whole table without rows', async () => {
    const { code, stdout } = await svc(`contacts match --file ${file('Name,Phone\n')} --json`)
    expect([code, JSON.parse(stdout)]).toEqual([0, []])
  })
})

describe('columns', () => {
  const phone = '+55 11 91234-5678'
  const chat = 'Who,Chat / Jo,4711001 / Jo,JO_KELLER'
  // The options, the verdicts, and the rows of the table.
  const cases = table(`
    Google’s export, with the name in parts |  | one phone João Souza | First Name,Last Name,Phonetic First Name,E-mail 1 - Label,E-mail 1 - Value,Phone 1 - Value / João,Souza,x,home,,+1 555 999 9999 ::: ${phone}
    a Nom beside a Prénom is the last name, in any order |  | differs phone João Souza / one phone João Souza | Nom,Prénom,Téléphone / Souza,Maria,${phone} / Souza,,${phone}
    the person is compared, not the company |  | differs phone João Souza | Kunde,Ansprechpartner,Tel / Souza,Maria Berg,${phone}
    several columns of a kind are named | --phone-column A --phone-column B --email-column C | one phone João Souza / one email Noor Haddad | A,B,C / -,${phone}, / ,,noor.haddad@example.org
    a messenger’s user id | --messenger-column chat=messengerB_user_id | several messenger Johanna Keller; Jo Keller / none | ${chat}
    a messenger’s username | --messenger-column chat=messengerB_username | none / one messenger Jo Keller | ${chat}
    a messenger column with a = in its name | --messenger-column Chat=Name=messengerB_username | one messenger Jo Keller | Chat=Name / JO_KELLER
    another messenger has the same id | --messenger-column chat=messengerA_user_id | none / none | ${chat}
  `)
  test.each(cases)('%s', async (_, words = '', expected = '', rows = '') => {
    const people = csv(...rows.split(' / ').map((row) => row.split(',')))
    expect(await verdicts(`--file ${people} ${words}`)).toEqual(expected.split(' / '))
  })

  const notesOf = async (table: string): Promise<string> =>
    (await svc(`contacts match --file ${table} --in "Trade fair"`)).stderr

  test.runIf(hasFeature('workbook'))(
    'a cell of a sheet that a person may not see so makes its row unreadable; a name is not compared',
    async () => {
      const souza = rowsOf(['Name', 'Phone'], ['João Souza', '+55 11 91234-5678'])
      const formula =
        '<row r="3"><c r="A3" t="str"><f>B1</f><v>Peter</v></c><c r="B3" t="str"><f>B2</f><v>+55 11 91234-5678</v></c></row>'
      const named = formula.replace(/<f>B2<\/f>/, '').replaceAll('3"', '4"')
      const unsaved = `<row r="5">${inline('A5', 'João Souza')}<c r="B5"><f>B2</f></c></row>`
      const all = souza + formula + named + unsaved
      const table = file(
        workbook({ sheets: [{ name: 'First', rows: all }, { name: 'Other' }] }),
        'table.xlsx',
      )
      expect(await verdicts(`--file ${table}`)).toEqual([
        'one phone João Souza',
        'unreadable',
        'one phone João Souza',
        'unreadable',
      ])
      expect(await notesOf(table)).toMatch(
        /read the sheet "First"[^]*4 cells cannot be read: B3: a formula.*; A3: a formula.*; A4: a formula/,
      )
      const { stdout } = await svc(`contacts match --file ${table} --in "Trade fair" --json`)
      expect((json(stdout) as ContactMatch[])[3]?.why).toContain(
        'B5: a formula without its result: open and save it in a spreadsheet',
      )
    },
  )

  const souza = 'João Souza,+55 11 91234-5678'
  // The merged cells, the verdicts, a note, and the rows below the heading.
  const merged = table(`
    B2:B3 | one / unreadable | | ${souza} / ${souza}
    A2:B2 | unreadable / one | | ${souza} / ${souza}
    A3:C3 | one / unreadable | | ${souza} / ${souza}
    C2:D3 | one / one | | ${souza} / ${souza}
    B2:B3 | one / unreadable | 1 cell cannot be read: B3: in merged | ${souza} / João Souza,,nobody@example.org
    A2:A3 | one / one | 1 cell cannot be read: A3: in merged | ${souza} / ,+55 11 91234-5678
  `)
  test.runIf(hasFeature('workbook')).each(merged)(
    'merged cells but the first make their rows unreadable, and no other: %s %s',
    async (ref = '', expected = '', note = '', rows = '') => {
      const people = rows.split(' / ').map((row) => row.split(','))
      const path = mergedTable(ref, ['Name', 'Phone', 'E-mail'], ...people)
      expect(await verdicts(`--file ${path}`)).toEqual(
        expected.replaceAll('one', 'one phone João Souza').split(' / '),
      )
      expect(await notesOf(path)).toContain(note)
    },
  )
})

/** Verdict and reason of each row, and what was told. */
async function reasons(table: string, words = ''): Promise<{ rows: string[]; notes: string[] }> {
  const line = `contacts match --file ${table} ${words} --in "Trade fair" --json --error-format text`
  const { stdout, stderr } = await svc(line)
  const found = json(stdout) as ContactMatch[]
  return {
    rows: found.map(({ match, why }) => `${match}: ${why}`.trimEnd()),
    notes: stderr.split('\n').filter((note) => note !== ''),
  }
}

test('WHY gives the reason in words, with the address of the cell', async () => {
  const table = csv(
    ['Name', 'Phone', 'E-mail'],
    ['Anna Miller', '+55 11 91234-5678', ''],
    ['', '030 555', ''],
    ['', '+49 12', ''],
    ['', 'see notes', 'robin at home'],
    ['', '+49 30 5556677', ''],
    ['', '+55 11 91234-5678', 'noor.haddad@example.org'],
    ['', '+1 555 999 9999', 'robin.unlisted@example.org'],
    ['', '+1 555 200 0199', ''],
    ['João Souza', '+55 11 91234-5678', ''],
    ['', '', ''],
    ['x', '', ''],
  )
  expect((await reasons(table, '--country US')).rows).toEqual([
    'differs: names differ: Anna Miller, João Souza',
    'unreadable: B3: "030 555" has fewer than eight digits',
    'unreadable: B4: "+49 12" has fewer than eight digits',
    'unreadable: B5: "see notes" has no phone number; C5: "robin at home" has no email address',
    'several: 5 contacts fit +49 30 5556677',
    'conflict: João Souza fits +55 11 91234 5678; Noor Haddad fits noor.haddad@example.org',
    'none: nobody has +1 555 999 9999, robin.unlisted@example.org',
    'variant: +1 555 200 0199 is nearly a number of Dana Extension',
    'one:',
    'empty: nothing to look for',
  ])
})

test('a number with its country in another row decides nothing about one without', async () => {
  const rows = ['+1 1191234 5678', '11 91234-5678']
  const found = ['none: nobody has +1 1912345678', expect.stringMatching(/^variant: /)]
  for (const isTurned of [false, true]) {
    const ordered = <T>(all: T[]): T[] => (isTurned ? all.toReversed() : all)
    const table = csv(['Phone'], ...ordered(rows).map((cell) => [cell]))
    expect((await reasons(table, '--country US')).rows).toEqual(ordered(found))
  }
})

test('the country of a row, and not --country, is that of a number which it cannot have', async () => {
  const table = csv(['Phone', 'Land'], ['0171 9999999', 'US'], ['030 555', ''])
  const { rows: found, notes } = await reasons(table, '--country-column Land --country DE')
  expect(notes.filter((note) => note.includes('name the country'))).toEqual([])
  expect(found[0]).toContain('A2: "0171 9999999" is not a number of US')
  expect(found[1]).not.toContain('US')
})

describe('a table that was matched before', () => {
  test.runIf(hasFeature('workbook'))(
    'a decision that a person may not see in a sheet is looked for again, but "no" always counts',
    async () => {
      const own = '6402d0a2d5aad2927b00137a'
      const noor = '6402d25ed5aad2927b001386'
      const decided = (line: number, id: string, match: string): string =>
        `<row r="${line}">${inline(`A${line}`, 'João Souza')}${inline(`B${line}`, '+55 11 91234-5678')}${id}${match}</row>`
      const formula = (cell: string, text: string): string =>
        `<c r="${cell}" t="str"><f>Z1</f><v>${text}</v></c>`
      const sheetRows = [
        rowsOf(['Name', 'Phone', 'contactId', 'MATCH', 'BY']),
        decided(2, inline('C2', noor), inline('D2', 'one')),
        decided(3, formula('C3', noor), inline('D3', 'one')),
        decided(4, inline('C4', noor), formula('D4', 'one')),
        decided(5, '<c r="C5"><v>6.4E+23</v></c>', inline('D5', 'one')),
        decided(6, inline('C6', `"${noor}",`), inline('D6', ' ONE ')),
        decided(7, formula('C7', noor), formula('D7', 'no')),
      ].join('')
      const table = file(workbook({ sheets: [{ rows: sheetRows }] }), 'decided.xlsx')
      const { stdout } = await svc(`contacts match --file ${table} --in "Trade fair" --json`)
      const found = json(stdout) as ContactMatch[]
      expect(found.map(({ match, contactId }) => `${match} ${contactId}`)).toEqual([
        `one ${noor}`,
        `one ${own}`,
        `one ${own}`,
        `one ${own}`,
        `one ${noor}`,
        'no null',
      ])
    },
  )
})

test.runIf(hasFeature('workbook')).each(['', '--email-column E-mail', '--by email'])(
  'a table with a hidden column that could decide is refused: match %s',
  async (words) => {
    const sheet = {
      rows: rowsOf(['Phone', 'E-mail'], ['+55 11 91234-5678', 'noor.haddad@example.org']),
      before: '<cols><col min="2" max="2" hidden="1" width="9"/></cols>',
    }
    const path = file(workbook({ sheets: [sheet] }), 'hidden.xlsx')
    const { code, stdout, stderr } = await svc(`contacts match --file ${path} ${words}`)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('cell B1: the heading is in a hidden column; show the column')
  },
)

test.runIf(hasFeature('workbook'))(
  'a bulk command takes only rows with one contact from an annotated workbook',
  async () => {
    const out = join(folder, 'out.xlsx')
    await svc(
      `contacts match --file ${csv(...rows)} --in "Trade fair" --name-column Customer --annotate ${out} -q`,
    )
    const plan = await svc(
      `lists add-contacts VIP --file ${out} --column contactId --expect 1 --json`,
    )
    expect(json(plan.stdout)).toMatchObject({
      input: { read: 1, unique: 1, leftOut: 2 },
      result: { added: 1 },
    })
    expect(plan.stderr).toContain('2 rows left out: MATCH is not "one"')
    // Its result is in its row.
    const annotated = join(folder, 'annotated.csv')
    expect((await svc(`lists add-contacts VIP --file ${out} --annotate ${annotated}`)).code).toBe(0)
    expect(readFileSync(annotated, 'utf8')).toMatch(
      /Souza.*,ok,\r?\n.*Pan,[^\n]*,left-out,"MATCH is not ""one"""\r?\n.*,left-out,/,
    )
    expect((await svc(`contacts delete --file ${out} --expect 2 --dry-run`)).code).toBe(2)
  },
)

/** `--annotate`: the input again, row for row, with what became of each id behind it. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { absent, createAnnotateWorld, notFound, remove } from './annotate-world.ts'
import { table } from '../table.ts'
import type { Disk } from '../svc.ts'

const world = await createAnnotateWorld()
const { svc, bulk, busy, unsent, sandbox, input, output, freshId, annotated } = world
const [blocked = ''] = busy
const hasChats = 'the service keeps contacts with chats'

describe('csv', () => {
  it('has every row, with its outcome and why', async () => {
    const [one, two] = [freshId(), freshId()]
    const given = [
      'name,id,note',
      `Anna,${one},`,
      `"Müller, Jürgen",${blocked},"says ""hi"""`,
      `gone,${absent},x`,
      'broken,5.07E+23,x',
      `again,${one.toUpperCase()},x`,
      `twice,${blocked},`,
      `王小明,${two},x`,
    ]
    const reason =
      'a number in scientific notation: a spreadsheet lost most of its digits; export the ids again, as text'
    const lines = Buffer.from(await annotated(`${given.join('\n')}\n`, '--skip-invalid'), 'latin1')
      .toString()
      .split('\n')
    expect(lines).toEqual([
      'name,id,note,OUTCOME,REASON',
      `${given[1] ?? ''},deleted,`,
      `${given[2] ?? ''},blocked,${hasChats}`,
      `${given[3] ?? ''},not-found,${notFound}`,
      `${given[4] ?? ''},invalid,"${reason}"`,
      `${given[5] ?? ''},deleted,the same id as in line 2`,
      `${given[6] ?? ''},blocked,"the same id as in line 3; ${hasChats}"`,
      `${given[7] ?? ''},deleted,`,
      '',
    ])
  })

  it('says why a row was left out', async () => {
    const [one, other] = [freshId(), freshId()]
    const given = `id,n\n${one},1\n${other},2\n`
    const rows = (await annotated(given, '--where n=1')).split('\n').slice(1)
    expect(rows).toEqual([`${one},1,deleted,`, `${other},2,left-out,excluded by --where`, ''])
  })

  it.each([
    '400',
    '403',
    '429',
    '422,body=empty',
    '500',
    '503',
    '502,body=html',
    '200,body=html',
    'drop-before',
  ])('says why in words, without status or code: %s', async (fault) => {
    sandbox.setFaults(`contacts.delete=${fault}`)
    const written = await annotated(`id\n${freshId()}\n`, '--wait 0s')
    sandbox.setFaults()
    expect(written).toMatch(
      /\n[0-9a-f]{24},(?:error,"?not done|unknown,"?not known whether it was done)(?:: [^0-9]+)?\n$/,
    )
  })

  /** What stands in for signs of a table: `\p` is `|`. */
  const signs: Record<string, string> = { n: '\n', r: '\r', p: '|', e: '\u001b', a: '\u0007' }
  // A table, and the same annotated: ID is deleted, and NONE is no contact.
  const rows = table(String.raw`
    semicolons                     | id;n\nID;1\n                        | id;n;OUTCOME;REASON\nID;1;deleted;\n
    Excel's sep= line              | sep=\p\nid\pn\nID\p1\n              | sep=\p\nid\pn\pOUTCOME\pREASON\nID\p1\pdeleted\p\n
    CRLF, titles and blank lines   | List of May\r\n\r\nid,n\r\nID,1\r\n\r\n | List of May\n\nid,n,OUTCOME,REASON\nID,1,deleted,\n\n
    short and long rows            | n,id,m\n1,ID\n2,NONE,x,,\n          | n,id,m,,,OUTCOME,REASON\n1,ID,,,,deleted,\n2,NONE,x,,,WHY\n
    quoted line ends               | id,n\n"ID","a\r\nb"\nNONE,2\n       | id,n,OUTCOME,REASON\nID,"a\nb",deleted,\nNONE,2,WHY\n
    what a spreadsheet would run   | id,n\nID,=1+1\n                     | id,n,OUTCOME,REASON\nID,"'=1+1",deleted,\n
    no heading: it gets one        | ID,,\nNONE,,\n                      | id,,,OUTCOME,REASON\nID,,,deleted,\nNONE,,,WHY\n
    no heading, ids in column 2    | x,ID,1\n,NONE,2\n                   | ,id,,OUTCOME,REASON\nx,ID,1,deleted,\n,NONE,2,WHY\n | --column 2
    a list                         | # old, new\nID\n\nNONE\n            | "# old, new"\nid,OUTCOME,REASON\nID,deleted,\n\nNONE,WHY\n
    a quoted heading               | "id"\n"ID"\n                        | id,OUTCOME,REASON\nID,deleted,\n
    a list that would be run       | ID\n# =cmd\px\e\a\n#;=cmd\px\n      | id,OUTCOME,REASON\nID,deleted,\n# =cmd\px\u{1b}\u{7}\n"#;'=cmd\px"\n
  `)
  it.each(rows)('%s', async (_, given = '', wanted = '', more = '') => {
    const id = freshId()
    const textOf = (cell: string): string =>
      cell
        .replaceAll(/\\([nrpea])/g, (_, sign: string) => signs[sign] ?? '')
        .replaceAll('ID', id)
        .replaceAll('NONE', absent)
        .replaceAll('WHY', `not-found,${notFound}`)
    const text = Buffer.from(textOf(wanted)).toString('latin1')
    expect(await annotated(textOf(given), more)).toBe(text)
  })

  const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le')
  it.each<[string, (text: string) => Buffer]>([
    ['UTF-16, little end first', utf16],
    ['UTF-16, big end first', (text) => utf16(text).swap16()],
    ['Windows-1252', (text) => Buffer.from(text.replace('€', '\u0080'), 'latin1')],
  ])('%s becomes UTF-8 with a byte order mark', async (_, encoded) => {
    const id = freshId()
    const written = await annotated(encoded(`id\tn\r\n${id}\t€ü\r\n`))
    expect(Buffer.from(written, 'latin1').toString()).toBe(
      `\ufeffid\tn\tOUTCOME\tREASON\n${id}\t€ü\tdeleted\t\n`,
    )
  })

  it('a text of the service is never a formula, a command or a line of its own', async () => {
    const out = output()
    const { employee, tickets } = sandbox.examples
    const ticket = tickets.active
    const from = input(`ticket,employee\n${ticket},${employee}\n`)
    await bulk(`tickets assign --file ${from} --yes --annotate ${out}`, {
      faults: 'tickets.assign=400,message==HYPERLINK(1);%1b[2J%0anext',
    })
    const [, row = '', ...end] = readFileSync(out, 'utf8').split('\n')
    expect(row.startsWith(`${ticket},${employee},`)).toBe(true)
    expect(end).toEqual([''])
    expect(row).not.toContain('\u001b')
    expect(row).not.toMatch(/[,;]"?=/)
  })
})

it('an unfinished run is said: an input without ids, a run that was stopped', async () => {
  expect(await annotated('id\nbroken\n', '--skip-invalid --allow-empty')).toMatch(
    /^id,OUTCOME,REASON\nbroken,invalid,/,
  )
  sandbox.setFaults('contacts.delete=401')
  const given = `id\n${freshId()}\n${freshId()}\n`
  expect(await annotated(given, 'batches-of=1 --concurrency 1')).toMatch(
    /,error,.*\n.*,not-attempted,not sent/,
  )
  sandbox.setFaults()
})

it('an input that is changed while the run works is written with the rows that were read: it is not opened again after the first request', async () => {
  const id = freshId()
  const [from, out] = [input(`id,name\n${id},Anna\n`), output()]
  const before = sandbox.requests.length
  const disk = ({ promises, ...real }: Disk): Disk => {
    const open: Disk['promises']['open'] = (path, ...how) => {
      if (path === from && sandbox.requests.length > before)
        writeFileSync(from, `id,name\n${id},Ben\n`)
      return promises.open(path, ...how)
    }
    return { ...real, promises: { ...promises, open } }
  }
  const { code } = await svc(remove(from, `--annotate ${out} ${world.state()}`), { disk })
  expect(code).toBe(0)
  expect(readFileSync(from, 'utf8')).toContain('Anna')
  expect(readFileSync(out, 'utf8')).toContain(`${id},Anna,deleted`)
})

describe('places', () => {
  it.each<[string, (from: string) => string]>([
    ['the input itself', (from) => from],
    ['a link to it', (from) => linked(from)],
    ['a file that is there', () => input('mine')],
    ['a folder', () => world.folder],
    ['another ending', () => output('txt')],
    ['a folder that is not there', () => join(world.folder, 'no', 'out.csv')],
  ])('%s is exit 2, and stays as it is', async (_, place) => {
    const content = `id\n${freshId()}\n`
    const from = input(content)
    const path = place(from)
    const contents = (): Buffer | undefined =>
      existsSync(path) && statSync(path).isFile() ? readFileSync(path) : undefined
    const there = contents()
    await unsent(remove(from, `--annotate ${path}`), 2)
    expect(readFileSync(from, 'utf8')).toBe(content)
    expect(contents()).toEqual(there)
  })

  function linked(from: string): string {
    const path = output()
    symlinkSync(from, path)
    return path
  }

  it.each([
    ['ids of the command line', (from: string) => `contacts delete ${absent} --file ${from}`],
    ['two files', (from: string) => `contacts delete --file ${from} --file ${from}`],
    ['standard input', () => 'contacts delete -'],
    ['standard input as a file', () => 'contacts delete --file -'],
    ['what is no file', () => 'contacts delete --file /dev/null'],
    ['JSON', () => `contacts delete --file ${input(`["${absent}"]`)}`],
    ['JSON lines', () => `contacts delete --file ${input(`{"id":"${absent}"}\n`)}`],
  ])('%s cannot be annotated: exit 2', async (_, line) => {
    const out = output()
    const words = `${line(input(`${absent}\n`))} --yes --annotate ${out}`
    expect(await unsent(words, 2, { stdin: `${absent}\n` })).toContain('--annotate')
    expect(existsSync(out)).toBe(false)
  })

  it.each([
    '--receipts r.csv --annotate ./r.csv --skip-invalid',
    '--receipts r.csv --annotate sub/../r.csv --skip-invalid',
    '--annotate in.csv',
    '--once job --receipts sub/../in.csv',
  ])(
    '%s: outputs and input have paths of their own, and nothing is sent or removed',
    async (options) => {
      const cwd = mkdtempSync(join(world.folder, 'same-'))
      mkdirSync(join(cwd, 'sub'))
      writeFileSync(join(cwd, 'in.csv'), `${absent}\nbad\n`)
      const words = options.replaceAll(/(?<= )(?=(?:\.\/|sub|r\.|in\.))/g, `${cwd}/`)
      const line = `contacts delete --file ${cwd}/in.csv ${words} --yes`
      expect(await unsent(line, 2)).toContain('is named for both')
      expect(readdirSync(cwd)).toEqual(['in.csv', 'sub'])
    },
  )
})

/** Inputs of all kinds, however their bytes come. The header of items.txt explains its cases. */
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { expect, it, test, vi } from 'vitest'
import { SvcError } from '../../src/errors.ts'
import { amount } from '../support/amount.ts'
import { ownFolder } from '../support/ending.ts'
import { hostOf, idOf, read, readFrom, refusal, type Options } from '../support/inputs.ts'
import { shownText } from '../support/shown-text.ts'
import { bookOf, inline, rowsOf, workbook } from '../support/workbooks.ts'
import { table } from '../support/table.ts'
import { root, wordsOf } from '../support/svc.ts'

const [a, b, c, d] = [1, 2, 3, 4].map(idOf) as [string, string, string, string]
const [A, B] = [a.toUpperCase(), b.toUpperCase()]
const idByLetter: Readonly<Record<string, string>> = { a, b, c, d, A, B }
const letterById = new Map(Object.entries(idByLetter).map(([letter, id]) => [id, letter]))

/** A string with the ids of `@a` to `@d`; `@A` is the first in capitals. */
const text = (short: string): string =>
  short.replace(/@([a-dAB])/g, (_, letter: string) => idByLetter[letter] ?? '')

type Case = [name: string, content: string | Buffer, expected: string, options?: Options]
const shortOf = (id: string): string => letterById.get(id) ?? id

/** Ids with lines (`a1`) or pairs (`a>b1`), counts behind bars; of a refusal `!` and its words. */
async function reading(content: string | Buffer, options: Options = {}): Promise<string> {
  try {
    const found = await read(Buffer.isBuffer(content) ? content : text(content), options)
    const short = found.items.map(({ id, target, line }) =>
      [shortOf(id), ...(target === undefined ? [] : ['>', shortOf(target)]), line].join(''),
    )
    const { duplicates, leftOut, withoutId } = found.counts
    const notes = found.notes.length
    const counts = { duplicates, 'left out': leftOut, 'without id': withoutId, notes }
    const others = Object.entries(counts)
      .filter(([, n]) => n !== 0)
      .map(([name, n]) => `${n} ${name}`)
    return [short.join(' '), ...others].join(' | ')
  } catch (error) {
    if (error instanceof SvcError && error.exitCode === 2) return `!${shownText(error)}`
    throw error
  }
}

const utf16 = (short: string) => Buffer.from(`\ufeff${text(short)}`, 'utf16le')
const encodings: Readonly<Record<string, (short: string) => Buffer>> = {
  'UTF-16': utf16,
  'UTF-16BE': (short) => utf16(short).swap16(),
  'Latin-1': (short) => Buffer.from(text(short), 'latin1'),
}

function casesOf(section: string): Case[] {
  const all = readFileSync(join(root, 'test/input/items.txt'), 'utf8')
  const [rows = ''] = (all.split(`## ${section}\n`)[1] ?? '').trimEnd().split('\n\n')
  return rows.split('\n').map((row) => {
    const [name = '', content = '', expected = '', options = ''] = row.split(/ :: ?/)
    const words = wordsOf(options)
    const encode = words.flatMap((word) => encodings[word] ?? [])[0] ?? ((short: string) => short)
    return [name, encode(unescaped(content)), unescaped(expected), optionsOf(words)]
  })
}
const unescaped = (cell: string): string =>
  (JSON.parse(`"${cell.replaceAll('"', '\\"')}"`) as string).replace(
    /<<(.*?)\*(\d+)>>/gs,
    (_, repeated: string, times: string) => repeated.repeat(Number(times)),
  )

function optionsOf(words: readonly string[]): Options {
  const valueOf = (option: string) => words.find((_, n) => words[n - 1] === option)
  const item = words.includes('tickets') ? 'ticket' : 'contact'
  const [column, sheet] = [valueOf('--column'), valueOf('--sheet')]
  return { arePairs: words.includes('merge'), item, column, sheet }
}

const folder = ownFolder('bulk')

function written(name: string, content: string) {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

test.each(casesOf('read'))('read: %s', async (_, content, expected, options) => {
  expect(await reading(content, options)).toBe(expected)
})

test.each<Case>([['gzip', gzipSync(`${a}\n`), 'is not a text file'], ...casesOf('refused')])(
  'refused: %s',
  async (_, content, expected, options = {}) => {
    const said = await reading(content, options)
    expect(said).toMatch(/^!/)
    for (const words of expected.split(' … ')) expect(said).toContain(words.trim())
  },
)

test.each([
  ['contact', ['contactId', 'contact_id', 'contact id', 'contact.id', 'CONTACT-ID', '\u00a0Id ']],
  ['ticket', ['ticketId', 'Ticket ID', 'TICKET.ID', 'id']],
] as const)('headings of the ids of a %s', async (item, headings) => {
  for (const heading of headings)
    for (const content of [`name;${heading}\nBob;@a\n`, `${heading}\n@a\n`])
      expect([heading, await reading(content, { item })]).toEqual([heading, 'a2'])
})

const others = ['contactids', 'my id', 'idx', 'ticketId', 'Contact', 'i/d']
test.each(others)('the heading %j is none', async (heading) => {
  expect(await reading(`${heading}\n@a\n`)).toContain(`line 1: "${heading}"`)
  expect(await reading(`name,${heading}\nBob,@a\n`)).toContain('no column "contactId" or "id"')
})

/** The columns of a table beside `id`, a row, and what it rowText: a name, or else a value. */
test.each(
  table(`
  Email,Name                 | x,Bob             | Bob
  Mobile,E-Mail              | 0171,x@y.de       | x@y.de
  First Name,E-Mail,last_name | Ann,x@y.de,Kim   | Ann Kim
  firstname,Full Name        | Ann,Ann Kim       | Ann Kim
  firstname,lastname,Phone   | ,,0171            | 0171
  lastname,Phone             | Kim,0171          | Kim
  name,NAME,mail             | x,y,x@y.de        | x@y.de
  name,email,Email,phone     | ,x@y.de,x@z.de,0171 | 0171
  contactName,Notes          | Ann,x             |
  name,email                 | - ,               | -`),
)('of the columns %s, the row %s says %s', async (headings, row, expected) => {
  const { items } = await read(`id,${headings}\n${a},${row}\n`)
  expect(items).toEqual([{ id: a, line: 2, ...(expected && { rowText: expected }) }])
})

it('a row of a pair says both names', async () => {
  const pairs = `source,target,merge,Source Name,Target Name\n${a},${b},yes,Ann,Bob\n`
  const said = async (text: string) =>
    (await read(text, { arePairs: true })).items.map(({ rowText }) => rowText)
  expect(await said(pairs)).toEqual(['Ann / Bob'])
  expect(await said(pairs.replaceAll('Name', 'x'))).toEqual([''])
})

it('arguments, which have no line; a link', async () => {
  symlinkSync(written('two.txt', `${a}\n${b}\n`), join(folder, 'link'))
  const readings = async (options: Options) => {
    const { items, counts } = await readFrom(hostOf(), options)
    return [counts.read, ...items.map(({ id, line }) => `${id} ${line}`)]
  }
  const digits = '123456789012345678901234'
  const typed = await readings({ words: [c, c.toUpperCase(), ` ${idOf(7)}`, digits] })
  expect(typed).toEqual([4, `${c} 0`, `${idOf(7)} 0`, `${digits} 0`])
  const linked = await readings({ file: join(folder, 'link') })
  expect(linked).toEqual([2, `${a} 1`, `${b} 2`])
})

it.each<[string, Options, string]>([
  ['no input', {}, 'give an input'],
  ['two inputs', { words: [a], file: 'x' }, 'give only one input'],
  ['ids and a dash', { words: [a, '-'] }, '1 bad id … "-"'],
  ['two dashes', { words: ['-'], file: '-' }, 'give only one input'],
  ['a column of arguments', { words: [a], column: 'x' }, '--column and --sheet need a file'],
  ['an unset column', { words: ['-'], column: '' }, 'is a list of ids without a header row'],
  ['a blank column', { words: ['-'], column: ' ' }, 'is a list of ids without a header row'],
  ['a sheet of arguments', { words: [a], sheet: 'x' }, '--column and --sheet need a file'],
  ['a name', { words: ['Berg'] }, '1 bad id … "Berg": not an id … svc contacts find Berg'],
  ['a file', { words: [written('ids.txt', a)] }, 'is a file, not an id … --file /'],
  ['no file', { file: join(folder, 'none') }, 'cannot be read: no such file'],
  ['a folder', { file: folder }, 'cannot be read: illegal operation on a directory'],
])('%s: refused', async (_, options, words) => {
  const error = await refusal(readFrom(hostOf(a), options))
  expect(error.exitCode).toBe(2)
  for (const part of words.split(' … ')) expect(shownText(error)).toContain(part)
})

it('in a workbook, a row that begins with # is a bad line, unless it is the heading', async () => {
  const book = bookOf(['#', 'id'], ['1', a], ['# 2', b])
  const error = await refusal(read(book))
  expect(error.details.lines).toEqual(['row 3: it begins with "#", but a table has no comments'])
})

it('in a workbook, a formula is a bad cell in each column that is read, and in no other', async () => {
  const headings = ['id', 'to', 'from', 'note']
  for (const [column, heading] of headings.entries()) {
    const letter = 'ABCD'.charAt(column)
    const formula = `<c r="${letter}2" t="str"><f>Z1</f><v>${b}</v></c>`
    const cells = headings.map((_, at) => (at === column ? formula : inline(`${'ABCD'[at]}2`, a)))
    const rows = `${rowsOf(headings)}<row r="2">${cells.join('')}</row>`
    const employeeColumns = { target: 'to', expected: 'from' }
    const said = await reading(workbook({ sheets: [{ rows }] }), {
      item: 'ticket',
      employeeColumns,
    })
    expect(said).toContain(heading === 'note' ? 'a>a2' : `cell ${letter}2: "${b}": a formula`)
  }
})

it('the command for JSON names its file', async () => {
  const file = written('my ids.json', `[{"id":"${a}"}]`)
  const error = await refusal(readFrom(hostOf(), { file }))
  expect(error.details.lines?.[1]).toBe(`  jq -r '.[] | .contact.id? // .id' "${file}" > ids.txt`)
})

it('a FIFO', async () => {
  const path = join(folder, 'fifo')
  spawnSync('mkfifo', [path])
  const writer = spawn('sh', ['-c', `printf '${a}\\n' > "$1"; `, 'sh', path])
  expect((await readFrom(hostOf(), { file: path })).items).toMatchObject([{ id: a }])
  writer.kill()
})

it('a terminal is refused at once, and a stream that is given up is closed', async () => {
  const host = hostOf(new Readable({ read: () => undefined }))
  const isTerminal = { ...host.isTerminal, stdin: true }
  const error = await refusal(readFrom({ ...host, isTerminal }, { file: '-' }))
  expect(error.message).toContain('standard input is a terminal')
  const endless = new Readable({
    read() {
      this.push(Buffer.alloc(1 << 24))
    },
  })
  await refusal(readFrom(hostOf(endless), { file: '-' }))
  expect(endless.destroyed).toBe(true)
})

const late = 'x'.repeat(30)
it.each([
  ['a list', `${late} sk,se;cret"\n${a}\n`],
  ['csv', `id,x\n${late} sk,se;cret",1\n`],
  ['a heading', `${late} sk,se;cret",x\n`],
  ['a workbook', bookOf(['id'], [`${late} sk,se;cret&quot;`])],
])('a secret in %s is hidden before it is cut or parsed', async (_, content) => {
  const hide = (text: string) => text.replaceAll('sk,se;cret"', '[hidden]')
  const said = await reading(content, { hide })
  expect(said).toContain('[hidden]')
  expect(said).not.toMatch(/sk|cret/)
})

it('each byte of Windows-1252 is read as its character', async () => {
  // Five of the bytes 80 to 9F have none.
  const upper = '€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ'
  for (const [n, character] of Array.from(upper).entries()) {
    const bytes = Buffer.from(`Name;id\nx${String.fromCharCode(0x80 + n)};${a}\n`, 'latin1')
    const told = await read(bytes).then(
      ({ items }) => items[0]?.rowText,
      (error: Error) => error.message,
    )
    const expected = character === '\0' ? 'standard input is not a text file' : `x${character}`
    expect([n, told]).toEqual([n, expected])
  }
})

it('the work grows with the columns and their line breaks', async () => {
  const split = vi.spyOn(String.prototype, 'split')
  const workOf = async (count: number) => {
    split.mockClear()
    const row = `${a}${',"\n"'.repeat(count)}`
    expect((await read(`id${',x'.repeat(count)}\n${row}\n`)).items).toHaveLength(1)
    return split.mock.calls.length
  }
  const [few, more] = [await workOf(30), await workOf(300)]
  split.mockRestore()
  expect(more).toBeLessThanOrEqual(10 * few)
})

it('no bytes make it crash: they are read or refused with exit 2', async () => {
  const signs = Array.from(',;\t"\'\n\r[]{}:#\ufeff= ')
  const pieces = fc.constantFrom(a, a.toUpperCase(), '"id"', ...signs, 'id')
  const texts = fc.array(pieces, { maxLength: 25 }).map((parts) => Buffer.from(parts.join('')))
  await fc.assert(
    fc.asyncProperty(fc.oneof(texts, fc.uint8Array({ maxLength: 60 })), async (bytes) => {
      expect(await reading(Buffer.from(bytes))).not.toMatch(/ -\d/)
    }),
    { numRuns: amount(300) },
  )
})

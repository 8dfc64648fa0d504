/**
 * Inputs of all kinds, however their bytes come: the cases of read.txt, whose header explains them, headings, files, streams,
 * arguments, encodings, and what is much too long. What is wrong with a line is said in id-files.txt.
 */
import { spawn, spawnSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { amount } from '../support/amount.ts'
import {
  hostOf,
  idOf,
  read,
  readFrom,
  refusal,
  temporaryFolder,
  type Options,
} from '../support/inputs.ts'
import { a, b, c, casesOf, reading, type Case } from '../support/texts.ts'

const folder = temporaryFolder()

test.each(casesOf('read'))('read: %s', async (_, content, expected, options) => {
  expect(await reading(content, options)).toBe(expected)
})

test.each<Case>([['gzip', gzipSync(`${a}\n`), 'is no text'], ...casesOf('refused')])(
  'refused: %s',
  async (_, content, expected, options = {}) => {
    const said = await reading(content, options)
    expect(said).toMatch(/^!/)
    for (const words of expected.split(' … ')) expect(said).toContain(words)
  },
)

describe('headings', () => {
  const usual = ['contactId', 'contact_id', 'contact id', 'contact.id', 'CONTACT', 'id']

  it.each([...usual, 'CONTACTID', 'Contact ID', '\u00a0ID '])('%j is one', async (heading) => {
    expect(await reading(`name;${heading}\nBob;@a\n`)).toBe('a2')
    expect(await reading(`${heading}\n@a\n`)).toBe('a2')
    expect(await reading(`name;${heading}\nBob;@a\n`, { column: 'n' })).toContain('no column "n"')
  })

  it.each(['id', 'ticket', 'TICKET', 'ticketId', 'Ticket ID', 'ticket.id'])(
    '%j is one of tickets',
    async (heading) => {
      for (const content of [`${heading}\n@a\n`, `name,${heading}\nBob,@a\n`])
        expect(await reading(content, { item: 'ticket' })).toBe('a2')
    },
  )

  it.each(['contact-id', 'contactids', 'my id', 'idx', 'ticketId', 'Contact', 'employee_id'])(
    '%j is none',
    async (heading) => {
      expect(await reading(`${heading}\n@a\n`)).toContain(`line 1: "${heading}"`)
      expect(await reading(`name,${heading}\nBob,@a\n`)).toContain('no column called')
    },
  )
})

describe('files and streams', () => {
  it('arguments, which have no line; a link', async () => {
    symlinkSync(folder.file('two.txt', `${a}\n${b}\n`), join(folder.path, 'link'))
    const words = [c, c.toUpperCase(), ` ${idOf(7)}`, '123456789012345678901234']
    const typed = await readFrom(hostOf(), { words })
    expect(typed.items.map(({ id, line }) => [id, line])).toEqual(
      [c, idOf(7), '123456789012345678901234'].map((id) => [id, 0]),
    )
    expect(typed.read).toBe(4)
    const { items } = await readFrom(hostOf(), { file: join(folder.path, 'link') })
    expect(items.map(({ id, line }) => [id, line])).toEqual([
      [a, 1],
      [b, 2],
    ])
  })

  it.each<[string, Options, string]>([
    ['no input', {}, 'no ids were given'],
    ['two inputs', { words: [a], file: 'x' }, 'give one input'],
    ['ids and a dash', { words: [a, '-'] }, 'give one input'],
    ['two dashes', { words: ['-'], file: '-' }, 'give one input'],
    ['--heading-row without a table', { words: [a], headingRow: 2 }, '--heading-row needs a file'],
    ['--where without a table', { words: [a], where: ['x=1'] }, '--where needs a file'],
    [
      'a sheet of a text',
      { words: ['-'], sheet: 'x' },
      '--sheet is not for standard input, which is no workbook',
    ],
  ])('%s is refused', async (_, options, words) => {
    expect((await refusal(readFrom(hostOf(a), options))).message).toContain(words)
  })

  it('a FIFO', async () => {
    const path = join(folder.path, 'fifo')
    spawnSync('mkfifo', [path])
    const writer = spawn('sh', ['-c', `printf '${a}\\n' > "$1"; `, 'sh', path])
    expect((await readFrom(hostOf(), { file: path })).items).toMatchObject([{ id: a }])
    writer.kill()
  })

  it('a terminal, at once; standard input twice; a stream that is given up is closed', async () => {
    const host = hostOf(new Readable({ read: () => undefined }))
    const isTerminal = { ...host.isTerminal, stdin: true }
    const error = await refusal(readFrom({ ...host, isTerminal }, { file: '-' }))
    expect([error.exitCode, error.message]).toEqual([
      2,
      expect.stringContaining('standard input is a terminal'),
    ])
    const twice = readFrom(hostOf(a), { words: ['-'], without: '/dev/stdin' })
    expect((await refusal(twice)).message).toContain('--without has no ids')
    const endless = new Readable({
      read() {
        this.push(Buffer.alloc(1 << 24))
      },
    })
    await refusal(readFrom(hostOf(endless), { file: '-' }))
    expect(endless.destroyed).toBe(true)
  })
})

describe('bad lines', () => {
  it('are told in order, as they stood; of a 10 MB line the beginning', async () => {
    const long = 'f'.repeat(10 << 20)
    const { lines = [] } = (await refusal(read(`${a}\nx\n${b}\n${long}\nz\n`))).details
    expect(lines.map((line) => line.replace(/^standard input /, '').slice(0, 16))).toEqual([
      ...['line 2: "x": con', 'line 4: "fffffff', 'line 5: "z": con'],
    ])
    expect(lines[1]?.length).toBeLessThan(200)
    expect(lines[1]).toContain('10,485,760 hexadecimal digits')
    expect(await reading(`id,x\n@a,"${long}"\n`)).toBe('a2')
  })

  it('a line that is made to be slow comes to an end, as a record of many lines does', async () => {
    const blanks = ' '.repeat(500_000)
    for (const line of [
      `a${blanks}b`,
      `ObjectId(${blanks}(`,
      `"${blanks}`,
      `1${'0'.repeat(500_000)}x`,
    ])
      for (const options of [{}, { column: '1' }, { where: ['x=1'] }])
        expect(await reading(`${line}\n@a\n`, options)).toMatch(/^!/)
    expect(await reading(`id,note\n@a,"${'x\n'.repeat(250_000)}"\n`)).toBe('a2')
  })
})

describe('Windows-1252', () => {
  const csv = (name: string): Buffer =>
    Buffer.concat([
      Buffer.from('Name;id\n'),
      Buffer.from(name, 'latin1'),
      Buffer.from(`;${a}\nx;${b}\n`),
    ])
  /** The bytes 80 to 9F; five have no character. */
  const upper = '€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ'

  it('is read, with a note', async () => {
    const { items, notes } = await read(csv('J\xfcrgen Gro\xdf'))
    expect(items.map(({ id }) => id)).toEqual([a, b])
    expect(notes).toEqual([expect.stringContaining('is read as Windows-1252')])
  })

  it.each(Array.from(upper, (character, n) => [0x80 + n, character] as const))(
    'byte %i',
    async (byte, character) => {
      const said = await reading(csv(String.fromCharCode(byte)), { where: [`Name=${character}`] })
      expect(said.split('\n')[0]).toBe(
        character === '\0' ? '!standard input is no text' : 'a2 | 1 left out | 2 notes',
      )
    },
  )
})

it('no bytes make it crash: they are read or refused with exit 2', async () => {
  const pieces = fc.constantFrom(
    a,
    a.toUpperCase(),
    '"id"',
    ...Array.from(',;\t"\'\n\r[]{}:#\ufeff= '),
    'id',
  )
  const texts = fc.array(pieces, { maxLength: 25 }).map((parts) => Buffer.from(parts.join('')))
  await fc.assert(
    fc.asyncProperty(fc.oneof(texts, fc.uint8Array({ maxLength: 60 })), async (bytes) => {
      expect(await reading(Buffer.from(bytes))).not.toContain('were read')
    }),
    { numRuns: amount(300) },
  )
})

/** Texts of files, and the ids and pairs that are read of them. What is wrong with a line is said in test/input/id-files.txt. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, test } from 'vitest'
import { root, wordsOf } from '../support/svc.ts'
import type { Options } from '../support/inputs.ts'
import { a, assign, merge, reading, text, utf16, type Case } from '../support/texts.ts'

const tickets = { item: 'ticket' } as const
const kinds: Readonly<Record<string, Options>> = {
  merge,
  assign,
  tickets,
}
const encodings: Readonly<Record<string, (text: string) => Buffer>> = {
  'UTF-16': (short) => utf16(short),
  'UTF-16BE': (short) => utf16(short, true),
  'Latin-1': (short) => Buffer.from(text(short), 'latin1'),
}

/** A cell of `read.txt` without its escapes and repetitions. */
const unescaped = (cell: string): string =>
  (JSON.parse(`"${cell.replaceAll('"', '\\"')}"`) as string).replace(
    /<<(.*?)\*(\d+)>>/gs,
    (_, repeated: string, times: string) => repeated.repeat(Number(times)),
  )

/** The options of a row, as they are typed. */
function optionsOf(words: readonly string[]): Options {
  const valuesOf = (option: string): string[] =>
    words.filter((_, n) => words[n - 1] === option).map((value) => text(value))
  const [column] = valuesOf('--column')
  const [headingRow] = valuesOf('--heading-row').map(Number)
  const where = valuesOf('--where')
  return {
    ...Object.assign({}, ...words.map((word) => kinds[word] ?? {})),
    ...(words.includes('not-empty') && { allowEmpty: false }),
    ...(column !== undefined && { column }),
    ...(headingRow !== undefined && { headingRow }),
    ...(where.length > 0 && { where }),
  }
}

/** The cases of a section of `read.txt`. */
function casesOf(section: string): Case[] {
  const [, rows = ''] = readFileSync(join(root, 'test/input/read.txt'), 'utf8').split(
    `## ${section}\n`,
  )
  return (rows.split('\n\n')[0] ?? '')
    .trimEnd()
    .split('\n')
    .map((row) => {
      const [name = '', content = '', expected = '', options = ''] = row.split(' :: ')
      const words = wordsOf(unescaped(options))
      const encode = encodings[words[0] ?? ''] ?? ((short: string) => short)
      return [name, encode(unescaped(content)), unescaped(expected), optionsOf(words)]
    })
}

test.each(casesOf('read'))('read: %s', async (_, content, expected, options) => {
  expect(await reading(content, options)).toBe(expected)
})

/** Each of these words is said; a name in quotes is one of the input. */
test.each<Case>([['gzip', gzipSync(`${a}\n`), 'is not UTF-8 text'], ...casesOf('refused')])(
  'refused: %s',
  async (_, content, expected, options = {}) => {
    const said = await reading(content, options)
    expect(said).toMatch(/^!/)
    for (const words of expected.split(' … ')) expect(said).toContain(words)
  },
)

describe('headings', () => {
  const usual = ['contactId', 'contact_id', 'contact id', 'contact.id', 'CONTACT', 'id']
  const typed = [
    'CONTACTID',
    'Contact ID',
    'ID',
    '\u200bcontact_id',
    'contact\u00a0id\u00ad',
    'i\ufeffd',
  ]

  it.each([...usual, ...typed])('%j is one', async (heading) => {
    expect(await reading(`name;${heading}\nBob;@a\n`)).toBe('a2')
    expect(await reading(`${heading}\n@a\n`)).toBe('a2')
    expect(await reading(JSON.stringify([{ name: 'Bob', [heading]: a }]))).toBe('a1')
    expect(await reading(`name;${heading}\nBob;@a\n`, { column: 'n' })).toContain('no column "n"')
  })

  it.each(['id', 'ticket', 'TICKET', 'ticketId', 'Ticket ID', 'ticket.id'])(
    '%j is one of tickets',
    async (heading) => {
      for (const content of [`${heading}\n@a\n`, `name,${heading}\nBob,@a\n`])
        expect(await reading(content, tickets)).toBe('a2')
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

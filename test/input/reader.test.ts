/** Texts of files, and the ids and pairs that are read of them. What is wrong with a line is said in test/transcripts/ids.txt. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, test } from 'vitest'
import { root, wordsOf } from '../svc.ts'
import type { Options } from './inputs.ts'
import { a, assign, merge, reading, text, utf16, type Case } from './texts.ts'

const tickets = { item: 'ticket' } as const
const skipping = { skipInvalid: true } as const
const kinds: Readonly<Record<string, Options>> = {
  merge,
  assign,
  tickets,
  '--skip-invalid': skipping,
}
const encodings: Readonly<Record<string, (text: string) => Buffer>> = {
  'UTF-16': (short) => utf16(short),
  'UTF-16BE': (short) => utf16(short, true),
  'Latin-1': (short) => Buffer.from(text(short), 'latin1'),
}

/** A cell of `reader.txt` without its escapes and repetitions. */
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
  const where = valuesOf('--where')
  return {
    ...Object.assign({}, ...words.map((word) => kinds[word] ?? {})),
    ...(words.includes('not-empty') && { allowEmpty: false }),
    ...(column !== undefined && { column }),
    ...(where.length > 0 && { where }),
  }
}

/** The cases of a section of `reader.txt`. */
function casesOf(section: string): Case[] {
  const [, rows = ''] = readFileSync(join(root, 'test/input/reader.txt'), 'utf8').split(
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
test.each<Case>([['gzip', gzipSync(`${a}\n`), 'gzip archive … gunzip'], ...casesOf('refused')])(
  'refused: %s',
  async (_, content, expected, options = {}) => {
    const said = await reading(content, options)
    expect(said).toMatch(/^!/)
    for (const words of expected.split(' … ')) expect(said).toContain(words)
    // Skipping bad lines makes no text of what is refused as a whole.
    const skipped = await reading(content, { ...options, skipInvalid: true })
    const areSkipped =
      said.split('\n')[0]?.endsWith('invalid') === true &&
      !said.includes('cannot skip lines like these')
    expect(skipped.startsWith('!')).toBe(!areSkipped)
  },
)

it('a first row with an id in it is not the heading', async () => {
  const words = await reading('Ann,@a\nBen,@b\n', { column: '1' })
  expect(words).toContain('line 1: "Ann"')
})

describe('headings', () => {
  const nouns = ['contact', 'ticket', 'employee', 'source', 'target']
  const usual = [
    'id',
    'contact.id',
    'CONTACT',
    ...nouns.flatMap((each) => [`${each}Id`, `${each}_id`, `${each} id`]),
  ]
  const typed = ['\u200bcontact_id', 'contact\u00a0id\u00ad', '"ID"', 'i\ufeffd']
  const upper = usual.map((heading) => heading.toUpperCase())

  it.each([...usual, ...upper, ...typed])('%j is one', async (heading) => {
    expect(await reading(`name;${heading}\nBob;@a\n`)).toBe('a2')
    const key = heading.replaceAll('"', '')
    expect(await reading(JSON.stringify([{ name: 'Bob', [key]: a }]))).toBe('a1')
    expect(await reading(`name;${heading}\nBob;@a\n`, { column: 'n' })).toContain('no column "n"')
  })

  it.each(['id', 'ticket', 'TICKET', 'ticketId', 'Ticket ID'])(
    '%j is one of tickets',
    async (heading) => {
      for (const content of [`${heading}\n@a\n`, `name,${heading}\nBob,@a\n`])
        expect(await reading(content, tickets)).toBe('a2')
    },
  )

  it.each(['contact-id', 'contactids', 'my id', 'idx', 'ticket.id'])(
    '%j is none',
    async (heading) => {
      expect(await reading(`${heading}\n@a\n`)).toContain(`line 1: "${heading}"`)
      expect(await reading(`name,${heading}\nBob,@a\n`)).toContain('no single column')
    },
  )
})

/** Texts of files, and the ids and pairs that are read of them. What is wrong with a line is said in test/transcripts/ids.txt. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, test } from 'vitest'
import { isReach } from '../../src/input/id.ts'
import { root, wordsOf } from '../svc.ts'
import { a, assign, merge, reading, text, utf16, type Case, type Options } from './texts.ts'

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

test('the error with which ndjson of a command that failed ends is refused, and no word is', async () => {
  const error = `{"type":"error","error":{"category":"unavailable"}}`
  for (const content of [`{"id":"@a"}\n${error}\n`, `${error}\n`, `[{"id":"@a"},${error}]`])
    for (const skipInvalid of [false, true])
      expect(await reading(content, { skipInvalid, allowEmpty: true })).toContain(
        'this input is incomplete',
      )
  expect(await reading('state,id\nIncomplete,@a\n#incomplete: x,@b\n')).toBe('a2 b3')
})

test.each([
  ['an empty file', ''],
  ['blanks and comments', ' \n# none\n'],
  ['lines without an id', 'Ann\n'],
])('%s is refused, and accepted with --allow-empty', async (_, content) => {
  const found = (allowEmpty: boolean) => reading(content, { skipInvalid: true, allowEmpty })
  expect(await found(false)).toContain('has no ids')
  expect(await found(true)).not.toContain('has no ids')
})

test.each([
  ['an empty list', '[]'],
  ['a heading of a list', 'id\n'],
  ['a heading of a table', 'name;contactId\n'],
  ['a heading of pairs', 'source,target\n', merge],
])('%s is whole', async (_, content, options = {}) => {
  expect(await reading(content, { ...options, allowEmpty: false })).toBe('')
})

test.each([
  ['read', 'id,name,status\n@a,Doe, John,keep\n', {}],
  ['judged by --where', 'id,name,status\n@a,Doe, John,keep\n', { where: ['status!=keep'] }],
  ['left out', 'id,name,status\n@a,Doe, John,keep\n', { where: ['status=done'] }],
  ['taken as a pair', 'source,target\n@a,@b,x\n', merge],
])('a row with more cells than headings is not %s', async (_name, content, options) => {
  expect(await reading(content, options)).toMatch(/^!1 id is invalid\n.* line 2: .*more cells/)
  expect(await reading(content, { ...options, skipInvalid: true })).toBe(' | 1 invalid')
})

test('blank cells behind those of the headings, and fewer cells, are no mistake', async () => {
  expect(await reading('id,name\n@a,x,, \n@b\n')).toBe('a2 b3')
})

it('a phone number has 15 digits at most, and 00 before them', () => {
  expect(isReach(`00${'1'.repeat(15)}`)).toBe(true)
  expect(isReach(`00${'1'.repeat(16)}`)).toBe(false)
})

it('a first row with an id in it is not the heading', async () => {
  const words = await reading('Ann,@a\nBen,@b\n', { column: '1' })
  expect(words).toContain('line 1: "Ann"')
  expect(words).not.toContain('if this is the heading')
})

it('the first of two equally wide rows above the data is the heading', async () => {
  const rows = 'Kunde;Ort;Wert\nin full;town;number\nAnn;Bonn;x@a\n'
  expect(await reading(rows, { column: 'Other' })).toContain(
    'its columns are "Kunde", "Ort", "Wert"',
  )
})

describe('headings', () => {
  const nouns = ['contact', 'ticket', 'employee', 'source', 'target']
  const usual = [
    'id',
    'contact.id',
    'CONTACT',
    ...nouns.flatMap((each) => [`${each}Id`, `${each}_id`, `${each} id`]),
  ]
  const typed = [
    'contactId:',
    ' Contact ID : ',
    '\u200bcontact_id',
    'contact\u00a0id\u00ad',
    'ID：',
    '"ID:"',
    'i\ufeffd',
  ]
  const upper = usual.map((heading) => heading.toUpperCase())

  it.each([...usual, ...upper, ...typed])('%j is one', async (heading) => {
    expect(await reading(`name;${heading}\nBob;@a\n`)).toBe('a2')
    expect(await reading(JSON.stringify([{ name: 'Bob', [heading]: a }]))).toBe('a1')
    expect(await reading(`name;${heading}\nBob;@a\n`, { column: 'n:' })).toContain('no column "n:"')
  })

  it.each(['id', 'ticket', 'TICKET:', 'ticketId', 'Ticket ID'])(
    '%j is one of tickets',
    async (heading) => {
      for (const content of [`${heading}\n@a\n`, `name,${heading}\nBob,@a\n`])
        expect(await reading(content, tickets)).toBe('a2')
    },
  )

  it('"Contact" is one, unless there is another', async () => {
    expect(await reading('name,Contact\nBob,@a\n')).toBe('a2')
    expect(await reading('Contact,contactId\nBob,@a\n')).toBe('a2')
  })

  it.each(['contact-id', 'contactids', 'my id', 'idx', 'ticket.id'])(
    '%j is none',
    async (heading) => {
      expect(await reading(`${heading}\n@a\n`)).toContain(`line 1: "${heading}"`)
      expect(await reading(`name,${heading}\nBob,@a\n`)).toContain('none is called')
    },
  )

  it.each([
    ['csv', 'id,contact.id\n@b,@a\n'],
    ['csv of capitals', '"Contact.ID";"ID"\n@a;@b\n'],
    ['JSON', '[{"id":"@b","contact":{"id":"@a"}}]'],
    ['NDJSON', '{"id":"@b","contact":{"id":"@a"}}\n'],
    ['NDJSON of fields', '{"id":"@b","contact.id":"@a"}\n'],
  ])('the id of a membership is never taken: %s', async (_, content) => {
    for (const how of [{}, { column: 'contact.id' }, { column: 'CONTACT.id' }])
      expect(await reading(content, how)).toMatch(/^a[12]$/)
    for (const column of ['id', 'ID', ...(content.startsWith('id') ? ['1'] : [])])
      expect(await reading(content, { column })).toMatch(/^!.*memberships[^]*--column contact.id/)
  })
})

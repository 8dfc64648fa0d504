import { shownText } from './support/shown-text.ts'
import { describe, expect, it } from 'vitest'
import { quote } from '../src/wording.ts'
import {
  formatDuration,
  lengthParser,
  parseChoice,
  parseCount,
  parseDuration,
  parseLimit,
} from '../src/parsing.ts'
import { SvcError } from '../src/errors.ts'

/** The message and hint of the usage error that `action` throws. */
function mistake(action: () => unknown): string {
  try {
    action()
  } catch (error) {
    if (!(error instanceof SvcError) || error.exitCode !== 2) throw error
    return shownText(error)
  }
  throw new Error('nothing was thrown')
}

const formats = ['table', 'json', 'ndjson', 'csv'] as const
const wordsOf = (texts: string): string[] => texts.split(' ')

interface Parser {
  readonly parse: (text: string) => unknown
  readonly takes: Readonly<Record<string, unknown>>
  readonly refuses: readonly string[]
  /** The message of every refusal, before the typed text. */
  readonly words: string
}

const parsers: Readonly<Record<string, Parser>> = {
  counts: {
    parse: (text) => parseCount(text, '--concurrency', { min: 1, max: 100 }),
    takes: { '1': 1, '007': 7, '100': 100 },
    refuses: ['', ' 1', '1 ', ...wordsOf('0 101 1e3 0x10 -1 +1 1.0 1,000 ١ NaN')],
    words: '--concurrency takes a whole number from 1 to 100, not ',
  },
  limits: {
    parse: (text) => parseLimit(text, '--limit'),
    takes: { '7': 7, all: 'all' },
    // More digits than a number keeps.
    refuses: wordsOf('0 1e3 0x10 -1 1.0 ALL 9007199254740993'),
    words: '--limit takes a whole number, at least 1, or "all", not ',
  },
  durations: {
    parse: (text) => parseDuration(text, '--within'),
    takes: { '500ms': 500, '30s': 30_000, '2m': 120_000, '1h': 3_600_000, '24h': 86_400_000 },
    refuses: ['', '1 s', ...wordsOf('30 s 1.5s -1s 1S 1d 1w 1h30m 1e3s 25h')],
    words: '--within takes a duration such as 500ms, 30s, 2m or 1h (0ms to 24h), not ',
  },
}

describe.each(Object.entries(parsers))('%s', (_, { parse, takes, refuses, words }) => {
  it.each(Object.entries(takes))('take %j', (text, value) => {
    expect(parse(text)).toEqual(value)
  })

  it.each(refuses)('refuse %j', (text) => {
    const said = mistake(() => parse(text))
    expect(said.startsWith(words)).toBe(true)
    expect(said).toContain(quote(text))
  })
})

it('a choice that is none is followed by all of them', () => {
  expect(parseChoice('csv', 'a format', formats)).toBe('csv')
  for (const text of ['', 'yaml', 'toString'])
    expect(mistake(() => parseChoice(text, 'a format', formats))).toBe(
      `"${text}" is not a format; choose table, json, ndjson, or csv`,
    )
})

it('a length that is wrong is told with the limit', () => {
  const parse = lengthParser({ min: 1, max: 1000 })
  expect(parse('😀'.repeat(1000), '--search')).toHaveLength(2000)
  const long = mistake(() => parse('x'.repeat(1001), '--search'))
  expect(long).toBe('--search has 1,001 characters; the limit is 1,000')
  expect(mistake(() => parse('', '--search'))).toBe('--search must have at least 1 character')
})

it('the words of a refusal name the bounds that there are', () => {
  expect(parseCount('0', '--retries', { min: 0 })).toBe(0)
  expect(mistake(() => parseCount('0', '-n', { min: 1 }))).toContain('number, at least 1,')
  expect(mistake(() => parseCount('x', '--expect'))).toContain('a whole number,')
  expect(mistake(() => parseCount('1001', '--n', { max: 1000 }))).toContain('from 0 to 1,000')
  expect(mistake(() => parseDuration('0s', '--timeout', { min: 1, max: 1000 }))).toContain(
    '1h (1ms to 1s), not "0s"',
  )
})

it('durations are written as they are read', () => {
  const written = [500, 30_000, 90_000, 120_000, 86_400_000, 0].map((ms) => formatDuration(ms))
  expect(written).toEqual(['500ms', '30s', '90s', '2m', '24h', '0ms'])
})

import { describe, expect, it } from 'vitest'
import { closest, joinOr, quote } from '../src/words.ts'
import {
  formatDuration,
  parseChoice,
  parseCount,
  parseDuration,
  parseId,
  parseLimit,
  parseRate,
  parseShard,
  parseTicket,
  parseTime,
} from '../src/values.ts'
import { SvcError } from '../src/errors.ts'

/** The message and hint of the usage error that `action` throws. */
function mistake(action: () => unknown): string {
  try {
    action()
  } catch (error) {
    if (!(error instanceof SvcError) || error.exitCode !== 2) throw error
    return [error.message, error.details.hint].filter((part) => part !== undefined).join('\n')
  }
  throw new Error('nothing was thrown')
}

describe('counts', () => {
  it.each([
    ['1', 1],
    ['007', 7],
    ['100', 100],
  ])('takes %s', (text, value) => {
    expect(parseCount(text, '--concurrency', { min: 1, max: 100 })).toBe(value)
  })

  it.each(['0', '101', '1e3', '0x10', '12abc', '-1', '+1', '1.0', '', ' 1', '1 ', '1,000', '١', 'NaN', '9'.repeat(40)])(
    'refuses "%s"',
    (text) => {
      expect(mistake(() => parseCount(text, '--concurrency', { min: 1, max: 100 }))).toBe(
        `--concurrency takes a whole number from 1 to 100, not ${quote(text)}`,
      )
    },
  )

  it('names the bounds that there are', () => {
    expect(mistake(() => parseCount('0', '--page', { min: 1 }))).toContain('a whole number, at least 1,')
    expect(mistake(() => parseCount('x', '--expect'))).toContain('a whole number,')
    expect(mistake(() => parseCount('1001', '--n', { max: 1000 }))).toContain('at most 1,000')
  })

  it('has zero where zero is allowed', () => {
    expect(parseCount('0', '--retries', { min: 0 })).toBe(0)
  })
})

describe('limits', () => {
  it('takes a number or all', () => {
    expect(parseLimit('7', '--limit')).toBe(7)
    expect(parseLimit('all', '--limit')).toBe('all')
  })

  it.each(['0', '1e3', '0x10', '12abc', '-1', '1.0', 'ALL', ''])('refuses "%s"', (text) => {
    expect(mistake(() => parseLimit(text, '--limit'))).toBe(
      `--limit takes a whole number, at least 1, or "all", not "${text}"`,
    )
  })
})

describe('durations', () => {
  it.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['2m', 120_000],
    ['1h', 3_600_000],
    ['7d', 604_800_000],
    ['0s', 0],
  ])('takes %s', (text, ms) => {
    expect(parseDuration(text, '--deadline')).toBe(ms)
  })

  it.each(['', '30', 's', '1.5s', '-1s', '1 s', '1S', '1w', '1h30m', '1e3s', '99999d', '3651d', '999999999999d'])(
    'refuses "%s"',
    (text) => {
      expect(mistake(() => parseDuration(text, '--deadline'))).toContain('such as 500ms, 30s, 2m, 1h or 7d')
    },
  )

  it('keeps within bounds', () => {
    expect(mistake(() => parseDuration('0s', '--timeout', { min: 1, max: 1000 }))).toBe(
      '--timeout takes a duration of at least 1ms and at most 1s, not "0s"',
    )
  })

  it.each([
    [500, '500ms'],
    [30_000, '30s'],
    [90_000, '90s'],
    [120_000, '2m'],
    [86_400_000, '1d'],
    [0, '0ms'],
  ])('writes %i as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
  })
})

describe('times', () => {
  const now = Date.parse('2026-03-10T12:00:00Z')

  it.each([
    ['2026-03-01T10:15:00Z', '2026-03-01T10:15:00.000Z'],
    ['2026-03-01T10:15Z', '2026-03-01T10:15:00.000Z'],
    ['2026-03-01t10:15:00.5z', '2026-03-01T10:15:00.500Z'],
    ['2026-03-01 10:15:00+02:00', '2026-03-01T08:15:00.000Z'],
    ['2026-03-01T10:15:00.123456-0330', '2026-03-01T13:45:00.123Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['2d', '2026-03-08T12:00:00.000Z'],
    ['90s', '2026-03-10T11:58:30.000Z'],
    ['1w', '2026-03-03T12:00:00.000Z'],
  ])('takes %s', (text, moment) => {
    expect(new Date(parseTime(text, now)).toISOString()).toBe(moment)
  })

  it('takes what has no offset as local time', () => {
    expect(parseTime('2026-03-01', now)).toBe(new Date(2026, 2, 1).getTime())
    expect(parseTime('2026-03-01T10:15', now)).toBe(new Date(2026, 2, 1, 10, 15).getTime())
  })

  it('takes yesterday as its midnight, local time, and through a change of the clock', () => {
    expect(parseTime('yesterday', now)).toBe(new Date(2026, 2, 9).getTime())
    const zone = process.env['TZ']
    process.env['TZ'] = 'Europe/Berlin'
    try {
      expect(new Date(parseTime('yesterday', Date.parse('2026-03-30T10:00:00Z'))).toISOString()).toBe(
        '2026-03-28T23:00:00.000Z',
      )
    } finally {
      if (zone === undefined) delete process.env['TZ']
      else process.env['TZ'] = zone
    }
  })

  it.each([
    '',
    'tomorrow',
    'Yesterday',
    '1.5w',
    '600w',
    '2026-02-30',
    '2026-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-04-31',
    '2026-03-01T24:00Z',
    '2026-03-01T10:60Z',
    '2026-3-1',
    '20260301',
    '1772359200',
    '2026-03-01T10:15:00Z ',
    '2026-03-01T10',
  ])('refuses "%s"', (text) => {
    expect(mistake(() => parseTime(text, now, '--since'))).toMatch(/^--since takes a date \(2026-03-01\)/)
  })
})

describe('ids', () => {
  it('keeps the spelling', () => {
    expect(parseId('64B000000000000000000aBc', 'the list')).toBe('64B000000000000000000aBc')
  })

  it.each([
    ['64b00000000000000000abc', 'the ticket must be 24 hexadecimal digits; "64b00000000000000000abc" has 23'],
    ['../employees', 'the ticket must be 24 hexadecimal digits, not "../employees"'],
    ['', 'the ticket must be 24 hexadecimal digits, not ""'],
  ])('refuses "%s"', (text, message) => {
    expect(mistake(() => parseId(text, 'the ticket'))).toBe(message)
  })

  it.each([
    ' 64b000000000000000000abc',
    '64b000000000000000000abc\n',
    '"64b000000000000000000abc"',
    "'64b000000000000000000abc' ",
  ])('takes the id out of %j', (text) => {
    expect(parseId(text, 'the ticket')).toBe('64b000000000000000000abc')
  })

  it.each(['a?x=1', '..%2f..', '64b0000000000000000000/c', 'g4b000000000000000000abc'])(
    'refuses "%s" for a path',
    (text) => {
      expect(mistake(() => parseId(text, 'the ticket'))).toContain('must be 24 hexadecimal digits')
    },
  )
})

describe('tickets', () => {
  const id = '64b000000000000000000abc'

  it.each([
    id,
    ` "${id}" `,
    `https://app.example.com/inbox/tickets/${id}`,
    `https://app.example.com/inbox?ticket=${id}&tab=history#top`,
    `https://app.example.com/inbox%2F${id}%3Ftab`,
    `app.example.com:8443/tickets/${id}/`,
    `  https://app.example.com/${id}#${id.toUpperCase()}\n`,
  ])('takes the id out of %j', (text) => {
    expect(parseTicket(text).toLowerCase()).toBe(id)
  })

  it.each([
    ['https://app.example.com/inbox', 'the address has no ticket id in it: 24 hexadecimal digits'],
    [`https://app.example.com/${id}0`, 'the address has no ticket id in it: 24 hexadecimal digits'],
    [`https://app.example.com/x${id}`, 'the address has no ticket id in it: 24 hexadecimal digits'],
    [`https://app.example.com/64b000000000000000000111/${id}`, "the address has 2 ids in it: give the ticket's alone"],
    [`../${id}`, `the ticket must be 24 hexadecimal digits, not "../${id}"`],
  ])('refuses %j', (text, message) => {
    expect(mistake(() => parseTicket(text))).toBe(message)
  })
})

describe('shards', () => {
  it('counts from one', () => {
    expect(parseShard('2/4')).toEqual({ index: 2, count: 4 })
    expect(parseShard('1/1')).toEqual({ index: 1, count: 1 })
  })

  it.each(['0/4', '5/4', '1', '1/', '/4', '1/0', 'a/b', '1/4/2', '-1/4', '1 / 4'])('refuses "%s"', (text) => {
    expect(mistake(() => parseShard(text))).toContain('for example 2/4')
  })
})

describe('rates', () => {
  it.each([
    ['10/s', 10],
    ['10', 10],
    ['0.5/s', 0.5],
    ['0.001', 0.001],
  ])('%s', (text, rate) => {
    expect(parseRate(text)).toBe(rate)
  })

  it.each(['0', '0.0/s', '-1', '10/m', '1e3', '.5', '10 /s', '', 'fast'])('refuses "%s"', (text) => {
    expect(mistake(() => parseRate(text))).toContain('for example 10/s or 0.5/s')
  })
})

describe('choices', () => {
  const formats = ['table', 'json', 'ndjson', 'csv'] as const

  it('takes one of them', () => {
    expect(parseChoice('csv', '-o', formats)).toBe('csv')
  })

  it('suggests a near one', () => {
    expect(mistake(() => parseChoice('jsn', '-o', formats))).toBe(
      '-o takes table, json, ndjson or csv, not "jsn"\ndid you mean json?',
    )
  })

  it('suggests nothing when none is near', () => {
    expect(mistake(() => parseChoice('yaml', '-o', ['table', 'csv']))).toBe('-o takes table or csv, not "yaml"')
  })

  it.each([
    ['prdo', 'prod'],
    ['PROD', 'prod'],
    ['stagign', 'staging'],
    ['st', undefined],
    ['', undefined],
    ['production-eu', undefined],
  ])('finds what is closest to "%s"', (word, found) => {
    expect(closest(word, ['prod', 'staging'])).toBe(found)
  })

  it('lists words', () => {
    expect(joinOr([])).toBe('')
    expect(joinOr(['a'])).toBe('a')
    expect(joinOr(['a', 'b', 'c'])).toBe('a, b or c')
  })
})

it('shows at most 60 characters of what was typed', () => {
  expect(quote('x'.repeat(61))).toBe(`"${'x'.repeat(57)}…"`)
  expect(quote('x'.repeat(60))).toBe(`"${'x'.repeat(60)}"`)
})

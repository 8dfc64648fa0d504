import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { safe } from '../../src/output/text/safe.ts'
import { cells, truncate, wrap } from '../../src/output/text/width.ts'
import { ordinary, show } from './screen.ts'

test('a terminal agrees on the cells of a text', async () => {
  const others = [
    '',
    'e\u0301',
    'ｶﾅ',
    '한국',
    '\u1112\u1161\u11ab',
    '👩‍👩‍👧‍👦',
    '❤',
    '🇩',
    '\u3000',
    'नमस्ते',
    'ไทย',
    '葛\u{e0100}城',
  ]
  const texts = [...ordinary, ...others, '🏳️‍🌈 ok', '👩🏻‍❤️‍💋‍👨🏿'].map((text) => safe(text))
  const screen = await show(texts.map((text) => `${text}|\n`).join(''), { columns: 60 })
  expect(texts.map((text, line) => [text, screen.from(line, cells(text))])).toEqual(texts.map((text) => [text, '|']))
})

describe('truncate', () => {
  test.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdef', 5, 'abcd…'],
    ['abcdef', 1, '…'],
    ['abcdef', 0, '…'],
    ['客户名单', 7, '客户名…'],
    ['客户名单', 6, '客户…'],
    ['👩‍👩‍👧x y', 3, '👩‍👩‍👧…'],
    ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
  ])('%j to %d is %j', (text, width, cut) => {
    expect(truncate(text, width)).toBe(cut)
  })
})

describe('wrap', () => {
  test('at blanks, and inside of words that are too long', () => {
    expect(wrap('the quick brown fox', 10)).toEqual(['the quick', 'brown fox'])
    expect(wrap('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij'])
    expect(wrap('客户名单', 5)).toEqual(['客户', '名单'])
    expect(wrap('', 10)).toEqual([''])
    expect(wrap('  indented', 20)).toEqual(['  indented'])
  })

  test('loses nothing but blanks, and no line is too wide', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.integer({ min: 2, max: 40 }), (raw, width) => {
        const text = safe(raw)
        const lines = wrap(text, width)
        expect(lines.join('').replaceAll(/[ \t]/g, '')).toBe(text.replaceAll(/[ \t]/g, ''))
        for (const line of lines) expect(cells(line)).toBeLessThanOrEqual(width)
      }),
      { numRuns: 500 },
    )
  })
})

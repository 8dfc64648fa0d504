import { describe, expect, test } from 'vitest'
import { escapeControls, jsonText, Redactor, safe, withArrows } from '../src/safe-text.ts'

describe('what is not drawn becomes visible', () => {
  test.each<[string, string, string]>([
    ['an escape sequence', 'a\u001b[2Jb', 'a\\u{1b}[2Jb'],
    ['a C1 introducer', '\u009b2J', '\\u{9b}2J'],
    ['delete and null', '\u007f\u0000', '\\u{7f}\\u{0}'],
    ['line breaks and tabs', 'a\r\nb\n\tc', 'a\\u{d}\\u{a}b\\u{a}\\u{9}c'],
    ['separators', '\u2028\u2029\u0085', '\\u{2028}\\u{2029}\\u{85}'],
    ['bidi controls', '\u061c\u200f\u202e\u2066', '\\u{61c}\\u{200f}\\u{202e}\\u{2066}'],
    ['zero width', '\u200b\u2060\ufeff\u00ad', '\\u{200b}\\u{2060}\\u{feff}\\u{ad}'],
    ['annotations and tags', '\ufff9a\u{e0041}', '\\u{fff9}a\\u{e0041}'],
    ['lone surrogates', '\ud800a\udc00', '\\u{d800}a\\u{dc00}'],
    ['no characters', '\uffff\u{1ffff}\ue000\u{f0000}', '\\u{ffff}\\u{1ffff}\\u{e000}\\u{f0000}'],
    ['Hangul fillers', '\u115f\u3164\uffa0', '\\u{115f}\\u{3164}\\u{ffa0}'],
    ['joiners at an edge', '\u200da می\u200c', '\\u{200d}a می\\u{200c}'],
    ['two joiners', 'م\u200c\u200cی', 'م\\u{200c}\\u{200c}ی'],
    ['a selector on a digit', '1\ufe0f', '1\\u{fe0f}'],
    ['smuggled bytes', '😀\u{e0110}\u{e0120}', '😀\u{e0110}\\u{e0120}'],
    ['the rest of a text', 'é 客户 \u001b', 'é 客户 \\u{1b}'],
  ])('%s', (_, text, visible) => {
    expect(safe(text)).toBe(visible)
    expect(JSON.parse(jsonText(text))).toBe(Buffer.from(text).toString())
  })

  test('line breaks and tabs stay where they are wanted', () => {
    expect(safe('a\tb\r\nc\nd\re\u001b', 'lines')).toBe('a\tb\r\nc\nd\\u{d}e\\u{1b}')
  })
})

test('in a file only control characters are escaped, and what a workbook cannot have', () => {
  const text = 'a\tb\r\nc\rd \u200b\u202e\u2028V\u00adI\u{e0041}'
  expect(escapeControls(text)).toBe(text)
  expect(escapeControls('a\u0000\u001b[2J\u0085\uffff')).toBe('a\\u{0}\\u{1b}[2J\\u{85}\\u{ffff}')
})

test('a line break is an arrow where a text must be one line', () => {
  expect(withArrows('a\r\nb\nc\rd')).toBe('a ↵ b ↵ c\rd')
})

test.each([
  ['plain', 'Anna Berg <anna@example.com> \\u{1b}'],
  ['Latin with marks', 'Übergröße Ł é Tiê\u0301ng Việt'],
  ['Chinese, Japanese, Korean', '客户名单 ありがとう 고객 한\u1161'],
  ['a variant of an ideograph', '葛\u{e0100}城 邉\u{e0101}'],
  ['Persian and Sinhala with joiners', 'می\u200cخواهم ශ්\u200dරී'],
  ['Mongolian selector', 'ᠠ\u180b'],
  ['families and skins', '👩‍👩‍👧‍👦 👍🏽 🧑🏽‍🤝‍🧑🏿 👁️‍🗨️ 🏳️‍🌈 ❤️‍🔥 👩🏻‍❤️‍💋‍👨🏿'],
  ['flags', '🇩🇪'],
  ['keycaps', '1️⃣ #️⃣ *⃣'],
  ['odd blanks', 'a\u00a0b\u3000c\u2003d'],
])('ordinary writing stays as it is: %s', (_, text) => {
  expect(safe(text)).toBe(text)
  expect(JSON.parse(jsonText(text))).toBe(text)
})

test('JSON: an unpaired surrogate is U+FFFD; a pair, and a backslash before such words, stay', () => {
  const value = {
    'k\ud800': ['a\ud83d', '\udc00b', '\ud83d\ude00', '\\ud83d', '\\\ud83d', '\ude00\ud83d'],
  }
  expect(jsonText(value)).toBe(
    String.raw`{"k\ufffd":["a\ufffd","\ufffdb","\ud83d\ude00","\\ud83d","\\\ufffd","\ufffd\ufffd"]}`
      .replaceAll(String.raw`\ufffd`, '\ufffd')
      .replace(String.raw`"\ud83d\ude00"`, '"\ud83d\ude00"'),
  )
})

test('JSON: what is not drawn is escaped, line breaks between values stay', () => {
  expect(jsonText({ a: '\u001b\u009b\u202e\u{e0041}\ue000 é' })).toBe(
    '{"a":"\\u001b\\u009b\\u202e\\udb40\\udc41\\ue000 é"}',
  )
  expect(jsonText(['\u202e'], 2)).toBe('[\n  "\\u202e"\n]')
  expect(jsonText(undefined)).toBe('null')
})

const value = 'k9/+"q\\uote"…é'

function hiding(...secrets: readonly string[]): Redactor {
  const redactor = new Redactor()
  for (const each of secrets) redactor.addSecret(each)
  return redactor
}

describe('a secret', () => {
  test('is hidden as it is and in JSON, more than once', () => {
    const clean = hiding(value).hide(`${value} ${JSON.stringify({ a: value })} ${value}`)
    expect(clean).toBe('[hidden] {"a":"[hidden]"} [hidden]')
  })

  test('is hidden in texts and names of a document, which stays what it is otherwise', () => {
    const document = { [value]: [1, null, `x${value}`, { deep: value }] }
    const hidden = { '[hidden]': [1, null, 'x[hidden]', { deep: '[hidden]' }] }
    expect(hiding(value).hide(document)).toEqual(hidden)
  })

  test('that is too short hides no words, and its characters mean themselves', () => {
    expect(hiding('', 'ordinar').hide('an ordinary word')).toBe('an ordinary word')
    expect(hiding('a.c*(x)[y]$^|').hide('abc a.c*(x)[y]$^| $&')).toBe('abc [hidden] $&')
  })
})

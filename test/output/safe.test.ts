import { describe, expect, test } from 'vitest'
import { jsonText, safe } from '../../src/safe-text.ts'

describe('unprintable characters become visible', () => {
  test.each<[string, string, string]>([
    ['an escape sequence', 'a\u001b[2Jb', 'a\\u{1b}[2Jb'],
    ['a C1 introducer', '\u009b2J', '\\u{9b}2J'],
    ['delete and null', '\u007f\u0000', '\\u{7f}\\u{0}'],
    ['carriage return and line end', 'a\r\nb\nc', 'a\\u{d}\\u{a}b\\u{a}c'],
    ['a tab', 'a\tb', 'a\\u{9}b'],
    ['line separators', '\u2028\u2029\u0085', '\\u{2028}\\u{2029}\\u{85}'],
    [
      'bidi controls',
      '\u061c\u200e\u200f\u202a\u202e\u2066\u2069',
      '\\u{61c}\\u{200e}\\u{200f}\\u{202a}\\u{202e}\\u{2066}\\u{2069}',
    ],
    [
      'zero width',
      '\u200b\u2060\u2061\u2064\ufeff\u00ad\u180e',
      '\\u{200b}\\u{2060}\\u{2061}\\u{2064}\\u{feff}\\u{ad}\\u{180e}',
    ],
    ['annotations', '\ufff9\ufffb', '\\u{fff9}\\u{fffb}'],
    ['tag characters', 'a\u{e0041}\u{e007f}', 'a\\u{e0041}\\u{e007f}'],
    ['tags behind a flag that is none', '🏴\u{e0078}\u{e007f}', '🏴\\u{e0078}\\u{e007f}'],
    ['lone surrogates', '\ud800a\udc00', '\\u{d800}a\\u{dc00}'],
    ['noncharacters', '\uffff\ufdd0\u{1ffff}', '\\u{ffff}\\u{fdd0}\\u{1ffff}'],
    ['private use', '\ue000\u{f0000}', '\\u{e000}\\u{f0000}'],
    ['Hangul fillers', '\u115f\u1160\u3164\uffa0', '\\u{115f}\\u{1160}\\u{3164}\\u{ffa0}'],
    ['a blank braille cell alone', '\u2800', '\\u{2800}'],
    ['joiners between Latin letters', 'a\u200db\u200cc', 'a\\u{200d}b\\u{200c}c'],
    ['a joiner at the end', 'می\u200c', 'می\\u{200c}'],
    ['joiners between ideographs', '客\u200d户\u200c名', '客\\u{200d}户\\u{200c}名'],
    ['two joiners', 'م\u200c\u200cی', 'م\\u{200c}\\u{200c}ی'],
    ['a selector on a letter', 'a\ufe0f', 'a\\u{fe0f}'],
    ['a selector on a digit that is no keycap', '1\ufe0f', '1\\u{fe0f}'],
    ['selectors in a row', '❤\ufe0f\ufe0f', '❤\ufe0f\\u{fe0f}'],
    ['smuggled bytes', '😀\u{e0110}\u{e0120}', '😀\\u{e0110}\\u{e0120}'],
    ['a mark on nothing', '\u0301a', '\\u{301}a'],
    ['a mark after a line end', 'a\n\u0301', 'a\\u{a}\u0301'],
    ['an emoji joined to a letter', '👩\u200da a\u200d👩', '👩\\u{200d}a a\\u{200d}👩'],
    ['a Mongolian selector on a letter', 'a\u180b', 'a\\u{180b}'],
    ['a Mongolian selector on what became visible', '\u180e\u180b', '\\u{180e}\\u{180b}'],
    ['a mark on a quote stays', '"\u0301\u001b', '"\u0301\\u{1b}'],
    ['a Korean vowel without its consonant', '\u11a4 x\u1161', '\\u{11a4} x\\u{1161}'],
    [
      'a joiner chain that is no emoji',
      '😀\u200d😀\u200d😀\u200d😀\u200d😀',
      '😀\u200d😀\u200d😀\u200d😀\\u{200d}😀',
    ],
  ])('%s', (_, text, visible) => {
    expect(safe(text)).toBe(visible)
  })

  test('no more than 30 marks stand on one letter', () => {
    expect(safe(`a${'\u0301'.repeat(31)}`)).toBe(`a${'\u0301'.repeat(30)}\\u{301}`)
  })
})

describe('ordinary writing stays as it is', () => {
  test.each([
    ['plain', 'Anna Berg <anna@example.com> \\u{1b}'],
    ['Latin with marks', 'Übergröße Ł é Tiê\u0301ng Việt'],
    ['Chinese, Japanese, Korean', '客户名单 ありがとう 고객 한\u1161'],
    ['a variant of an ideograph', '葛\u{e0100}城 邉\u{e0101}'],
    ['Persian with a joiner', 'می\u200cخواهم'],
    ['Arabic with vowels and a verse sign', 'بِسْمِ \u06dd'],
    ['Sinhala and Malayalam with joiners', 'ශ්\u200dරී ൽ ന്\u200d'],
    ['Bengali with a joiner before the vowel sign', 'র\u200d\u09cdযাম'],
    ['Hindi', 'क्\u200dष नमस्ते'],
    ['Mongolian selector', 'ᠠ\u180b'],
    ['families and skins', '👩‍👩‍👧‍👦 👍🏽 🧑🏽‍🤝‍🧑🏿 👁️‍🗨️ 🏳️‍🌈 ❤️‍🔥 👩🏻‍❤️‍💋‍👨🏿'],
    ['two families side by side', '👩‍👩‍👧‍👦👩‍👩‍👧‍👦'],
    ['keycaps and flags', '1️⃣ #️⃣ 🇩🇪 🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}'],
    ['braille', '⠓⠑⠇⠇⠕\u2800⠺'],
    ['Hangul by its parts', '한\u1161 \u1100\u1161\u11a8'],
    ['odd blanks', 'a\u00a0b\u3000c\u2003d'],
  ])('%s', (_, text) => {
    expect(safe(text)).toBe(text)
    expect(jsonText(text)).toBe(JSON.stringify(text))
    // Beside what becomes visible too.
    expect(safe(`${text} \u001b`)).toBe(`${text} \\u{1b}`)
    expect(jsonText(`${text} \u202e`)).toBe(
      JSON.stringify(`${text} \u202e`).replace('\u202e', '\\u202e'),
    )
  })

  test('line ends and tabs, when they are asked for', () => {
    expect(safe('a\n\u0301', { newlines: 'keep' })).toBe('a\n\\u{301}')
    expect(safe('a\tb\r\nc\nd\re\u001b', { newlines: 'keep' })).toBe('a\tb\r\nc\nd\\u{d}e\\u{1b}')
  })
})

describe('JSON', () => {
  test('an unpaired surrogate is U+FFFD; a pair, and a backslash before such words, stay as they are', () => {
    const value = {
      'k\ud800': ['a\ud83d', '\udc00b', '\ud83d\ude00', '\\ud83d', '\\\ud83d', '\ude00\ud83d'],
    }
    expect(jsonText(value)).toBe(
      String.raw`{"k\ufffd":["a\ufffd","\ufffdb","\ud83d\ude00","\\ud83d","\\\ufffd","\ufffd\ufffd"]}`
        .replaceAll(String.raw`\ufffd`, '\ufffd')
        .replace(String.raw`"\ud83d\ude00"`, '"\ud83d\ude00"'),
    )
  })

  test('writes the same set as escapes', () => {
    expect(jsonText({ a: '\u001b\u009b\u202e\u200b\u{e0041}\ue000 é 👩‍👧' })).toBe(
      '{"a":"\\u001b\\u009b\\u202e\\u200b\\udb40\\udc41\\ue000 é 👩‍👧"}',
    )
    expect(jsonText('\u0301 "\u0301 a\u0301')).toBe('"\\u0301 \\"\\u0301 a\u0301"')
    expect(jsonText('\u11a4\u202e')).toBe('"\u11a4\\u202e"')
    expect(jsonText(['\u202e'], 2)).toBe('[\n  "\\u202e"\n]')
    expect(jsonText(undefined)).toBe('null')
  })
})

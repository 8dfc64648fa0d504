/**
 * Properties of characters, for `safe-text.ts`, which makes text harmless, and `width.ts`, which measures it. Each is looked up in Unicode's
 * classes once and then stands in a table by code point: a long text costs one step a character.
 */

const joiner = 0x200d
const ignorable = String.raw`\p{Default_Ignorable_Code_Point}`

/** Properties of a character, each with the class that has it. */
const sources = {
  /** Controls, formats, surrogates, private use, separators, what is drawn as nothing, and the blank braille cell. */
  unprintable: `[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Zl}\\p{Zp}${ignorable}\\p{Noncharacter_Code_Point}\\u2800]`,
  /** Format characters that are drawn: Arabic, Syriac and Kaithi number and verse signs. They belong to what follows. */
  drawnFormat: '[\\u0600-\\u0605\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u{110bd}\\u{110cd}]',
  mark: '\\p{M}',
  /** Korean vowels and finals, which sit on the consonant before them as marks do. */
  jamo: '[\\u1160-\\u11ff\\ud7b0-\\ud7fb]',
  /** Korean consonants that begin a syllable. */
  leadingJamo: '[\\u1100-\\u115f\\ua960-\\ua97c]',
  hangul: '[\\u1100-\\u11ff\\ua960-\\ua97c\\uac00-\\ud7a3\\ud7b0-\\ud7fb]',
  /** May be drawn as a picture. */
  emoji: '\\p{Extended_Pictographic}',
  emojiOrItsEnd: '[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f\\u20e3]',
  /** Is drawn as a picture by itself. */
  emojiPresentation: '\\p{Emoji_Presentation}',
  /** Is drawn as a picture when a selector or a keycap asks for it. */
  emojiBase: '\\p{Emoji}',
  ideograph: '\\p{Ideographic}',
  mongolian: `(?!${ignorable})\\p{Script_Extensions=Mongolian}`,
  /** Joined writing: a joiner between two letters shapes both. */
  cursive: `(?!${ignorable})(?=[\\p{L}\\p{M}])[\\p{Script_Extensions=Arabic}\\p{Script_Extensions=Syriac}\\p{Script_Extensions=Mongolian}]`,
  /** The sign that takes a letter's vowel: a joiner beside it shapes even the last letter of a word. */
  virama:
    '[\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d3b\\u0d3c\\u0d4d\\u0dca\\u0f84\\u1039\\u103a\\u17d2\\u1b44\\ua9c0]',
  /** A letter without case. */
  letter: '\\p{Lo}',
  /** Takes no cell: marks that sit on a letter, selectors, joiners, Korean vowels and finals of a decomposed syllable. */
  zero: `[\\p{Mn}\\p{Me}\\u1160-\\u11ff\\ud7b0-\\ud7fb${ignorable}]`,
  /**
   * Takes two cells: East Asian wide and full-width characters (Unicode 15, gaps filled), what is drawn as emoji by itself,
   * and what is reserved for emoji and assigned by a newer Unicode than this Node knows.
   */
  wide: '[\\u1100-\\u115f\\u2329\\u232a\\u2e80-\\u303e\\u3041-\\u3247\\u3250-\\u4dbf\\u4e00-\\ua4cf\\ua960-\\ua97f\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe10-\\ufe19\\ufe30-\\ufe6f\\uff01-\\uff60\\uffe0-\\uffe6\\u{16fe0}-\\u{1b2ff}\\u{1f200}-\\u{1f2ff}\\u{20000}-\\u{3fffd}\\p{Emoji_Presentation}]|(?=\\p{Cn})\\p{Extended_Pictographic}',
  /** A mark with a cell of its own. */
  spacingMark: '\\p{Mc}',
  /** Belongs to the grapheme before it. */
  extends: '[\\p{M}\\p{Grapheme_Extend}\\p{Emoji_Modifier}\\u200d\\u0e33\\u0eb3]',
  /** Half of a flag. */
  regionalIndicator: '\\p{Regional_Indicator}',
} as const

type Property = keyof typeof sources
const properties = Object.keys(sources) as Property[]

const bits = properties.map((name, position) => [name, 1 << position])
/** A bit for each of the properties, to be asked of what `kindOf` returns. */
export const is = Object.fromEntries(bits) as Readonly<Record<Property, number>>

/** The bit of a code point whose kind is in the table. */
const isLookedUp = 1 << 30

/** Compiled when a text needs them: compiling Unicode properties costs milliseconds, and most text is plain. */
let tests: RegExp[] | undefined
let table: Uint32Array | undefined

/** The properties of a code point; none of what is no code point. */
export function kindOf(point: number): number {
  table ??= new Uint32Array(0x110000)
  const recorded = table[point]
  if (recorded !== 0) return recorded ?? 0
  const kind = point < 0x300 ? latinKind(point) : lookUp(point)
  table[point] = kind | isLookedUp
  return kind | isLookedUp
}

/** Latin text is not worth compiling for. */
function latinKind(point: number): number {
  const isControl = point < 0x20 || (point >= 0x7f && point < 0xa0)
  const isSoftHyphen = point === 0xad
  if (isControl || isSoftHyphen) return is.unprintable
  // The signs of copyright and of a trade mark.
  if (point === 0xa9 || point === 0xae) return is.emoji | is.emojiOrItsEnd | is.emojiBase
  const isKeycap = point === 0x23 || point === 0x2a || (point >= 0x30 && point <= 0x39)
  return isKeycap ? is.emojiBase : 0
}

function lookUp(point: number): number {
  const char = String.fromCodePoint(point)
  let kind = 0
  tests ??= properties.map((name) => new RegExp(`^(?:${sources[name]})`, 'u'))
  for (const [position, test] of tests.entries()) {
    if (test.test(char)) kind |= 1 << position
  }
  return kind
}

/** Whether a grapheme goes on from one character to the next, as far as the two can tell. */
export function isJoined(previous: number, next: number): boolean {
  const before = kindOf(previous)
  const after = kindOf(next)
  if (after & is.extends) return true
  if (after & is.jamo) return (before & is.hangul) > 0
  if (before & is.leadingJamo) return (after & is.hangul) > 0
  if (previous === joiner) return (after & is.emoji) > 0
  if (before & is.virama) return (after & is.letter) > 0
  return (before & is.drawnFormat) > 0
}

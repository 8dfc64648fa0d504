/**
 * Makes text safe to print: characters that cannot be printed become visible, so that no text commands the terminal or looks
 * like another. Nothing is removed. There are two replacements: for characters that are not drawn, and for combining marks
 * without a letter. Both look only at a few characters on either side, so that a long text takes no more time per character.
 * The file also writes JSON text that every parser accepts, and hides secrets.
 */
import { isObject } from './values.ts'

const ignorable = String.raw`\p{Default_Ignorable_Code_Point}`

/** Controls, formats, surrogates, private use, separators, characters drawn as nothing, and the blank Braille cell. */
const unprintable = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}${ignorable}\p{Noncharacter_Code_Point}\u2800]`

/** The last character of an emoji that a joiner can follow. */
const beforeEmojiJoiner = String.raw`[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f\u20e3]`
const afterThreeJoiners = String.raw`(?<=(?:\u200d\p{Extended_Pictographic}[\p{Emoji_Modifier}\ufe0f]?){3})`

/** A letter of a script whose letters are joined in writing. The invisible signs of these scripts are no letters. */
const cursiveLetter = String.raw`(?!${ignorable})[\p{Script_Extensions=Arabic}\p{Script_Extensions=Syriac}\p{Script_Extensions=Mongolian}]`
const mongolianLetter = String.raw`(?!${ignorable})\p{Script_Extensions=Mongolian}`
/** The signs by which scripts of India and Southeast Asia join consonants. */
const virama =
  '[\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d3b\\u0d3c\\u0d4d\\u0dca\\u0f84\\u1039\\u103a\\u17d2\\u1b44\\ua9c0]'

/** The joiner and the non-joiner, which say whether the letters beside them are joined. */
const joiners = String.raw`[\u200c\u200d]`

/** The tag characters of these letters. They are not drawn; they spell the region of a flag. */
function tags(letters: string) {
  const codes = Array.from(letters, (letter) => letter.charCodeAt(0).toString(16))
  return codes.map((code) => `\\u{e00${code}}`).join('')
}

/** Unprintable characters that have a meaning in their place, and stay there. */
const meaningful = [
  // Arabic, Syriac and Kaithi signs of numbers and verses: format characters (Cf) that are drawn.
  '[\\u0600-\\u0605\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u{110bd}\\u{110cd}]',
  // Tags behind a black flag, up to the end tag: England, Scotland and Wales are the only ones.
  `(?<=\\u{1f3f4})${tags('gb')}(?:${tags('eng')}|${tags('sct')}|${tags('wls')})\\u{e007f}`,
  // A joiner between emoji. The longest emoji have three.
  String.raw`(?<=${beforeEmojiJoiner})(?!${afterThreeJoiners})\u200d(?=\p{Extended_Pictographic})`,
  // Joiners between letters of a cursive script.
  `(?<=${cursiveLetter})${joiners}(?=${cursiveLetter})`,
  // Joiners on either side of a virama.
  String.raw`(?<=${virama})${joiners}|(?<=\p{Lo})${joiners}(?=${virama})`,
  // Variation selectors behind a character that has variants: an emoji, a digit of a keycap, a Han or a Mongolian character.
  String.raw`(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]|(?<=[\d#*])\ufe0f(?=\u20e3)`,
  String.raw`(?<=\p{Ideographic})[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]`,
  String.raw`(?<=${mongolianLetter})[\u180b-\u180d\u180f]`,
  // A blank cell beside another Braille cell.
  '(?<=[\\u2801-\\u28ff])\\u2800|\\u2800(?=[\\u2801-\\u28ff])',
].join('|')

/** A quantifier: no writing has more than 30 marks on a letter (the limit of Unicode's stream-safe text format). */
const excess = '{30}'
const excessMark = String.raw`(?<=\p{M}${excess})\p{M}`

/** Korean vowels and finals, which combine with the consonant before them as marks do. */
const jamo = '[\\u1160-\\u11ff\\ud7b0-\\ud7fb]'
const hangul = '[\\u1100-\\u11ff\\ua960-\\ua97c\\uac00-\\ud7a3\\ud7b0-\\ud7fb]'

/** Combining marks at the beginning of a line, Korean ones without a consonant, and too many on one letter. */
const strayMarks = String.raw`(?<=^|\n)\p{M}|${excessMark}|(?<!${hangul})${jamo}|(?<=${jamo}${excess})${jamo}`
/** In JSON, a quote begins a string, and a mark behind it has no letter either. */
const strayMarksInJson = String.raw`(?<=^|[\n"])\p{M}|${excessMark}`

/** The line ends and tabs that stay, by mode: the beginning of a pattern, to which `meaningful` is added. */
const whitespace = {
  visible: '',
  keep: '\\r?\\n|\\t|',
  lines: '\\n|',
  csv: '\\r?\\n|',
  json: '\\r?\\n|\\t|',
}
type Mode = keyof typeof whitespace

interface Patterns {
  /** Matches a character that is not printable. The first group has it if it stays. */
  unprintable: RegExp
  strayMark: RegExp
}

/** Patterns are compiled when a text needs them, because that takes milliseconds and most text is plain. */
const compiled = new Map<Mode, Patterns>()

function patternsFor(mode: Mode): Patterns {
  const patterns = compiled.get(mode) ?? {
    unprintable: new RegExp(`(${whitespace[mode]}${meaningful})|${unprintable}`, 'gu'),
    strayMark: new RegExp(mode === 'json' ? strayMarksInJson : strayMarks, 'gu'),
  }
  compiled.set(mode, patterns)
  return patterns
}

/** A text that stays as it is, as most do: printable ASCII and Latin characters, none of them a combining mark. */
const plainLine = /^[\x20-\x7e\xa1-\xac\xae-\u02ff]*$/
const plainLines = /^[\n\x20-\x7e\xa1-\xac\xae-\u02ff]*$/

/** Replaces unprintable characters and stray marks with their codes. */
function replaceUnprintable(
  text: string,
  mode: Mode,
  codeOf: (character: string) => string,
) {
  const plain = mode === 'visible' ? plainLine : plainLines
  if (plain.test(text)) return text
  const { unprintable, strayMark } = patternsFor(mode)
  return text
    .replace(unprintable, (character, kept?: string) => kept ?? codeOf(character))
    .replace(strayMark, codeOf)
}

/**
 * Makes visible what cannot be printed: an escape character becomes `\u{1b}`. Line ends and tabs become visible too, unless
 * `newlines` keeps them: `lines` keeps `\n`, `csv` keeps `\n` and `\r\n`, and `keep` keeps these and tabs.
 */
export function safe(
  text: string,
  { newlines = 'visible' }: { newlines?: Exclude<Mode, 'json'> | undefined } = {},
): string {
  return replaceUnprintable(text, newlines, (character) => {
    const point = character.codePointAt(0) ?? 0
    return `\\u{${point.toString(16)}}`
  })
}

/** Makes JSON text safe: it has the same value, with `\u1234` for each character that cannot be printed. */
function inert(text: string): string {
  return replaceUnprintable(text, 'json', (character) => {
    // JSON has a code for each half of a large character.
    const halves = character.split('')
    return halves
      .map((half) => `\\u${half.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join('')
  })
}

/** Returns a value as JSON text that cannot control a terminal. Unpaired surrogates are replaced; nothing else changes. */
export function jsonText(value: unknown, indent?: number): string {
  // Undefined has no JSON text, although the type says otherwise.
  const json = JSON.stringify(value, undefined, indent) as string | undefined
  return inert(replaceUnpaired(json ?? 'null'))
}

/**
 * The escapes of unpaired surrogates, behind an even number of backslashes, which is the first group. JSON.stringify escapes a
 * surrogate only if it is unpaired, so `\ud` begins one, unless its backslash is itself escaped.
 */
const unpairedHalves = /(?<!\\)((?:\\\\)*)((?:\\ud[89a-f][0-9a-f]{2})+)/g

/** Returns JSON text with U+FFFD in place of unpaired surrogates, which some parsers refuse. */
function replaceUnpaired(json: string) {
  if (!json.includes('\\ud')) return json
  return json.replace(unpairedHalves, (_, before: string, halves: string) => {
    const count = halves.length / '\\ud800'.length
    return before + '\ufffd'.repeat(count)
  })
}

/** Makes a text short and safe for a message: its first `max` characters, and an ellipsis if it has more. */
export function shorten(text: string, max = 40): string {
  // So many UTF-16 units hold `max + 1` characters, which is enough to see whether the text is longer than `max`.
  const characters = Array.from(text.slice(0, 2 * max + 2))
  const start = safe(characters.slice(0, max).join(''))
  return characters.length <= max ? start : `${start}…`
}

const maxNames = 20

/** Lists names in quotes, without empty ones. After the first 20, says how many more there are. */
export function quoteAll(all: readonly string[]): string {
  const names = all.filter((name) => name.trim() !== '')
  const quoted = names.slice(0, maxNames).map((name) => `"${shorten(name)}"`)
  const more = names.length - quoted.length
  return more > 0 ? `${quoted.join(', ')} and ${more} more` : quoted.join(', ')
}

const mask = '[hidden]'

/** The fewest characters that can be hidden. A shorter text also occurs in ordinary words. */
export const minSecretLength = 8

/** The fewest characters of a secret that are hidden where the rest was cut off. */
const minCutLength = 4

/** Hides the beginning of a secret before an ellipsis, which stands for what was cut off. */
function hideCut(text: string, secret: string) {
  if (!text.includes('…')) return text
  const parts = text.split('…')
  const hidden = parts.map((part, index) => {
    let length = index === parts.length - 1 ? 0 : secret.length
    while (length >= minCutLength && !part.endsWith(secret.slice(0, length))) length -= 1
    return length < minCutLength ? part : `${part.slice(0, -length)}${mask}`
  })
  return hidden.join('…')
}

/** Hides the secrets that it was told. */
export class Redactor {
  /** Each secret as it is, and as it is written in JSON. */
  readonly #forms = new Set<string>()

  /** Hides this secret from now on, unless it is too short. */
  addSecret(secret: string) {
    if (secret.length < minSecretLength) return
    this.#forms.add(secret)
    const json = JSON.stringify(secret)
    this.#forms.add(json.slice(1, -1))
  }

  /** Returns a copy of a value whose texts, and whose names of members, contain no secret. */
  hide<T>(value: T): T {
    return this.#hideIn(value) as T
  }

  #hideIn(value: unknown): unknown {
    if (typeof value === 'string')
      return [...this.#forms].reduce(
        (text, form) => hideCut(text.replaceAll(form, mask), form),
        value,
      )
    if (Array.isArray(value)) return value.map((item: unknown) => this.#hideIn(item))
    // Only plain objects are copied: a copy of any other would lose its methods.
    if (!isObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return value
    const members = Object.entries(value)
    return Object.fromEntries(
      members.map(([name, member]) => [this.#hideIn(name), this.#hideIn(member)]),
    )
  }
}

/**
 * Makes text safe to print: a character that is not drawn becomes its code, so that no text commands the terminal or looks like
 * another. Also writes JSON text that is as safe, and hides secrets.
 */
import { isObject } from './json.ts'

/** A text that stays as it is, as most do: printable ASCII and Latin characters, none of them a combining mark. */
const plain = /^[\x20-\x7e\xa1-\xac\xae-\u02ff]*$/
const plainLines = /^[\n\x20-\x7e\xa1-\xac\xae-\u02ff]*$/

/** A character that is not drawn. */
const unprintable = String.raw`[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`

/** A letter of a script whose letters look different with a joiner or a selector, which is most but these. */
const letter = String.raw`(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{L}`

/**
 * Characters that are not drawn but have a meaning: joiners between letters or emoji, selectors behind one or in a keycap, and the
 * letters of a flag.
 */
const meaningful = [
  String.raw`(?<=${letter}|[\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])[\u200c\u200d](?=${letter}|[\p{M}\p{Extended_Pictographic}])`,
  String.raw`(?<=${letter}|\p{Extended_Pictographic})\p{Variation_Selector}`,
  String.raw`\ufe0f(?=\u20e3)`,
  String.raw`(?<=\u{1f3f4}[\u{e0061}-\u{e007a}]{0,5})[\u{e0061}-\u{e007a}\u{e007f}]`,
].join('|')

/** Patterns are made when a text needs one, because that takes milliseconds and most text is plain. */
const patterns = new Map<string, RegExp>()

/** A pattern of what is not drawn. Its first group has a character that stays. */
function patternOf(kept: string) {
  const pattern = patterns.get(kept) ?? new RegExp(`(${kept})|${unprintable}`, 'gu')
  patterns.set(kept, pattern)
  return pattern
}

/** Makes visible what is not drawn: an escape character becomes `\u{1b}`. With `lines`, line breaks and tabs stay. */
export function safe(text: string, lines?: 'lines'): string {
  if ((lines === undefined ? plain : plainLines).test(text)) return text
  const pattern = patternOf(lines === undefined ? meaningful : `\\r?\\n|\\t|${meaningful}`)
  return text.replace(
    pattern,
    (character, kept?: string) => kept ?? `\\u{${character.codePointAt(0)?.toString(16)}}`,
  )
}

/** The escape of an unpaired surrogate, behind an even number of backslashes. JSON.stringify escapes no other surrogate. */
const unpaired = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g

/** Returns a value as JSON text that cannot control a terminal. Unpaired surrogates, which some parsers refuse, are replaced. */
export function jsonText(value: unknown, indent?: number): string {
  // Undefined has no JSON text, although the type says otherwise.
  const text = (JSON.stringify(value, undefined, indent) as string | undefined) ?? 'null'
  const json = text.includes('\\ud') ? text.replace(unpaired, '$1\ufffd') : text
  if (plainLines.test(json)) return json
  // JSON has a code for each half of a large character.
  const codeOf = (half: string) => `\\u${half.charCodeAt(0).toString(16).padStart(4, '0')}`
  return json.replace(
    patternOf('\\n'),
    (character, kept?: string) => kept ?? character.split('').map(codeOf).join(''),
  )
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

/** Hides a secret, and the beginning of it before an ellipsis, which stands for what was cut off. */
function hideSecret(text: string, secret: string) {
  let shown = text.replaceAll(secret, mask)
  if (!text.includes('…')) return shown
  for (let length = secret.length - 1; length >= minCutLength; length -= 1)
    shown = shown.replaceAll(`${secret.slice(0, length)}…`, `${mask}…`)
  return shown
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
    if (typeof value === 'string') return [...this.#forms].reduce(hideSecret, value)
    if (Array.isArray(value)) return value.map((item: unknown) => this.#hideIn(item))
    // Only plain objects are copied: a copy of any other would lose its methods.
    if (!isObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return value
    const members = Object.entries(value)
    return Object.fromEntries(
      members.map(([name, member]) => [this.#hideIn(name), this.#hideIn(member)]),
    )
  }
}

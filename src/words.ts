/** Texts for people: numbers, names, lists, colors and shell words. Also how texts are compared, and which word was probably meant. */
import { Chalk } from 'chalk'

/** A whole number for people: `1,234`. Not by Intl, whose first use takes 10 ms. */
export function groupDigits(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** A number with its noun: `1 row`, `1,234 rows`. `many` is for plurals that do not just add an s. */
export function pluralize(count: number, one: string, many = `${one}s`): string {
  return `${groupDigits(count)} ${count === 1 ? one : many}`
}

/** A time: `30 s`, `2.5 s`, or below a second `334 ms`, rounded up, so that a short one is not `0 ms`. */
export function inSeconds(ms: number): string {
  return ms < 1000 ? `${Math.ceil(ms)} ms` : `${Number((ms / 1000).toFixed(1))} s`
}

/** A column as spreadsheets call it: `A` for index 0, `Z` for 25, `AA` for 26. */
export function columnName(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26))
  return index < 26 ? letter : columnName(Math.floor(index / 26) - 1) + letter
}

/** A typed text in quotes, cut if it is too long for a message. */
export function quote(text: string): string {
  const characters = Array.from(text)
  return characters.length > 60 ? `"${characters.slice(0, 57).join('')}…"` : `"${text}"`
}

/** A text with a capital at its beginning. */
export function capitalize(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}

/** `a`, `a or b`, `a, b or c`; `nothing` without words. */
export function joinOr(words: readonly string[]): string {
  const last = words.at(-1) ?? 'nothing'
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`
}

/** The texts that are there, with a separator between them. */
export function joinPresent(
  texts: readonly (string | null | undefined)[],
  separator: string,
) {
  return texts.filter((text) => text != null && text !== '').join(separator)
}

/** The first `max` texts of a list, and a last one that says how many more there are. */
export function firstTexts(texts: readonly string[], max = 20): string[] {
  const more = texts.length - max
  return more > 0 ? [...texts.slice(0, max), `and ${groupDigits(more)} more`] : [...texts]
}

/** A word quoted for a POSIX shell, where that is needed. */
export function shellWord(word: string): string {
  return /^[A-Za-z0-9_.,/@:+=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

export type Style = 'bold' | 'dim' | 'cyan' | 'red' | 'yellow'

/** Its level is fixed: callers decide whether there is color, and chalk must not decide that by the environment. */
const chalk = new Chalk({ level: 1 })

/** Returns the text in a style. */
export const paint = (text: string, style: Style) => chalk[style](text)

/** Words of ASCII with one space between them. `visibleText` would not change such a text, and most texts are such. */
const plainText = /^[!-~]+(?: [!-~]+)*$/

/**
 * A text as people see it: each character in its plain form (NFKC), without invisible characters, and with one space for each
 * run of white space.
 */
export function visibleText(text: string): string {
  if (plainText.test(text)) return text
  const plain = text.normalize('NFKC')
  const visible = plain.replace(/\p{Default_Ignorable_Code_Point}/gu, '')
  // Again, because an invisible character may have been between a letter and its accent.
  const composed = visible.normalize('NFKC')
  // U+2800, the blank Braille cell, looks like a space.
  return composed.replace(/[\s\u0085\u2800]+/g, ' ').trim()
}

/**
 * The form in which texts are compared. Texts that differ only in letter case, white space or invisible characters have the same
 * form.
 */
export function fold(text: string): string {
  // In upper case, ß is SS, and both small sigmas are one letter.
  return visibleText(text).toUpperCase().toLowerCase()
}

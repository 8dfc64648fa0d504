/**
 * Words as they are written for people: numbers, columns, quotes, lists, shell words, and the word that was probably meant.
 */

/** A whole number for people: `1,234`. By hand, since the first use of Intl costs a short command 10 ms. */
export function groupDigits(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** `1 row`, `1,234 rows`; `many`: where that is not the word for one with an s. */
export function pluralize(count: number, one: string, many = `${one}s`): string {
  return `${groupDigits(count)} ${count === 1 ? one : many}`
}

/** `30 s`, `2.5 s`, and milliseconds below a second: `334 ms`. */
export function inSeconds(ms: number): string {
  return ms < 1000 ? `${Math.ceil(ms)} ms` : `${Number((ms / 1000).toFixed(1))} s`
}

/** A column as spreadsheets call it: `A`, `B`, … `Z`, `AA`. `column`: from 0. */
export function columnName(column: number): string {
  const letter = String.fromCharCode(65 + (column % 26))
  return column < 26 ? letter : columnName(Math.floor(column / 26) - 1) + letter
}

/** A text that was typed, in quotes, short enough for a message. */
export function quote(text: string): string {
  const characters = Array.from(text)
  return characters.length > 60 ? `"${characters.slice(0, 57).join('')}…"` : `"${text}"`
}

/** A text as it begins a sentence. */
export function capitalize(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}

/** `a`, `a or b`, `a, b or c`; `nothing` without words. */
export function joinOr(words: readonly string[]): string {
  const last = words.at(-1) ?? 'nothing'
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`
}

/** The first of many texts for a list, and how many more there are. */
export function firstOf(texts: readonly string[], most = 20): string[] {
  const more = texts.length - most
  return [...texts.slice(0, most), ...(more > 0 ? [`and ${groupDigits(more)} more`] : [])]
}

/** A word as a POSIX shell takes it, for commands that are shown to be typed. */
export function shellWord(word: string): string {
  return /^[A-Za-z0-9_.,/@:+=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** Words of ASCII with a space between them, as most texts are. */
const isPlain = /^[!-~]+(?: [!-~]+)*$/

/**
 * A text as people see it: each character in its plain form (NFKC), without what nobody sees, and each run of white space as
 * one space.
 */
export function visibleText(text: string): string {
  if (isPlain.test(text)) return text
  const visible = text.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '')
  // A character that nobody sees can stand between a letter and its accent. The Braille blank is shown as a space.
  return visible
    .normalize('NFKC')
    .replace(/[\s\u0085\u2800]+/g, ' ')
    .trim()
}

/**
 * The form by which texts are compared: two have the same one if people see no difference but letter case and white space.
 * By way of upper case, where ß is SS and both small sigmas are one letter.
 */
export function fold(text: string): string {
  return visibleText(text).toUpperCase().toLowerCase()
}

/** The words that are spelled nearly as this one, the nearest first. */
export function nearest(word: string, words: readonly string[]): string[] {
  const lower = word.toLowerCase()
  const farthest = Math.max(1, Math.min(3, Math.floor(Array.from(word).length / 3)))
  return words
    .filter((candidate) => Math.abs(candidate.length - word.length) <= farthest)
    .map((near) => ({ near, distance: editDistance(lower, near.toLowerCase()) }))
    .filter(({ distance }) => distance <= farthest)
    .toSorted((one, other) => one.distance - other.distance)
    .map(({ near }) => near)
}

/** How many letters to add, drop, replace or swap with their neighbor (Damerau-Levenshtein). */
function editDistance(left: string, right: string) {
  const a = Array.from(left)
  const b = Array.from(right)
  /** The distances between the beginnings of both, by their lengths. */
  const rows: number[][] = []
  const at = (row: number, column: number) => rows[row]?.[column] ?? Infinity
  for (let row = 0; row <= a.length; row += 1) {
    const distances: number[] = []
    rows.push(distances)
    for (let column = 0; column <= b.length; column += 1) {
      const replacing = a[row - 1] === b[column - 1] ? 0 : 1
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      const least = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + replacing,
        at(row - 2, column - 2) + (isSwap ? 1 : Infinity),
      )
      distances.push(row + column === 0 ? 0 : least)
    }
  }
  return at(a.length, b.length)
}

/** A size for people: `1.2 MB`. */
export function humanSize(size: number): string {
  if (!(size >= 1000)) return `${size} B`
  const units = ['kB', 'MB', 'GB', 'TB', 'PB']
  let value = size / 1000
  let unit = 0
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000
    unit += 1
  }
  const digits = value < 9.95 ? 1 : 0
  return `${value.toFixed(digits)} ${units[unit] ?? ''}`
}

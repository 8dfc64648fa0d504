/**
 * Text that never commands the terminal, ours or another's: characters that cannot be printed become visible, and nothing is
 * stripped. Two replacements do it: one for characters that are not drawn, one for marks with nothing to sit on. Both look
 * at a few characters on either side, so a long text costs no more than its length.
 */

const ignorable = String.raw`\p{Default_Ignorable_Code_Point}`

/** Controls, formats, surrogates, private use, separators, characters drawn as nothing, and the blank braille cell. */
const unprintable = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}${ignorable}\p{Noncharacter_Code_Point}\u2800]`

const emojiOrItsEnd = String.raw`[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f\u20e3]`
const cursive = String.raw`(?!${ignorable})[\p{Script_Extensions=Arabic}\p{Script_Extensions=Syriac}\p{Script_Extensions=Mongolian}]`
const virama =
  '[\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d3b\\u0d3c\\u0d4d\\u0dca\\u0f84\\u1039\\u103a\\u17d2\\u1b44\\ua9c0]'

/** Unprintable characters that have a meaning in their place. */
const meaningful = [
  // Arabic, Syriac and Kaithi number and verse signs are formats that are drawn.
  '[\\u0600-\\u0605\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u{110bd}\\u{110cd}]',
  // The flags of England, Scotland and Wales are the only ones that are written with tag characters.
  '(?<=\\u{1f3f4})\\u{e0067}\\u{e0062}(?:\\u{e0065}\\u{e006e}\\u{e0067}|\\u{e0073}\\u{e0063}\\u{e0074}|\\u{e0077}\\u{e006c}\\u{e0073})\\u{e007f}',
  // The longest emoji have three joiners.
  String.raw`(?<=${emojiOrItsEnd})(?<!(?:\u200d\p{Extended_Pictographic}[\p{Emoji_Modifier}\ufe0f]?){3})\u200d(?=\p{Extended_Pictographic})`,
  // A joiner between letters of a joined script, or next to a virama, shapes them.
  String.raw`(?<=${cursive})[\u200c\u200d](?=${cursive})`,
  String.raw`(?<=${virama})[\u200c\u200d]|(?<=\p{Lo})[\u200c\u200d](?=${virama})`,
  // A selector belongs to a character that has variants; a digit has one only as a keycap.
  String.raw`(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]|(?<=[\d#*])\ufe0f(?=\u20e3)`,
  String.raw`(?<=\p{Ideographic})[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]`,
  String.raw`(?<=(?!${ignorable})\p{Script_Extensions=Mongolian})[\u180b-\u180d\u180f]`,
  '(?<=[\\u2801-\\u28ff])\\u2800|\\u2800(?=[\\u2801-\\u28ff])',
].join('|')

/** Korean vowels and finals, which sit on the consonant before them as marks do. */
const jamo = '[\\u1160-\\u11ff\\ud7b0-\\ud7fb]'
const hangul = '[\\u1100-\\u11ff\\ua960-\\ua97c\\uac00-\\ud7a3\\ud7b0-\\ud7fb]'
/** Marks on nothing, and more than the 30 on one letter that any writing needs (Unicode's stream-safe format). */
const strayMarks = String.raw`(?<=^|\n)\p{M}|(?<=\p{M}{30})\p{M}|(?<!${hangul})${jamo}|(?<=${jamo}{30})${jamo}`

/** Line ends and tabs that stay, by mode. */
const whitespace = {
  visible: '',
  keep: '\\r?\\n|\\t|',
  lines: '\\n|',
  csv: '\\r?\\n|',
  json: '\\r?\\n|\\t|',
}
type Mode = keyof typeof whitespace

/** Compiled when a text needs them: compiling Unicode properties costs milliseconds, and most text is plain. */
const patterns = new Map<Mode, Record<'unprintable' | 'stray', RegExp>>()

function patternsOf(mode: Mode) {
  const compiled = patterns.get(mode) ?? {
    unprintable: new RegExp(`(${whitespace[mode]}${meaningful})|${unprintable}`, 'gu'),
    // In JSON a quote is no letter of the text.
    stray: new RegExp(
      mode === 'json' ? `(?<=^|[\\n"])\\p{M}|(?<=\\p{M}{30})\\p{M}` : strayMarks,
      'gu',
    ),
  }
  patterns.set(mode, compiled)
  return compiled
}

/** Most texts, which stay as they are: ASCII, and Latin letters without combining marks. */
const plainLine = /^[\x20-\x7e\xa1-\xac\xae-\u02ff]*$/
const plainLines = /^[\n\x20-\x7e\xa1-\xac\xae-\u02ff]*$/

function escape(text: string, mode: Mode, write: (character: string) => string) {
  const plain = mode === 'visible' ? plainLine : plainLines
  if (plain.test(text)) return text
  const { unprintable, stray } = patternsOf(mode)
  const shown = text.replace(
    unprintable,
    (character, kept?: string) => kept ?? write(character),
  )
  return shown.replace(stray, write)
}

/**
 * Makes visible what cannot be printed: an escape character becomes `\u{1b}`. `keep` leaves line ends and tabs as they are,
 * `csv` line ends of both systems, `lines` those that svc writes itself; by default they become visible too.
 */
export function safe(
  text: string,
  { newlines = 'visible' }: { newlines?: Exclude<Mode, 'json'> | undefined } = {},
): string {
  return escape(text, newlines, (character) => {
    const point = character.codePointAt(0) ?? 0
    return `\\u{${point.toString(16)}}`
  })
}

/** JSON text in which nothing commands a terminal: the same value, with `\u1234` for a character that cannot be printed. */
export function inert(text: string): string {
  return escape(text, 'json', (character) => {
    const units = Array.from({ length: character.length }, (_, index) =>
      character.charCodeAt(index),
    )
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
  })
}

/** An id as questions show it beside a name: `6400…0128`. */
export function shortId(id: string): string {
  return `${id.slice(0, 4)}…${id.slice(-4)}`
}

/** A text of a file, short and harmless enough for a message: what is not printable is written as `\u{…}`. */
export function shorten(text: string, most = 40): string {
  // A character has at most two units. So this slice has the first `most` characters, and one more, which shows that there
  // are more.
  const units = most * 2 + 2
  const characters = Array.from(text.slice(0, units))
  const start = safe(characters.slice(0, most).join(''))
  const isWhole = characters.length <= most && text.length <= units
  return isWhole ? start : `${start}…`
}

/** Names in quotes, without blank ones, and not more than 20 of them. */
export function quoteAll(all: readonly string[]): string {
  const names = all.filter((name) => name.trim() !== '')
  const shown = names.slice(0, 20).map((name) => `"${shorten(name)}"`)
  const list = shown.join(', ')
  const others = names.length - shown.length
  return others > 0 ? `${list} and ${others} more` : list
}

/**
 * Text that never commands the terminal, ours or another's: what is not printable becomes visible, and nothing is stripped. Every writer of
 * `output/` calls it, and messages about files that others wrote. One walk does it: a long text costs no more than its length. What a
 * character is comes from `characters.ts`; what may stay is decided here, because joiners, selectors and marks mean something in many
 * languages and stand for nothing, or for an attack, between other characters. `output/text/cells.ts` and `output/stderr.ts` are the first
 * of them.
 */
import { is, kindOf } from './characters.ts'

/** Most texts: they stay as they are in each mode. All else is walked through. */
const plain = {
  visible: /^[\x20-\x7e]*$/,
  keep: /^[\x20-\x7e\n\t]*$/,
  lines: /^[\x20-\x7e\n]*$/,
  csv: /^[\x20-\x7e\n]*$/,
  json: /^[\x20-\x7e\n]*$/,
}

/** Unicode's stream-safe text format: no writing needs more than 30 marks on one letter. */
const marksAtMost = 30
/** The longest emoji sequences (families, kisses) have three joiners. */
const joinersAtMost = 3

/** Characters that may not stay, or by which another one may: all others stay. */
const looksBack = is.unprintable | is.mark | is.jamo | is.emojiOrItsEnd

const nothing = -1
const lineFeed = 0x0a
const tab = 0x09
const carriageReturn = 0x0d
const quote = 0x22
const brace = 0x7d
const nonJoiner = 0x200c
const joiner = 0x200d
const keycap = 0x20e3
const blackFlag = 0x1f3f4

/** England, Scotland, Wales: the only flags that are written with tag characters. */
const tagFlags = ['gbeng', 'gbsct', 'gbwls'].map((region) => {
  const tags = Array.from(Buffer.from(region), (letter) => 0xe0000 + letter)
  const endOfTags = 0xe007f
  return String.fromCodePoint(blackFlag, ...tags, endOfTags)
})

export interface SafeOptions {
  /**
   * `keep` leaves line ends and tabs as they are, `csv` line ends of both systems, `lines` those that svc writes itself; by
   * default they become visible too.
   */
  readonly newlines?: 'visible' | 'keep' | 'lines' | 'csv' | undefined
}

/** Makes visible what is not printable: an escape character becomes `\u{1b}`. */
export function safe(text: string, { newlines = 'visible' }: SafeOptions = {}): string {
  return new Escaper(text, newlines).escape((point) => `\\u{${point.toString(16)}}`)
}

/** JSON text in which nothing commands a terminal: the same value, with `\u1234` for what is not printable. */
export function inert(text: string): string {
  const escapeUnit = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`
  return new Escaper(text, 'json').escape((point) => {
    if (point <= 0xffff) return escapeUnit(point)
    const pair = String.fromCodePoint(point)
    return escapeUnit(pair.charCodeAt(0)) + escapeUnit(pair.charCodeAt(1))
  })
}

/** One walk through a text; what may stay depends on the character before and the one behind. */
class Escaper {
  readonly #text: string
  readonly #mode: keyof typeof plain
  /** The character before as it is shown: what became visible ends in a printable one, on which a mark may stand. */
  #previous = nothing
  #marks = 0
  #joiners = 0
  #hasBraille: boolean | undefined

  constructor(text: string, mode: keyof typeof plain) {
    this.#text = text
    this.#mode = mode
  }

  escape(write: (point: number) => string): string {
    const text = this.#text
    if (plain[this.#mode].test(text)) return text
    const parts: string[] = []
    // The text before it is in the parts.
    let copied = 0
    // One character after the other that is the same is written at once.
    let written = nothing
    let shown = ''
    let times = 0
    for (let index = 0; index < text.length;) {
      const point = text.codePointAt(index) ?? 0
      const length = point > 0xffff ? 2 : 1
      const kind = kindOf(point)
      if ((kind & looksBack) === 0) {
        this.#marks = this.#joiners = 0
        this.#previous = point
        index += length
        continue
      }
      const flag = point === blackFlag ? tagFlagAt(text, index) : undefined
      const isKept = this.#keeps(kind, point, index + length)
      if (!isKept) {
        if (point !== written || copied < index) {
          parts.push(shown.repeat(times), text.slice(copied, index))
          shown = point === written ? shown : write(point)
          written = point
          times = 0
        }
        times += 1
        copied = index + length
      }
      this.#count(kind, point, isKept)
      index += flag?.length ?? length
    }
    return parts.join('') + shown.repeat(times) + text.slice(copied)
  }

  /** Counts the marks on a letter and the joiners of an emoji, which end where another one begins. */
  #count(kind: number, point: number, isKept: boolean): void {
    const isKeptMark = isKept && (kind & (is.mark | is.jamo)) > 0
    this.#marks = isKeptMark ? this.#marks + 1 : 0
    const beginsEmoji = (kind & is.emoji) > 0 && this.#previous !== joiner
    const goesOnWithEmoji = (kind & is.emojiOrItsEnd) > 0 && !beginsEmoji
    if (point === joiner) this.#joiners += 1
    else if (!goesOnWithEmoji) this.#joiners = 0
    this.#previous = isKept ? point : brace
  }

  /** Whether a character stays. `behind`: where the next one begins. */
  #keeps(kind: number, point: number, behind: number): boolean {
    if (!(kind & (is.unprintable | is.mark | is.jamo))) return true
    if (kind & is.unprintable) {
      const next = this.#text.codePointAt(behind) ?? nothing
      return this.#keepsUnprintable(point, next)
    }
    const isJson = this.#mode === 'json'
    const previous = this.#previous
    if (kind & is.jamo) {
      const isOnHangul = (kindOf(previous) & is.hangul) > 0
      return isJson || (isOnHangul && this.#marks < marksAtMost)
    }
    const isFirst = previous === nothing || previous === lineFeed
    const standsOnNothing = isFirst || (isJson && previous === quote)
    return this.#marks < marksAtMost && !standsOnNothing
  }

  #keepsUnprintable(point: number, next: number): boolean {
    switch (point) {
      case lineFeed:
        return this.#mode !== 'visible'
      case tab:
        return this.#mode === 'keep'
      case carriageReturn:
        return (this.#mode === 'keep' || this.#mode === 'csv') && next === lineFeed
      case nonJoiner:
      case joiner:
        return this.#keepsJoiner(point, next)
      case 0x2800:
        // In braille it is a space; alone it makes a name look empty.
        return (this.#hasBraille ??= /[\u2801-\u28ff]/.test(this.#text))
      default:
        return (kindOf(point) & is.drawnFormat) > 0 || this.#keepsSelector(point, next)
    }
  }

  /** A joiner stays where a writing needs it: in an emoji, between joined letters, and beside a virama. */
  #keepsJoiner(point: number, next: number): boolean {
    const before = kindOf(this.#previous)
    const after = kindOf(next)
    const isInEmoji = point === joiner && before & is.emojiOrItsEnd && after & is.emoji
    if (isInEmoji) return this.#joiners < joinersAtMost
    const joinsLetters = before & is.cursive && after & is.cursive
    if (before & is.virama || joinsLetters) return true
    return (after & is.virama && before & is.letter) > 0
  }

  /** A selector stays behind a character that has variants; behind any other one it is drawn as nothing. */
  #keepsSelector(point: number, next: number): boolean {
    const before = kindOf(this.#previous)
    const isMongolian = (point >= 0x180b && point <= 0x180d) || point === 0x180f
    if (isMongolian) return (before & is.mongolian) > 0
    const isBasic = point >= 0xfe00 && point <= 0xfe0f
    const isSupplement = point >= 0xe0100 && point <= 0xe01ef
    if ((isBasic || isSupplement) && before & is.ideograph) return true
    // A digit takes a variation selector only as a keycap.
    const isDigit = this.#previous < 0x80 && (before & is.emojiBase) > 0
    const isKeycap = isDigit && next === keycap
    const isPictureOrText = isBasic && point >= 0xfe0e
    return isPictureOrText && (isKeycap || (before & is.emoji) > 0)
  }
}

function tagFlagAt(text: string, index: number): string | undefined {
  return tagFlags.find((flag) => text.startsWith(flag, index))
}

/** A text of a file, short and harmless enough for a message: what is not printable is written as `\u{…}`. */
export function shorten(text: string, most = 40): string {
  // A character has two units at most: so many have the first `most` of them, and one more, which tells that there is more.
  const units = most * 2 + 2
  const characters = Array.from(text.slice(0, units))
  const start = safe(characters.slice(0, most).join(''))
  const isWhole = characters.length <= most && text.length <= units
  return isWhole ? start : `${start}…`
}

/** Names in quotes, not more than `most` of them. */
export function quoteAll(names: readonly string[], most = 20): string {
  const shown = names.slice(0, most).map((name) => `"${shorten(name)}"`)
  const list = shown.join(', ')
  const others = names.length - shown.length
  return others > 0 ? `${list} and ${others} more` : list
}

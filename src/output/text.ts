/**
 * Text for people. What came from the service or a file never commands the terminal: what is not printable becomes visible,
 * and nothing is stripped. How many cells of a terminal a text takes is counted by graphemes, and so are cuts and wraps.
 */

const plain = /^[\x20-\x7e]*$/
const plainLines = /^[\x20-\x7e\n\t]*$/
const plainJson = /^[\x20-\x7e\n]*$/

/** Made when the first text needs it: compiling Unicode properties costs milliseconds, and most text is plain. */
function lazily<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

const kinds = lazily(() => ({
  /** Controls, formats, surrogates, private use, separators, whatever is drawn as nothing, and the blank braille cell. */
  unprintable:
    /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800]/u,
  /** Format characters that are drawn: Arabic, Syriac and Kaithi number and verse signs. */
  drawnFormat: /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]/u,
  mark: /\p{M}/u,
  /** Korean vowels and finals, which sit on the consonant before them as marks do. */
  jamo: /[\u1160-\u11ff\ud7b0-\ud7fb]/,
  hangul: /[\u1100-\u11ff\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb]/,
  emoji: /\p{Extended_Pictographic}/u,
  emojiOrItsEnd: /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f\u20e3]/u,
  ideograph: /\p{Ideographic}/u,
  mongolian: /(?!\p{Default_Ignorable_Code_Point})\p{Script_Extensions=Mongolian}/u,
  /** Joined writing: a joiner between two letters shapes both. */
  cursive:
    /(?!\p{Default_Ignorable_Code_Point})(?=[\p{L}\p{M}])[\p{Script_Extensions=Arabic}\p{Script_Extensions=Syriac}\p{Script_Extensions=Mongolian}]/u,
  /** The sign that takes a letter's vowel: a joiner beside it shapes even the last letter of a word. */
  virama:
    /[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u0dca\u0f84\u1039\u103a\u17d2\u1b44\ua9c0]/u,
}))

/** One test decides whether a text needs more than this test. Marks count when they are many or stand on nothing. */
const suspicious = lazily(
  () => new RegExp(`${kinds().unprintable.source}|\\p{M}{31}|(?:^|\\n)\\p{M}|${kinds().jamo.source}`, 'u'),
)
/** In JSON text line ends are structure, C0 is escaped already, and a mark at the start of a string sits on the quote. */
const suspiciousJson = lazily(
  () => new RegExp(`${kinds().unprintable.source.replace('\\p{Cc}', '\\x7f-\\x9f')}|\\p{M}{31}|"\\p{M}`, 'u'),
)

/** Unicode's stream-safe text format: no writing needs more than 30 marks on one letter. */
const marksAtMost = 30
/** The longest emoji sequences (families, kisses) have three joiners. */
const joinersAtMost = 3

/** England, Scotland, Wales: the only flags that are written with tag characters. */
const tagFlag =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/uy

/**
 * Makes visible what is not printable: an escape character becomes `\u{1b}`.
 * @param options.newlines `keep` leaves line ends and tabs as they are; by default they become visible too.
 */
export function safe(text: string, options: { newlines?: 'visible' | 'keep' } = {}): string {
  const newlines = options.newlines ?? 'visible'
  if ((newlines === 'keep' ? plainLines : plain).test(text) || !suspicious().test(text)) return text
  return new Escaper(text, newlines).escape((char) => `\\u{${char.codePointAt(0)?.toString(16) ?? ''}}`)
}

/** JSON text in which nothing commands a terminal: the same value, with `\u1234` for what is not printable. */
export function inertJson(text: string): string {
  if (plainJson.test(text) || !suspiciousJson().test(text)) return text
  const unit = (half: string): string => `\\u${half.charCodeAt(0).toString(16).padStart(4, '0')}`
  return new Escaper(text, 'json').escape((char) => char.replace(/[^]/g, unit))
}

/** One walk through a text; what may stay depends on the character before and the one behind. */
class Escaper {
  readonly #text: string
  readonly #mode: 'visible' | 'keep' | 'json'
  /** The character before as it is shown: what became visible ends in a printable one, on which a mark may stand. */
  #previous = ''
  #marks = 0
  #joiners = 0

  constructor(text: string, mode: 'visible' | 'keep' | 'json') {
    this.#text = text
    this.#mode = mode
  }

  escape(write: (char: string) => string): string {
    let result = ''
    for (let index = 0; index < this.#text.length;) {
      const char = this.#at(index)
      const flag = char === '\u{1f3f4}' ? this.#flagAt(index) : undefined
      index += (flag ?? char).length
      const isKept = flag !== undefined || this.#keeps(char, this.#at(index))
      result += isKept ? (flag ?? char) : write(char)
      this.#count(char, isKept)
    }
    return result
  }

  #at(index: number): string {
    return index < this.#text.length ? String.fromCodePoint(this.#text.codePointAt(index) ?? 0) : ''
  }

  #flagAt(index: number): string | undefined {
    tagFlag.lastIndex = index
    return tagFlag.exec(this.#text)?.[0]
  }

  #count(char: string, isKept: boolean): void {
    this.#marks = isKept && kinds().mark.test(char) ? this.#marks + 1 : 0
    if (char === '\u200d') this.#joiners += 1
    else if (!kinds().emojiOrItsEnd.test(char)) this.#joiners = 0
    else if (this.#previous !== '\u200d' && kinds().emoji.test(char)) this.#joiners = 0
    this.#previous = isKept ? char : '}'
  }

  #keeps(char: string, next: string): boolean {
    if (kinds().unprintable.test(char)) return this.#keepsUnprintable(char, next)
    const isJson = this.#mode === 'json'
    if (kinds().jamo.test(char)) return isJson || kinds().hangul.test(this.#previous)
    if (!kinds().mark.test(char)) return true
    const standsOnNothing = this.#previous === '' || this.#previous === '\n' || (isJson && this.#previous === '"')
    return this.#marks < marksAtMost && !standsOnNothing
  }

  #keepsUnprintable(char: string, next: string): boolean {
    switch (char) {
      case '\n':
        return this.#mode !== 'visible'
      case '\t':
        return this.#mode === 'keep'
      case '\r':
        return this.#mode === 'keep' && next === '\n'
      case '\u200c':
      case '\u200d':
        return this.#keepsJoiner(char, next)
      case '\u2800':
        // In braille it is a space; alone it makes a name look empty.
        return /[\u2801-\u28ff]/.test(this.#text)
      default:
        return this.#keepsSelector(char, next) || kinds().drawnFormat.test(char)
    }
  }

  #keepsJoiner(char: string, next: string): boolean {
    const previous = this.#previous
    const { emojiOrItsEnd, emoji, cursive, virama } = kinds()
    if (char === '\u200d' && emojiOrItsEnd.test(previous) && emoji.test(next)) return this.#joiners < joinersAtMost
    if (virama.test(previous) || (cursive.test(previous) && cursive.test(next))) return true
    return virama.test(next) && /\p{Lo}/u.test(previous)
  }

  #keepsSelector(char: string, next: string): boolean {
    const previous = this.#previous
    const { mongolian, ideograph, emoji } = kinds()
    if (/[\u180b-\u180d\u180f]/.test(char)) return mongolian.test(previous)
    if (/[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u.test(char) && ideograph.test(previous)) return true
    // A digit takes a variation selector only as a keycap.
    return /[\ufe0e\ufe0f]/.test(char) && (emoji.test(previous) || (/[0-9#*]/.test(previous) && next === '\u20e3'))
  }
}

const widths = lazily(() => ({
  /** East Asian wide and full-width characters (Unicode 15, gaps filled), and what is drawn as emoji by itself. */
  wide: /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u3247\u3250-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u,
  /** Assigned by a newer Unicode than this Node knows, and reserved for emoji. */
  futureEmoji: /(?=\p{Cn})\p{Extended_Pictographic}/u,
  /** Marks that sit on a letter, selectors and joiners, and the Korean vowels and finals of a decomposed syllable. */
  zero: /[\p{Mn}\p{Me}\u1160-\u11ff\ud7b0-\ud7fb\p{Default_Ignorable_Code_Point}]/u,
  regionalIndicator: /^[\u{1f1e6}-\u{1f1ff}]$/u,
  emojiCluster: /^\p{Emoji}(?=.*[\ufe0f\u20e3])|^\p{Emoji_Presentation}/su,
  /** Without one of these every code point is a grapheme of its own. */
  clustering:
    /[\p{M}\p{Default_Ignorable_Code_Point}\p{Emoji_Modifier}\p{Regional_Indicator}\u1100-\u11ff\ua960-\ua97f\uac00-\ud7fb\u0e33\u0eb3]/u,
}))

const segmenter = lazily(() => new Intl.Segmenter('en', { granularity: 'grapheme' }))

/** The graphemes of a text: what a reader takes for one character. */
function* graphemes(text: string): Iterable<string> {
  if (!widths().clustering.test(text)) {
    yield* text
    return
  }
  for (const { segment } of segmenter().segment(text)) yield segment
}

function pointCells(char: string): number {
  if (char <= '\u02ff') return 1
  if (widths().zero.test(char)) return 0
  return widths().wide.test(char) || widths().futureEmoji.test(char) ? 2 : 1
}

function graphemeCells(grapheme: string): number {
  if (grapheme.length === 1) return pointCells(grapheme)
  if (widths().regionalIndicator.test(grapheme)) return 1
  if (widths().emojiCluster.test(grapheme)) return 2 + (grapheme.match(/\p{Mc}/gu)?.length ?? 0)
  // Terminals add up the code points of everything else.
  let sum = 0
  for (const char of grapheme) sum += pointCells(char)
  return sum
}

/** The number of cells that a line of text takes. */
export function cells(text: string): number {
  if (plain.test(text)) return text.length
  let sum = 0
  for (const grapheme of graphemes(text)) sum += graphemeCells(grapheme)
  return sum
}

/** Far more code units than a grapheme can have once the text is safe: a long text is cut before it is measured. */
const unitsPerCell = 64

/** The text itself, or as much of it as fits with an ellipsis at its end. At least one cell. */
export function truncate(text: string, width: number): string {
  const limit = Math.max(1, width)
  if (text.length <= limit && plain.test(text)) return text
  const cut = text.length > limit * unitsPerCell + unitsPerCell
  const start = cut ? text.slice(0, limit * unitsPerCell + unitsPerCell) : text
  if (!cut && cells(start) <= limit) return start
  return `${head(start, limit - 1)}…`
}

/** As many graphemes as fit into `width` cells. */
function head(text: string, width: number): string {
  if (plain.test(text)) return text.slice(0, width)
  let taken = 0
  let length = 0
  for (const grapheme of graphemes(text)) {
    taken += graphemeCells(grapheme)
    if (taken > width) break
    length += grapheme.length
  }
  return text.slice(0, length)
}

/**
 * Wraps one line at blanks; a word that is wider than the line is cut between graphemes. Blanks at a break go away,
 * every other character stays.
 */
export function wrap(line: string, width: number): string[] {
  const limit = Math.max(2, width)
  if (line.length <= limit && plain.test(line)) return [line]
  const lines: string[] = []
  let current = ''
  let taken = 0
  for (const [, blank = '', word = ''] of line.matchAll(/([ \t]*)([^ \t]*)/g)) {
    const blankCells = cells(blank)
    const wordCells = cells(word)
    if (taken + blankCells + wordCells <= limit) {
      current += blank + word
      taken += blankCells + wordCells
      continue
    }
    if (current !== '') lines.push(current)
    current = ''
    taken = 0
    if (word === '') continue
    let rest = word
    let restCells = wordCells
    while (restCells > limit) {
      const [piece, remainder] = cutPiece(rest, limit)
      lines.push(piece)
      rest = remainder
      restCells -= cells(piece)
    }
    current = rest
    taken = restCells
  }
  if (current !== '' || lines.length === 0) lines.push(current)
  return lines
}

/** A piece of a long word; only its beginning is measured, so that a huge word costs no more than its length. */
function cutPiece(word: string, width: number): [string, string] {
  const size = width * unitsPerCell + unitsPerCell
  // A grapheme that is wider than the line is cut between its code points.
  const piece = head(word.slice(0, size), width) || String.fromCodePoint(word.codePointAt(0) ?? 0)
  return [piece, word.slice(piece.length)]
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
  return `${value < 9.95 ? value.toFixed(1) : value.toFixed(0)} ${units[unit] ?? ''}`
}

/** How many cells of a terminal a text takes, and cutting and wrapping by cells. Text comes in already made safe. */

const plain = /^[\x20-\x7e]*$/

/** Made when the first text needs them: compiling Unicode properties costs milliseconds, and most text is plain. */
function makePatterns() {
  return {
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
  }
}

let madePatterns: ReturnType<typeof makePatterns> | undefined

function patterns(): ReturnType<typeof makePatterns> {
  return (madePatterns ??= makePatterns())
}

let segmenter: Intl.Segmenter | undefined

/** The graphemes of a text: what a reader takes for one character. */
function* graphemes(text: string): Iterable<string> {
  if (!patterns().clustering.test(text)) {
    yield* text
    return
  }
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  for (const { segment } of segmenter.segment(text)) yield segment
}

function pointCells(char: string): number {
  if (char <= '\u02ff') return 1
  if (patterns().zero.test(char)) return 0
  return patterns().wide.test(char) || patterns().futureEmoji.test(char) ? 2 : 1
}

function graphemeCells(grapheme: string): number {
  if (grapheme.length === 1) return pointCells(grapheme)
  if (patterns().regionalIndicator.test(grapheme)) return 1
  if (patterns().emojiCluster.test(grapheme)) return 2 + (grapheme.match(/\p{Mc}/gu)?.length ?? 0)
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

/** Spaces up to the width; a text that is wider stays. */
export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - cells(text)))
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

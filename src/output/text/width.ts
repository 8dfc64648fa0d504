/**
 * How many cells of a terminal a text takes, counted by graphemes; and text cut and wrapped to a number of them. Tables, transcripts,
 * questions and the status line are laid out with it, always with text that is safe already (`safe-text.ts`): a control character has no
 * width. `Intl.Segmenter` finds the graphemes. `text/cells.ts` and `output/progress.ts` call it.
 */

const plain = /^[\x20-\x7e]*$/

/** More code units than a grapheme has once the text is safe. */
export const unitsPerCell = 64

/** Signs of Arabic and other scripts that go before a number: the segmenter joins them to whatever follows. */
const sign = String.raw`(?!\p{Default_Ignorable_Code_Point})\p{Cf}`
/** A picture takes two cells, however many characters it is made of. */
const picture = String.raw`^(?:${sign})*(?:\p{Regional_Indicator}{2}|(?!\p{Regional_Indicator})\p{Emoji_Presentation}|\p{Emoji}.*[\ufe0f\u20e3])`
/** Marks, selectors, joiners, Korean vowels and finals sit on the character before them. */
const zero = String.raw`[\p{Mn}\p{Me}\u1160-\u11ff\ud7b0-\ud7fb\p{Default_Ignorable_Code_Point}]`
/** East Asian wide and full-width characters (Unicode 15, gaps filled), and emoji of a newer Unicode than this Node knows. */
const wide = String.raw`[\u1100-\u115f\u2e80-\u303e\u3041-\u3247\u3250-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|(?=\p{Cn})\p{Extended_Pictographic}`

/** Made when a text needs them: most texts are ASCII. */
let tools: ReturnType<typeof makeTools> | undefined

function makeTools() {
  return {
    segmenter: new Intl.Segmenter(),
    picture: new RegExp(picture, 'u'),
    spacing: new RegExp(`${sign}|[\\p{Mc}\u0e33\u0eb3]`, 'gu'),
    zero: new RegExp(zero, 'gu'),
    wide: new RegExp(wide, 'gu'),
  }
}

interface Grapheme {
  readonly segment: string
  /** Where it begins. */
  readonly index: number
  readonly width: number
}

/** A Latin letter that nothing joins, or characters that may belong together: the segmenter is slow with long Latin texts. */
const runs = /[\x20-\u02ff](?![^\x20-\u02ff])|[\x20-\u02ff]?[^\x20-\u02ff]+/g

/** Graphemes, each of which a reader takes for one character, with their cells. */
function* graphemes(text: string): Generator<Grapheme> {
  for (const { 0: run, index: start } of text.matchAll(runs)) {
    if (run.length === 1 && run <= '\u02ff') {
      yield { segment: run, index: start, width: 1 }
      continue
    }
    const { segmenter } = (tools ??= makeTools())
    for (const { segment, index } of segmenter.segment(run)) {
      yield { segment, index: start + index, width: graphemeWidth(segment) }
    }
  }
}

function graphemeWidth(grapheme: string): number {
  if (plain.test(grapheme)) return grapheme.length
  const { picture, spacing, zero, wide } = (tools ??= makeTools())
  if (picture.test(grapheme)) return 2 + (grapheme.match(spacing)?.length ?? 0)
  const drawn = grapheme.replace(zero, '')
  return Array.from(drawn).length + (drawn.match(wide)?.length ?? 0)
}

/** The number of cells that a line of text takes. */
export function cells(text: string): number {
  if (plain.test(text)) return text.length
  let sum = 0
  for (const { width } of graphemes(text)) sum += width
  return sum
}

/** The text itself, or as much of it as fits with an ellipsis at its end. At least one cell. */
export function truncate(text: string, width: number): string {
  const limit = Math.max(1, width)
  if (text.length <= limit && plain.test(text)) return text
  let taken = 0
  let end = 0
  for (const grapheme of graphemes(text)) {
    taken += grapheme.width
    if (taken > limit) return `${text.slice(0, end)}…`
    // One cell is left for the ellipsis.
    if (taken < limit) end = grapheme.index + grapheme.segment.length
  }
  return text
}

/** Wraps a line at blanks, which go; a word wider than the line is cut between graphemes, and loses nothing. */
export function wrap(line: string, width: number): string[] {
  const limit = Math.max(2, width)
  if (line.length <= limit && plain.test(line)) return [line]
  const lines: string[] = []
  let current = ''
  let taken = 0
  const breakLine = (): void => {
    if (current !== '') lines.push(current)
    current = ''
    taken = 0
  }
  for (const [, blank = '', word = ''] of line.matchAll(/([ \t]*)([^ \t]*)/g)) {
    const wordWidth = cells(word)
    if (taken + blank.length + wordWidth <= limit) {
      current += blank + word
      taken += blank.length + wordWidth
      continue
    }
    breakLine()
    for (const { segment, width } of pieces(word, limit)) {
      if (taken + width > limit) breakLine()
      current += segment
      taken += width
    }
  }
  breakLine()
  return lines.length === 0 ? [''] : lines
}

/** The graphemes of a word; one that is wider than a line is taken apart, character by character. */
function* pieces(
  word: string,
  limit: number,
): Generator<Pick<Grapheme, 'segment' | 'width'>> {
  for (const grapheme of graphemes(word)) {
    if (grapheme.width <= limit) yield grapheme
    else
      for (const segment of grapheme.segment)
        yield { segment, width: graphemeWidth(segment) }
  }
}

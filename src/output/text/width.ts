/**
 * How many cells of a terminal a text takes, counted as cli-table3 counts them; and text cut and wrapped to a number of
 * cells between graphemes. Only for text that is safe already (`safe-text.ts`): a control character has no width.
 */
import stringWidth from 'string-width'

const plain = /^[\x20-\x7e]*$/

/** More code units than a grapheme has once the text is safe. */
export const unitsPerCell = 64

/** Made when a text needs it: most texts are ASCII. */
let segmenter: Intl.Segmenter | undefined

interface Grapheme {
  segment: string
  /** Where it begins. */
  index: number
  width: number
}

/**
 * A Latin letter that nothing joins, or characters that may belong together: the segmenter is slow with long Latin texts.
 */
const runs = /[\x20-\u02ff](?![^\x20-\u02ff])|[\x20-\u02ff]?[^\x20-\u02ff]+/g

/** Graphemes, each of which a reader takes for one character, with their cells. */
function* graphemes(text: string): Generator<Grapheme> {
  for (const { 0: run, index: start } of text.matchAll(runs)) {
    if (run.length === 1 && run <= '\u02ff') {
      yield { segment: run, index: start, width: 1 }
      continue
    }
    segmenter ??= new Intl.Segmenter()
    for (const { segment, index } of segmenter.segment(run)) {
      yield { segment, index: start + index, width: terminalCells(segment) }
    }
  }
}

/** The number of terminal cells that a line of text takes. */
export function terminalCells(text: string): number {
  return plain.test(text) ? text.length : stringWidth(text)
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

/** Wraps a line at spaces, which are dropped. A word that is wider than the line is split between graphemes. */
export function wrap(line: string, width: number): string[] {
  const limit = Math.max(2, width)
  if (line.length <= limit && plain.test(line)) return [line]
  const lines: string[] = []
  let current = ''
  let taken = 0
  const breakLine = () => {
    if (current !== '') lines.push(current)
    current = ''
    taken = 0
  }
  for (const [, blank = '', word = ''] of line.matchAll(/([ \t]*)([^ \t]*)/g)) {
    const wordWidth = terminalCells(word)
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
        yield { segment, width: terminalCells(segment) }
  }
}

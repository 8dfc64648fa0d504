/**
 * Measures, cuts and wraps text for a terminal, and writes times in this machine's time zone (`TZ`). Widths are in terminal cells, as
 * cli-table3 counts them. Times are in milliseconds since 1970. The text must be safe already (`safe-text.ts`), because a control
 * character has no width.
 */
import stringWidth from 'string-width'

/** A text of printable ASCII. Each of its characters takes one cell. */
const plain = /^[\x20-\x7e]*$/

/** Made when a text needs it, because most texts are ASCII. */
let segmenter: Intl.Segmenter | undefined

/** How much text the segmenter gets at once. No grapheme of a safe text is nearly as long. */
const partLength = 500

/** Yields the graphemes of a text, each of which a reader takes for one character. */
function* graphemes(text: string) {
  segmenter ??= new Intl.Segmenter()
  // The text is read in parts, because the segmenter's time grows with the square of the length.
  for (let start = 0; start < text.length;) {
    const part = text.slice(start, start + partLength)
    const segments = Array.from(segmenter.segment(part), ({ segment }) => segment)
    const isLastPart = start + part.length === text.length
    // The last grapheme of a part may continue in the next one.
    if (!isLastPart && segments.length > 1) segments.pop()
    yield* segments
    start += segments.join('').length
  }
}

/** Returns the number of terminal cells that a line of text takes. */
export function terminalCells(text: string) {
  return plain.test(text) ? text.length : stringWidth(text)
}

/** Cuts a text to at most `width` cells, the last of which is an ellipsis. A text that fits is returned as it is. */
export function truncate(text: string, width: number) {
  if (terminalCells(text) <= width) return text
  // One cell is left for the ellipsis.
  const room = Math.max(0, width - 1)
  if (plain.test(text)) return `${text.slice(0, room)}…`
  let start = ''
  let taken = 0
  for (const segment of graphemes(text)) {
    taken += terminalCells(segment)
    if (taken > room) break
    start += segment
  }
  return `${start}…`
}

/** Wraps a line at spaces, which are dropped there. A word that is too wide is split between graphemes. */
export function wrap(line: string, width: number) {
  if (terminalCells(line) <= width) return [line]
  const lines: string[] = []
  let current = ''
  let taken = 0
  const breakLine = () => {
    if (current !== '') lines.push(current)
    current = ''
    taken = 0
  }
  const add = (text: string) => {
    current += text
    taken += terminalCells(text)
  }
  // Each match is a word and the spaces before it.
  for (const [text, word = ''] of line.matchAll(/[ \t]*([^ \t]*)/g)) {
    if (taken + terminalCells(text) <= width) {
      add(text)
      continue
    }
    breakLine()
    for (const segment of graphemes(word)) {
      if (taken + terminalCells(segment) > width) breakLine()
      add(segment)
    }
  }
  breakLine()
  return lines
}

/**
 * Measures, cuts, wraps and paints text for a terminal. Widths are in cells, as cli-table3 counts them, and text is cut between
 * graphemes. The text must be safe already (`safe-text.ts`), because a control character has no width.
 */
import { Chalk } from 'chalk'
import stringWidth from 'string-width'

const plain = /^[\x20-\x7e]*$/

/** Finds graphemes. It is made when a text needs it, because most texts are ASCII. */
let segmenter: Intl.Segmenter | undefined

/** No grapheme of a safe text is nearly as long. */
const partLength = 500

/** Yields the graphemes of a text. A reader takes each for one character. */
function* graphemes(text: string) {
  segmenter ??= new Intl.Segmenter()
  // The text is read in parts, because the time of the segmenter grows with the square of a text.
  for (let start = 0; start < text.length;) {
    const part = text.slice(start, start + partLength)
    const segments = Array.from(segmenter.segment(part), ({ segment }) => segment)
    const isLastPart = start + part.length === text.length
    // The last grapheme of a part may go on in the next one.
    if (!isLastPart && segments.length > 1) segments.pop()
    yield* segments
    start += segments.join('').length
  }
}

/** Returns the number of terminal cells that a line of text takes. */
export function terminalCells(text: string): number {
  return plain.test(text) ? text.length : stringWidth(text)
}

/** Returns the text, or as much of it as fits in `width` cells with an ellipsis at its end. The ellipsis is always shown. */
export function truncate(text: string, width: number): string {
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

/** Returns the lines of a text that is wrapped at spaces, which are dropped. A word that is too wide is split between graphemes. */
export function wrap(line: string, width: number): string[] {
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

export type Style = 'bold' | 'dim' | 'cyan'

/** The level is fixed, because callers decide whether there is color, not chalk by the environment. */
const chalk = new Chalk({ level: 1 })

/** Returns the text in a style. */
export function paint(text: string, style: Style | undefined): string {
  return style === undefined ? text : chalk[style](text)
}

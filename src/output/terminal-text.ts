/**
 * Measures, cuts and wraps text for a terminal. Widths are in terminal cells, as cli-table3 counts them. The text must be safe already
 * (`safe-text.ts`), because a control character has no width.
 */
import stringWidth from 'string-width'

/** A text of printable ASCII. Each of its characters takes one cell. */
const plain = /^[\x20-\x7e]*$/

/** No character that people write is longer, in UTF-16 units per cell. */
const unitsPerCell = 50

/** Made when a text needs it, because most texts are ASCII. */
let segmenter: Intl.Segmenter | undefined

/** Returns the number of terminal cells that a line of text takes. */
export function terminalCells(text: string) {
  return plain.test(text) ? text.length : stringWidth(text)
}

/** Returns the beginning of a text that fits: whole characters, and at least one. A long text takes no longer than a short one. */
function beginning(text: string, width: number) {
  // ASCII behind it, too, so that no accent belongs to its last letter.
  if (plain.test(text.slice(0, width + 1))) return text.slice(0, width)
  segmenter ??= new Intl.Segmenter()
  const start = text.slice(0, width * unitsPerCell)
  let taken = 0
  for (const { segment, index } of segmenter.segment(start)) {
    taken += terminalCells(segment)
    if (taken > width && index > 0) return start.slice(0, index)
  }
  return start
}

/** Cuts a text to at most `width` cells, the last of which is an ellipsis. A text that fits is returned as it is. */
export function truncate(text: string, width: number) {
  return terminalCells(text) <= width ? text : `${beginning(text, width - 1)}…`
}

/** Wraps a line at spaces, which are dropped there. A word that is too wide is split between characters. */
export function wrap(line: string, width: number) {
  const lines: string[] = []
  let rest = line.trimEnd()
  for (;;) {
    const start = beginning(rest, width)
    if (start === rest) break
    // Up to the last space within, or just behind, what fits.
    const words = /^.*[^ ](?= )/.exec(rest.slice(0, start.length + 1))?.[0] ?? start
    lines.push(words)
    rest = rest.slice(words.length).trimStart()
  }
  lines.push(rest)
  return lines
}

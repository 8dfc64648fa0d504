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
export function terminalCells(text: string): number {
  return plain.test(text) ? text.length : stringWidth(text)
}

/** Cuts a text to at most `width` cells, the last of which is an ellipsis. A text that fits is returned as it is. */
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

/** Wraps a line between words. Further lines begin with `indent`. A word that is too wide stays whole. */
export function wrap(line: string, width: number, indent = ''): string[] {
  // Each part is a word and the spaces before it.
  const [first = '', ...parts] = line.match(/[ \t]*[^ \t]+/g) ?? []
  const lines: string[] = []
  let current = first
  let taken = terminalCells(first)
  for (const part of parts) {
    const cells = terminalCells(part)
    if (taken + cells <= width) {
      current += part
      taken += cells
      continue
    }
    lines.push(current)
    current = indent + part.trimStart()
    taken = terminalCells(current)
  }
  return [...lines, current]
}

/** Puts spaces into words that are too wide, so that `wrap` makes no line of more than `width` cells. */
export function splitWords(line: string, width: number): string {
  if (terminalCells(line) <= width) return line
  return line.replace(/[^ \t]+/g, (word) => {
    let split = ''
    let taken = 0
    for (const grapheme of graphemes(word)) {
      const cells = terminalCells(grapheme)
      taken += cells
      if (taken > width && split !== '') {
        split += ' '
        taken = cells
      }
      split += grapheme
    }
    return split
  })
}

/** Returns the time of an ISO date with a time; undefined for any other text. */
export function isoTime(text: string): number | undefined {
  const time = /^\d{4}-\d\d-\d\dT/i.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(time) ? undefined : time
}

/** Returns a text such as `2026-03-01 10:15`, in this machine's time zone. */
export function dateToMinute(time: number): string {
  const offset = new Date(time).getTimezoneOffset() * 60_000
  // Writes local time as if it were UTC: only UTC has a format that no locale changes.
  const shifted = new Date(time - offset)
  return shifted.toISOString().slice(0, 16).replace('T', ' ')
}

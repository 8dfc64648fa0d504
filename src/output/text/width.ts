/**
 * Text on a terminal: how many cells it takes, counted as cli-table3 counts them, cut and wrapped between graphemes, and in
 * a style. Only for text that is safe already (`safe-text.ts`): a control character has no width.
 */
import { Chalk } from 'chalk'
import stringWidth from 'string-width'

const plain = /^[\x20-\x7e]*$/

/** Made when a text needs it: most texts are ASCII. */
let segmenter: Intl.Segmenter | undefined

/** The graphemes of a text: what a reader takes for one character. */
function graphemes(text: string) {
  segmenter ??= new Intl.Segmenter()
  return segmenter.segment(text)
}

/** The number of terminal cells that a line of text takes. */
export function terminalCells(text: string): number {
  return plain.test(text) ? text.length : stringWidth(text)
}

/** The text itself, or as much of it as fits with an ellipsis at its end. At least one cell. */
export function truncate(text: string, width: number): string {
  if (terminalCells(text) <= width) return text
  // One cell is left for the ellipsis.
  const room = Math.max(0, width - 1)
  if (plain.test(text)) return `${text.slice(0, room)}…`
  let start = ''
  let taken = 0
  for (const { segment } of graphemes(text)) {
    taken += terminalCells(segment)
    if (taken > room) break
    start += segment
  }
  return `${start}…`
}

/** Wraps a line at spaces, which are dropped. A word that is wider than the line is split between graphemes. */
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
    for (const { segment } of graphemes(word)) {
      if (taken + terminalCells(segment) > width) breakLine()
      add(segment)
    }
  }
  breakLine()
  return lines
}

export type Style = 'bold' | 'dim' | 'cyan'

/** Whether there is color was decided before, so chalk does not look at the environment. */
const chalk = new Chalk({ level: 1 })

/** The text in a style. */
export function paint(text: string, style: Style | undefined): string {
  return style === undefined ? text : chalk[style](text)
}

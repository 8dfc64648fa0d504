/** Messages as they stand on a terminal: lines are broken between words, and a command is never broken. */
import { cells, wrap } from './text/width.ts'

/** A piece of a message as it is shown. */
export interface Piece {
  readonly text: string
  /** Whether it is to be typed: a command, or an option. */
  readonly isTyped: boolean
}

/** Wraps the lines of a message at blanks, indented. A long command at the end of a line gets a line of its own. */
export function layOut(pieces: readonly Piece[], width: number): string {
  return linesOf(pieces)
    .flatMap((line) => layOutLine(line, width))
    .join('\n')
}

/** The pieces of each line; a piece with line breaks goes on in the next ones. */
function linesOf(pieces: readonly Piece[]): Piece[][] {
  const lines: Piece[][] = [[]]
  for (const { text, isTyped } of pieces) {
    const [first = '', ...rest] = text.split('\n')
    lines.at(-1)?.push({ text: first, isTyped })
    lines.push(...rest.map((line) => [{ text: line, isTyped }]))
  }
  return lines.map((line) => line.filter(({ text }) => text !== ''))
}

function layOutLine(pieces: readonly Piece[], width: number): string[] {
  const line = textOfPieces(pieces)
  const isTypedAlone = pieces.every(({ text, isTyped }) => isTyped || text.trim() === '')
  if (cells(line) <= width || isTypedAlone) return [line]
  const last = pieces.at(-1)
  const command = last?.isTyped === true ? last.text : undefined
  const words = command === undefined ? line : textOfPieces(pieces.slice(0, -1)).trimEnd()
  const first = wrap(words, width)[0] ?? ''
  const remainder = words.slice(first.length).trimStart()
  const margin = /^ */.exec(line)?.[0] ?? ''
  const hanging = `${margin}  `
  const below = remainder === '' ? [] : wrap(remainder, width - hanging.length)
  if (command !== undefined) below.push(command)
  return [first, ...below.map((text) => hanging + text)]
}

export function textOfPieces(pieces: readonly Piece[]): string {
  return pieces.map(({ text }) => text).join('')
}

/** Lines of ours below the first one, as parts of one message. */
export function indentLines(text: string): string {
  return text.replace(/\n(?! )/g, '\n  ')
}

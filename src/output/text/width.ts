/**
 * How many cells of a terminal a text takes, counted by graphemes; and text cut and wrapped to a number of them. Tables, messages,
 * questions and the bar are laid out with it, always of text that is safe already (`safe-text.ts`): a control character has no width.
 * `cells.ts`, `output/stderr.ts` and `output/progress.ts` call it most.
 */
import { is, isJoined, kindOf } from '../../characters.ts'

const plain = /^[\x20-\x7e]*$/

/** More code units than a grapheme has once the text is safe: what is longer is cut. */
export const unitsPerCell = 64

/** The graphemes of a text, one after the other: what a reader takes for one character. */
class Graphemes {
  readonly #text: string
  /** Where the present one begins and ends, and the cells that it takes. */
  start: number
  end: number
  cells = 0

  constructor(text: string, from: number) {
    this.#text = text
    this.start = from
    this.end = from
  }

  /** Goes to the next one; false when there is none. */
  next(): boolean {
    if (this.end >= this.#text.length) return false
    this.start = this.end
    let point = this.#take()
    const first = kindOf(point)
    let cells = pointCells(point)
    let spacing = 0
    // Half a flag has the presentation of a picture too, but is one only with its other half.
    const pictureOrFlag = first & (is.emojiPresentation | is.regionalIndicator)
    let isPicture = pictureOrFlag === is.emojiPresentation
    while (this.#goesOn(point)) {
      point = this.#take()
      isPicture ||= asksForPicture(point, first)
      cells += pointCells(point)
      spacing += kindOf(point) & is.spacingMark ? 1 : 0
    }
    this.cells = isPicture ? 2 + spacing : cells
    return true
  }

  #take(): number {
    const point = this.#text.codePointAt(this.end) ?? 0
    this.end += point > 0xffff ? 2 : 1
    return point
  }

  #goesOn(point: number): boolean {
    const length = this.end - this.start
    if (this.end >= this.#text.length || length >= unitsPerCell) return false
    const next = this.#text.codePointAt(this.end) ?? 0
    if (point <= 0x2ff && next <= 0x2ff) return false
    const isFlag = length === 2 && (kindOf(point) & kindOf(next) & is.regionalIndicator) > 0
    return isFlag || isJoined(point, next)
  }
}

/** A selector or a keycap behind a character, and the second half of a flag. */
function asksForPicture(point: number, first: number): boolean {
  if (point === 0xfe0f || point === 0x20e3) return (first & is.emojiBase) > 0
  return (first & kindOf(point) & is.regionalIndicator) > 0
}

/** Cells of a code point by itself; what it takes in a grapheme is for `Graphemes` to say. */
function pointCells(point: number): number {
  if (point <= 0x2ff) return 1
  const kind = kindOf(point)
  if (kind & is.zero) return 0
  // Half a flag is a letter in a box.
  if (kind & is.regionalIndicator) return 1
  return kind & is.wide ? 2 : 1
}

/** The number of cells that a line of text takes. */
export function cells(text: string): number {
  if (plain.test(text)) return text.length
  const graphemes = new Graphemes(text, 0)
  let sum = 0
  while (graphemes.next()) sum += graphemes.cells
  return sum
}

/** The text itself, or as much of it as fits with an ellipsis at its end. At least one cell. */
export function truncate(text: string, width: number): string {
  const limit = Math.max(1, width)
  if (fitting(text, 0, limit).end === text.length) return text
  const { end } = fitting(text, 0, limit - 1)
  return `${text.slice(0, end)}…`
}

/** The place behind a piece of text, and the cells that the piece takes. */
interface Piece {
  end: number
  taken: number
}

/** Where the graphemes end that fit into `width` cells from `from` on, and the cells that they take. */
function fitting(text: string, from: number, width: number): Piece {
  const most = Math.max(0, width)
  // One more character: it may be a mark, and belong to the last one.
  if (plain.test(text.slice(from, from + most + 1))) {
    const taken = Math.min(most, text.length - from)
    return { end: from + taken, taken }
  }
  const graphemes = new Graphemes(text, from)
  let end = from
  let taken = 0
  while (graphemes.next() && taken + graphemes.cells <= width) {
    taken += graphemes.cells
    end = graphemes.end
  }
  return { end, taken }
}

/** Wraps a line at blanks, which go; a word wider than the line is cut between graphemes, and loses nothing. */
export function wrap(line: string, width: number): string[] {
  const limit = Math.max(2, width)
  if (line.length <= limit && plain.test(line)) return [line]
  const lines: string[] = []
  let current = ''
  let room = limit
  for (const [, blank = '', word = ''] of line.matchAll(/([ \t]*)([^ \t]*)/g)) {
    const left = room - blank.length
    const { end, taken } = fitting(word, 0, left)
    if (left >= 0 && end === word.length) {
      current += blank + word
      room = left - taken
      continue
    }
    if (current !== '') lines.push(current)
    current = ''
    room = limit
    for (let at = 0; at < word.length; at += current.length) {
      if (current !== '') lines.push(current)
      const piece = pieceAt(word, at, limit)
      current = word.slice(at, piece.end)
      room = limit - piece.taken
    }
  }
  if (current !== '' || lines.length === 0) lines.push(current)
  return lines
}

/** As much of a word as fits, from `at` on; of a grapheme that is wider than the line, as many code points as fit. */
function pieceAt(word: string, at: number, width: number): Piece {
  const whole = fitting(word, at, width)
  if (whole.end > at) return whole
  let end = at
  let taken = 0
  for (const char of word.slice(at, at + unitsPerCell)) {
    const more = pointCells(char.codePointAt(0) ?? 0)
    if (end > at && taken + more > width) break
    taken += more
    end += char.length
  }
  return { end, taken }
}

/**
 * csv that a spreadsheet takes for what it is: text. For one in which `;` separates, a quote means something only where a line
 * begins or a `;` stands before it. So another cell may begin inside of ours, and what follows a closing quote is one with it.
 */
import { joined, pieceLength, safePieces } from '../text/safe.ts'

/** Phone numbers: `+` or `-` and then only digits, blanks and `()-.`, with nothing open at the end. A carriage return alone, which is made visible, is no end of a line. */
const phones = /^[+-][\d ().-]*\d[ ).]*(?:(?:[;\n]|\r\n)+[+-][\d ().-]*\d[ ).]*)*$/
/**
 * Where a cell may begin, and a sign that begins a formula there. Some spreadsheets read the full-width forms as the signs. So
 * begins the last line of an incomplete output too (`incompleteMark`).
 */
const formula = /[;\n][ "]*(?=[=+\-@＝＋－＠]|# incomplete:)/g
/** The end of a text behind which a cell may begin. */
const opening = /[;\n][ "]*$/

/** What a spreadsheet would run as a formula gets a `'` before it; phone numbers stay as they are. */
export function guardCell(text: string): string {
  return joined(guardedPieces(text, [text]))
}

/** `pieces`: the text as it is written. */
function* guardedPieces(text: string, pieces: Iterable<string>): Generator<string> {
  const isPhone = text.length <= pieceLength && phones.test(text)
  if (!isPhone && /^[\t\r\n]/.test(text)) yield "'"
  let before = '\n'
  for (const piece of pieces) {
    yield isPhone ? piece : (before + piece).replace(formula, "$&'").slice(1)
    before = opening.test(before + piece) ? '\n' : ' '
  }
}

function cellPieces(cell: string, raw: boolean): Iterable<string> {
  const pieces = safePieces(cell, { newlines: 'csv' })
  return raw ? pieces : guardedPieces(cell, pieces)
}

/** Most cells: printable ASCII in which nothing is to be guarded, made visible or quoted. */
const plain = /^(?![ '=+\-@]|# incomplete:)[ !#-+\--:<-~]*(?<! )$/
const needsQuotes = /[",;\t\r\n]|^[\s'=+\-@＝＋－＠]|\s$/

export interface CsvForm {
  /** Formulas are left as they are. */
  readonly raw?: boolean
  readonly delimiter?: string
}

/** A record without its line end: the only writer of csv. Line breaks stay, inside quotes; every other control character becomes visible. */
export function csvCells(cells: readonly string[], { raw = false, delimiter = ',' }: CsvForm = {}): string {
  let before = ''
  const written = cells.map((cell) => {
    const isPlain = plain.test(cell)
    const text = isPlain ? cell : joined(cellPieces(cell, raw))
    // A number in quotes and what follows it can be one formula.
    const isQuoted =
      (!isPlain && needsQuotes.test(text)) || before === '+' || before === '-' || text.includes(delimiter)
    before = text.slice(0, 1)
    return isQuoted ? `"${text.replaceAll('"', '""')}"` : text
  })
  return written.join(delimiter)
}

/** A record with its line end. `raw`: formulas are left as they are. */
export function csvRecord(cells: readonly string[], raw: boolean): string {
  return `${csvCells(cells, { raw })}\n`
}

/** The same for long cells, in pieces; all cells are quoted. */
export function* csvPieces(cells: readonly string[], raw: boolean): Generator<string> {
  let before = '"'
  for (const cell of cells) {
    yield before
    for (const piece of cellPieces(cell, raw)) yield piece.replaceAll('"', '""')
    before = '","'
  }
  yield '"\n'
}

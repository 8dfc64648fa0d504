/**
 * csv that a spreadsheet takes for what it is: text. For one in which `;` separates, a quote means something only where a line
 * begins or a `;` stands before it. So another cell may begin inside of ours, and what follows a closing quote is one with it.
 */
import { safe, safePieces } from '../text/safe.ts'

/** Phone numbers: `+` or `-` and then only digits, blanks and `()-.`, with nothing open at the end. A carriage return alone, which is made visible, is no end of a line. */
const phones = /^[+-][\d ().-]*\d[ ).]*(?:(?:[;\n]|\r\n)+[+-][\d ().-]*\d[ ).]*)*$/
/** Where a cell may begin, and a sign that begins a formula there. Some spreadsheets read the full-width forms as the signs. */
const formula = /(^|[;\n])([ "]*)(?=[=+\-@＝＋－＠])/g

/** What a spreadsheet would run as a formula gets a `'` before it; phone numbers stay as they are. */
export function guardCell(text: string): string {
  if (phones.test(text)) return text
  const guarded = text.replace(formula, "$1$2'")
  return /^[\t\r\n]/.test(guarded) ? `'${guarded}` : guarded
}

/** Most cells: printable ASCII in which nothing is to be guarded, made visible or quoted. */
const plain = /^(?![ '=+\-@])[ !#-+\--:<-~]*(?<! )$/
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
    const text = isPlain ? cell : safe(raw ? cell : guardCell(cell), { newlines: 'csv' })
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
    for (const piece of safePieces(raw ? cell : guardCell(cell), { newlines: 'csv' })) yield piece.replaceAll('"', '""')
    before = '","'
  }
  yield '"\n'
}

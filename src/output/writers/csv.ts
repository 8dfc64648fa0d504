/**
 * Writes rows as csv. Its headings are the names of fields, for programs. Text that a spreadsheet would run as a formula is made
 * harmless.
 */
import { safe } from '../../safe-text.ts'
import { cellText, type Column } from '../result.ts'

/** Yields the lines of a table. */
export async function* csvText<T>(
  rows: AsyncIterable<T> | Iterable<T>,
  columns: readonly Column<T>[],
): AsyncGenerator<string> {
  const headings = columns.map(({ field }) => field)
  yield `${csvCells(headings)}\n`
  for await (const row of rows) {
    const cells = columns.map(({ valueOf }) => cellText(valueOf(row)))
    yield `${csvCells(cells)}\n`
  }
}

/**
 * Texts that begin like a formula and are none. They are a single dash, which people write for nobody, and phone numbers: `+` or
 * `-` and then only digits, spaces and `()-.`, not ending with a sign. A single carriage return does not separate numbers.
 */
const harmless = /^-$|^[+-][\d ().-]*\d[ ).]*(?:(?:[;\n]|\r\n)+[+-][\d ().-]*\d[ ).]*)*$/
/**
 * A place where a cell may begin, before a sign that begins a formula. Some spreadsheets also accept the full-width signs.
 */
const formula = /[;\n][ "]*(?=[=+\-@＝＋－＠])/g
/** No cell of phone numbers is nearly as long. */
const maxHarmlessLength = 1 << 14

/**
 * Returns `written` with `'` before each part that a spreadsheet would run as a formula. In a spreadsheet that separates cells by
 * `;`, every `;` or line break may begin another cell, after any quotes and spaces. `written` is `text` with its control
 * characters made visible.
 */
function guard(text: string, written: string) {
  if (text.length <= maxHarmlessLength && harmless.test(text)) return written
  // The pattern finds places after a line break, so one is put before the text for a moment.
  const guarded = `\n${written}`.replace(formula, "$&'")
  const cell = guarded.slice(1)
  return /^[\t\r\n]/.test(text) ? `'${cell}` : cell
}

/** Printable ASCII that needs no guard, no quotes and nothing made visible. Most cells are such. */
const plain = /^(?![ '=+\-@])[ !#-+\--:<-~]*(?<! )$/
const needsQuotes = /[",;\t\r\n]|^[\s'=+\-@＝＋－＠]|\s$/

/**
 * Returns a row of csv without its line end. Line breaks remain, inside quotes. Other control characters are made visible.
 */
export function csvCells(cells: readonly string[], delimiter = ','): string {
  let previousStart = ''
  const written = cells.map((cell) => {
    const isPlain = plain.test(cell)
    const shown = isPlain ? cell : safe(cell, { newlines: 'csv' })
    const text = isPlain ? shown : guard(cell, shown)
    // A sign that begins a cell and the cell after it could be read as one formula, so the second cell is quoted.
    const isQuoted =
      (!isPlain && needsQuotes.test(text)) ||
      previousStart === '+' ||
      previousStart === '-' ||
      text.includes(delimiter)
    previousStart = text.slice(0, 1)
    return isQuoted ? `"${text.replaceAll('"', '""')}"` : text
  })
  return written.join(delimiter)
}

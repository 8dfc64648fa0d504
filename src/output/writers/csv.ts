/**
 * Rows as csv. Its headings are fields, for programs that read it. Text that a spreadsheet would run as a formula is made
 * harmless.
 */
import { cellText, type Column } from '../columns.ts'
import { safe } from '../../safe-text.ts'

/** The lines of a table. */
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
 * A dash alone, which people write for nobody, and phone numbers: `+` or `-` and then only digits, spaces and `()-.`, not
 * ending with a sign. A carriage return alone is made visible and does not end a line.
 */
const harmless = /^-$|^[+-][\d ().-]*\d[ ).]*(?:(?:[;\n]|\r\n)+[+-][\d ().-]*\d[ ).]*)*$/
/**
 * Where a cell may begin, and a sign that begins a formula there. Some spreadsheets read the full-width forms as the signs.
 */
const formula = /[;\n][ "]*(?=[=+\-@＝＋－＠])/g
/** Far longer than any cell of phone numbers. */
const longestHarmless = 1 << 14

/**
 * Puts `'` before each text that a spreadsheet would run as a formula; phone numbers and a dash stay. In a spreadsheet that
 * separates by `;`, every `;` or line break inside a cell may begin another cell, after any quotes and spaces. `written`:
 * `text` with its control characters made visible.
 */
function guard(text: string, written: string) {
  if (text.length <= longestHarmless && harmless.test(text)) return written
  // The text begins a cell as a line break may, so a line break is put before it for the pattern.
  const guarded = `\n${written}`.replace(formula, "$&'")
  const cell = guarded.slice(1)
  return /^[\t\r\n]/.test(text) ? `'${cell}` : cell
}

/** Most cells: printable ASCII that needs no guard, no quotes, and nothing made visible. */
const plain = /^(?![ '=+\-@])[ !#-+\--:<-~]*(?<! )$/
const needsQuotes = /[",;\t\r\n]|^[\s'=+\-@＝＋－＠]|\s$/

/**
 * A row of csv without its line end; everything in svc that writes csv uses it. Line breaks stay, inside quotes; other
 * control characters become visible.
 */
export function csvCells(cells: readonly string[], delimiter = ','): string {
  let previousStart = ''
  const written = cells.map((cell) => {
    const isPlain = plain.test(cell)
    const shown = isPlain ? cell : safe(cell, { newlines: 'csv' })
    const text = isPlain ? shown : guard(cell, shown)
    // A number in quotes and what follows it can be one formula.
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

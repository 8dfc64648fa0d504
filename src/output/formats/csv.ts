/**
 * csv that a spreadsheet takes for what it is: text. For one in which `;` separates, a quote means something
 * only where a line begins or a `;` stands before it. So another cell may begin inside of ours, and what
 * follows a closing quote is one with it.
 */
import { safe } from '../../safe-text.ts'

/** Phone numbers: `+` or `-` and then only digits, blanks and `()-.`, with nothing open at the end. A carriage return alone, which is made visible, is no end of a line. */
const phones = /^[+-][\d ().-]*\d[ ).]*(?:(?:[;\n]|\r\n)+[+-][\d ().-]*\d[ ).]*)*$/
/**
 * Where a cell may begin, and a sign that begins a formula there. Some spreadsheets read the full-width forms as the signs.
 */
const formula = /[;\n][ "]*(?=[=+\-@＝＋－＠])/g
/** Far more than a column of phone numbers in one cell. */
const longestPhones = 1 << 14

/**
 * A `'` goes before each text that a spreadsheet would run as a formula; phone numbers stay as they are. `written`: the text with all else
 * made visible.
 */
function guard(text: string, written: string): string {
  const isPhones = text.length <= longestPhones && phones.test(text)
  if (isPhones) return written
  // The text begins a cell as a line break inside of it may: it is looked at with one before it.
  const guarded = `\n${written}`.replace(formula, "$&'").slice(1)
  return /^[\t\r\n]/.test(text) ? `'${guarded}` : guarded
}

/** Most cells: printable ASCII in which nothing is to be guarded, made visible or quoted. */
const plain = /^(?![ '=+\-@])[ !#-+\--:<-~]*(?<! )$/
const needsQuotes = /[",;\t\r\n]|^[\s'=+\-@＝＋－＠]|\s$/

/** A row without its line end: the only writer of csv. Line breaks stay, inside quotes; every other control character becomes visible. */
export function csvCells(
  cells: readonly string[],
  { delimiter = ',' }: { readonly delimiter?: string } = {},
): string {
  let before = ''
  const written = cells.map((cell) => {
    const isPlain = plain.test(cell)
    const shown = isPlain ? cell : safe(cell, { newlines: 'csv' })
    const text = isPlain ? shown : guard(cell, shown)
    // A number in quotes and what follows it can be one formula.
    const isQuoted =
      (!isPlain && needsQuotes.test(text)) ||
      before === '+' ||
      before === '-' ||
      text.includes(delimiter)
    before = text.slice(0, 1)
    return isQuoted ? `"${text.replaceAll('"', '""')}"` : text
  })
  return written.join(delimiter)
}

/** A row with its line end. */
export function csvRow(cells: readonly string[]): string {
  return `${csvCells(cells)}\n`
}

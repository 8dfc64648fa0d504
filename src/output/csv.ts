/** Writes rows of csv, in which no spreadsheet finds a formula. */
import { safe } from '../safe-text.ts'

/** A phone number: `+` or `-`, and then only digits, spaces and `()-.`, not ending with a sign. */
const phone = String.raw`[+-][\d ().-]*\d[ ).]*`
/** Texts that begin like a formula but are none: a single dash, which people write for nobody, and one or more phone numbers. */
const harmless = new RegExp(`^-$|^${phone}(?:(?:[;\\n]|\\r\\n)+${phone})*$`)
/** The text before a formula: a separator, and any quotes and spaces. Some spreadsheets also accept the full-width signs. */
const formula = /[;\n][ "]*(?=[=+\-@＝＋－＠])/g
/** No cell with phone numbers is longer. The test of a longer text could take long. */
const maxHarmlessLength = 1 << 14

/**
 * Returns a text with its control characters made visible, and with `'` before each part that a spreadsheet would run as a formula.
 * Where `;` separates cells, another cell begins after each `;` or line break, and its formula after any quotes and spaces.
 */
function guardFormulas(text: string) {
  const shown = safe(text, 'lines')
  if (text.length <= maxHarmlessLength && harmless.test(text)) return shown
  // `formula` needs a separator in front, so a line break is put before the text for a moment.
  const guarded = `\n${shown}`.replace(formula, "$&'")
  const cell = guarded.slice(1)
  // Some spreadsheets skip a tab or a line break before a formula.
  return /^[\t\r\n]/.test(text) ? `'${cell}` : cell
}

/** Most cells: printable ASCII without `"`, `,` and `;`, which needs no guard and no quotes. */
const plain = /^(?![ '=+\-@])[ !#-+\--:<-~]*(?<! )$/
const needsQuotes = /[",;\t\r\n]|^[\s'=+\-@＝＋－＠]|\s$/

/** Returns a row of csv without its line end. Line breaks in cells remain, in quotes. Other control characters become visible. */
export function csvCells(cells: readonly string[], delimiter = ',') {
  let previousStart = ''
  const written = cells.map((cell) => {
    const isPlain = plain.test(cell)
    const text = isPlain ? cell : guardFormulas(cell)
    // Where `;` separates cells, a cell that begins with a sign and the next one could be joined to a formula. Quotes around the
    // next one prevent that.
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

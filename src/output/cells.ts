/**
 * The cells of rows: which columns are shown, how each reads its value in a row and writes it as text, and what csv makes of such
 * texts. One that a spreadsheet would run as a formula is made harmless.
 */
import { usageError } from '../errors.ts'
import { jsonText, safe } from '../safe-text.ts'
import { memberOf } from '../json.ts'
import type { Columns, ColumnKind, ColumnValue } from './result.ts'

/** A column that is shown. */
export interface Column<T> {
  /** The heading in tables: `CONTACT`. */
  heading: string
  /** The heading in csv: the path of the value, such as `contact.id`. If a function computes it, the heading in lower case. */
  field: string
  kind: ColumnKind
  isWide: boolean
  valueOf: (row: T) => unknown
}

/** Returns the columns that a verb declares, as they are shown. */
export function shownColumns<T>(columns: Columns<T>) {
  return Object.entries(columns).map(([heading, { kind, value, isWide = false }]) => ({
    heading,
    field: typeof value === 'string' ? value : heading.toLowerCase(),
    kind,
    isWide,
    valueOf: readerOf(value),
  }))
}

/**
 * Returns the columns that `--fields` names, by their fields, or by their headings in any letter case. Throws a usage error for a
 * field that no column has.
 */
export function namedColumns<T>(
  columns: Columns<T>,
  fields: readonly string[],
): Column<T>[] {
  const all = shownColumns(columns)
  return fields.map((name) => {
    const column = all.find(
      ({ heading, field }) =>
        field === name || heading.toLowerCase() === name.toLowerCase(),
    )
    // A column that a person names is not left out.
    if (column !== undefined) return { ...column, isWide: false }
    const hint = `fields: ${all.map(({ field }) => field).join(', ')}`
    throw usageError(`unknown field "${safe(name)}"`, hint)
  })
}

/** Returns a function that reads a value in a row. */
export function readerOf<T>(value: ColumnValue<T>): (row: T) => unknown {
  if (typeof value === 'function') return value
  const path = value.split('.')
  return (row) => valueAt(row, path)
}

/** Returns the value at a path; undefined if there is none. For an array, returns an array with the value of each item. */
function valueAt(value: unknown, path: readonly string[]): unknown {
  const [key, ...pathBelow] = path
  if (key === undefined) return value
  if (Array.isArray(value)) return value.map((item) => valueAt(item, path))
  return valueAt(memberOf(value, key), pathBelow)
}

/** Returns a value as the text of a cell: an array joined by `;`, an object as JSON, nothing for null. It is not yet safe. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(cellText).join(';')
  return jsonText(value)
}

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

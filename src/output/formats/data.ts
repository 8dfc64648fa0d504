/**
 * The formats that programs read: json as one document, and ndjson, csv and ids as lines. The document of a
 * failed read is not closed, so that no parser accepts it.
 */
import { usageError } from '../../errors.ts'
import { cellText, columnsOf, fieldPicker, valueOf } from '../fields.ts'
import type { Ending, PrintOptions, Rows, View } from '../result.ts'
import { safe } from '../../safe-text.ts'
import type { JsonWriter } from '../json.ts'

/** Everything that a format needs to print rows. */
export interface Printed<T> {
  /** `ending` is complete once all rows are printed. */
  source: AsyncIterable<T> & { ending: Ending }
  view: View<T>
  options: PrintOptions
  frame: Rows<T>['frame'] | undefined
  conversation: Rows<T>['conversation'] | undefined
  /** Writes the values of JSON, and counts what it replaces in them. */
  json: JsonWriter
}

/** One object per line. */
export async function* ndjsonRows<T>({ source, view, options, json }: Printed<T>) {
  const pick = fieldPicker(view, options.fields)
  for await (const row of source) yield `${json.text(pick(row, row))}\n`
}

/** Only the ids. Throws exit 2 if the view has none. */
export async function* idLines<T>({ source, view: { id } }: Printed<T>) {
  if (id === undefined) throw usageError('this command does not support the format "ids"')
  for await (const row of source) yield `${safe(id(row))}\n`
}

/** The headings of csv are fields rather than titles, for programs that read it. */
export async function* csvRows<T>({ source, view, options }: Printed<T>) {
  const fields = columnsOf(view, options.fields).map(({ field }) => field)
  yield `${csvCells(fields)}\n`
  for await (const row of source) {
    const cells = fields.map((field) => cellText(valueOf(row, field, view)))
    yield `${csvCells(cells)}\n`
  }
}

/** Rows as one document: an array, or an object around it. It is closed only when the source has ended. */
export async function* jsonRows<T>({
  source,
  view,
  options: { fields },
  frame,
  json,
}: Printed<T>): AsyncGenerator<string> {
  const pick = fieldPicker(view, fields)
  // Rows do not repeat a member of the object around them, unless `--fields` asks for it.
  const repeated = fields === undefined ? frame?.repeated : undefined
  const { start, margin, end } = textAround(frame, json)
  let isEmpty = true
  for await (const row of source) {
    const whole = repeated === undefined ? row : { ...row, [repeated]: undefined }
    const text = json.text(pick(whole, row), 2, `${margin}  `)
    yield `${isEmpty ? start : ','}\n${margin}  ${text}`
    isEmpty = false
  }
  yield (isEmpty ? start : `\n${margin}`) + end
}

/** The text before the rows of a document and after them, and the margin of the lines between. */
function textAround(frame: Rows<unknown>['frame'], json: JsonWriter) {
  if (frame === undefined) return { start: '[', margin: '', end: ']\n' }
  const { key, before } = frame
  const end = ']\n}\n'
  const empty = `${json.text({ ...before, [key]: [] }, 2)}\n`
  return { start: empty.slice(0, -end.length), margin: '  ', end }
}

/**
 * Phone numbers: `+` or `-` and then only digits, spaces and `()-.`, not ending with a sign. A carriage return alone is made
 * visible and does not end a line.
 */
const phones = /^[+-][\d ().-]*\d[ ).]*(?:(?:[;\n]|\r\n)+[+-][\d ().-]*\d[ ).]*)*$/
/**
 * Where a cell may begin, and a sign that begins a formula there. Some spreadsheets read the full-width forms as the signs.
 */
const formula = /[;\n][ "]*(?=[=+\-@＝＋－＠])/g
/** Far longer than any cell of phone numbers. */
const longestPhones = 1 << 14

/**
 * Puts `'` before each text that a spreadsheet would run as a formula; phone numbers stay. In a spreadsheet that separates
 * by `;`, every `;` or line break inside a cell may begin another cell, after any quotes and spaces. `written`: `text` with
 * its control characters made visible.
 */
function guard(text: string, written: string) {
  if (text.length <= longestPhones && phones.test(text)) return written
  // The text begins a cell as a line break may, so a line break is put before it for the pattern.
  const guarded = `\n${written}`.replace(formula, "$&'").slice(1)
  return /^[\t\r\n]/.test(text) ? `'${guarded}` : guarded
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

/** The cells of rows: which columns are shown, and how each reads its value in a row and writes it as text. */
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
export function shownColumns<T>(columns: Columns<T>): Column<T>[] {
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

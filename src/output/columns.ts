/** Makes the columns of an output, from those of a verb or from --fields. Reads the values of rows, and writes them as text. */
import { usageError, type SvcError } from '../errors.ts'
import { memberOf } from '../json.ts'
import { jsonText, safe } from '../safe-text.ts'
import type { Columns } from './result.ts'

/** How a value looks in a table. The name of its field decides it. */
export type ColumnKind = 'id' | 'text' | 'time' | 'state'

export interface Column<T> {
  /** The heading in tables: `CONTACT`. */
  heading: string
  /** The heading in csv: the path of the value, such as `contact.id`. If a function computes it, the heading in lower case. */
  field: string
  kind: ColumnKind
  valueOf: (row: T) => unknown
  /** Whether a person typed a path that is no column of the verb. */
  isPath?: true
  /** Whether no row so far has a value at the path; undefined before the first row, and for columns of the verb. */
  isMissing?: boolean
}

/** The kinds by patterns of field names. Any other field is `text`. */
const kinds: readonly [ColumnKind, RegExp][] = [
  ['id', /(?:^|\.)id$|Id$|^(?:run|source|target)$/],
  ['time', /(?:^a|A)t$/],
  [
    'state',
    /^(?:status|state|outcome|kind|access|direction|found|match|current|protected|check)$/,
  ],
]

function kindOf(field: string): ColumnKind {
  const found = kinds.find(([, fields]) => fields.test(field))
  return found === undefined ? 'text' : found[0]
}

/** Returns the columns that --fields names by heading, field or path; without it, all columns of the verb. */
export function columnsOf<T>(
  columns: Columns<T>,
  fields: readonly string[] | undefined,
): Column<T>[] {
  const all = Object.entries(columns).map(([heading, value]): Column<T> => {
    if (typeof value === 'string') return columnAt(value, heading)
    const field = heading.toLowerCase()
    return { heading, field, kind: kindOf(field), valueOf: value }
  })
  if (fields === undefined) return all
  return fields.map((word) => {
    const lower = word.toLowerCase()
    const named = all.find(
      ({ heading, field }) => field === word || heading.toLowerCase() === lower,
    )
    return named ?? watched(columnAt(word, headingOf(word)))
  })
}

/** Returns the usage error for a field that rows do not have. */
export function unknownFieldError<T>(
  { field }: Column<T>,
  columns: Columns<T>,
  others = '',
): SvcError {
  const known = columnsOf(columns, undefined).map((column) => column.field)
  const hint = `fields: ${known.join(', ')}${others}`
  return usageError(`unknown field "${safe(field)}"`, hint)
}

/** Returns the heading for a path: `CONTACT FIRST NAME` for `contact.firstName`. */
function headingOf(path: string) {
  const words = path.replaceAll(/[._]/g, ' ')
  return words.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toUpperCase()
}

/** Returns the column with the values at a path. */
function columnAt<T>(path: string, heading: string): Column<T> {
  const keys = path.split('.')
  const valueOf = (row: T) => valueAt(row, keys)
  return { heading, field: path, kind: kindOf(path), valueOf }
}

/** Returns a column that also notes whether any row has a value in it. */
function watched<T>(column: Column<T>) {
  const valueOf = (row: T) => {
    const value = column.valueOf(row)
    watchedColumn.isMissing = value === undefined && watchedColumn.isMissing !== false
    return value
  }
  const watchedColumn: Column<T> = { ...column, valueOf, isPath: true }
  return watchedColumn
}

/** Returns the value at a path; undefined if there is none. The value of an array is an array with those of its items. */
function valueAt(value: unknown, keys: readonly string[]): unknown {
  const [key, ...keysBelow] = keys
  if (key === undefined) return value
  if (Array.isArray(value)) return value.map((item) => valueAt(item, keys))
  return valueAt(memberOf(value, key), keysBelow)
}

/** Returns a value as the text of a cell: an array joined by `;`, an object as JSON, nothing for null. It is not yet safe. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(cellText).join(';')
  return jsonText(value)
}

/** Columns of rows: those of a verb or of `--fields`, the values under them, and values as the text of a cell. */
import { usageError, type SvcError } from '../errors.ts'
import { memberOf } from '../json.ts'
import { safe } from '../safe-text.ts'
import { jsonText } from './json.ts'
import type { Columns } from './result.ts'

/** How a value looks in a table: by the name of its field, as the API names fields. */
export type ColumnKind = 'id' | 'text' | 'time' | 'state'

export interface Column<T> {
  /** `CONTACT`, in tables. */
  heading: string
  /** `contact.id`, in csv; of a function the heading in small letters. */
  field: string
  kind: ColumnKind
  valueOf: (row: T) => unknown
  /** A path that was typed, and is no column of the verb. */
  isPath?: true
  /** No row that was seen has a value at the path. */
  isMissing?: boolean
}

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

/** The columns that `--fields` names by heading, field or path; without it, all of the verb. */
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

/** The error for a field that rows do not have. */
export function unknownField<T>(
  { field }: Column<T>,
  columns: Columns<T>,
  others = '',
): SvcError {
  const known = columnsOf(columns, undefined).map((column) => column.field)
  const hint = `fields: ${known.join(', ')}${others}`
  return usageError(`unknown field "${safe(field)}"`, hint)
}

/** `contact.firstName` has the heading `CONTACT FIRST NAME`. */
function headingOf(path: string) {
  const words = path.replaceAll(/[._]/g, ' ')
  return words.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toUpperCase()
}

/** The column of a path. */
function columnAt<T>(path: string, heading: string): Column<T> {
  const keys = path.split('.')
  const valueOf = (row: T) => valueAt(row, keys)
  return { heading, field: path, kind: kindOf(path), valueOf }
}

function watched<T>(column: Column<T>) {
  const valueOf = (row: T) => {
    const value = column.valueOf(row)
    watching.isMissing = value === undefined && watching.isMissing !== false
    return value
  }
  const watching: Column<T> = { ...column, valueOf, isPath: true }
  return watching
}

/** The value at a path; of an array, the values of all its items. Undefined if there is none. */
function valueAt(value: unknown, keys: readonly string[]): unknown {
  const [key, ...below] = keys
  if (key === undefined) return value
  if (Array.isArray(value)) return value.map((item) => valueAt(item, keys))
  return valueAt(memberOf(value, key), below)
}

/** A value as the text of a cell, not yet safe: arrays joined by `;`, objects as JSON text, nothing for null. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(cellText).join(';')
  return jsonText(value)
}

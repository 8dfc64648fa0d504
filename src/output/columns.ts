/** Columns of rows: those of a verb or of `--fields`, the values under them, and values as the text of a cell. */
import { memberOf } from '../values.ts'
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
  /** Whether no row had a value so far, at a path that was typed. */
  isUnseen?: () => boolean
}

const states = new Set(
  'status state outcome kind access direction found match current protected check'.split(
    ' ',
  ),
)

function kindOf(field: string): ColumnKind {
  if (/(?:^|\.)id$|Id$|^(?:run|source|target)$/.test(field)) return 'id'
  if (/(?:^a|A)t$/.test(field)) return 'time'
  return states.has(field) ? 'state' : 'text'
}

/** The columns of a verb. */
function allColumns<T>(columns: Columns<T>): Column<T>[] {
  return Object.entries(columns).map(([heading, value]) => {
    if (typeof value === 'string') return columnAt(value, heading)
    const field = heading.toLowerCase()
    return { heading, field, kind: kindOf(field), valueOf: value }
  })
}

/** The column of a path. `contact.firstName` has the heading `CONTACT FIRST NAME`. */
function columnAt<T>(path: string, heading?: string): Column<T> {
  const words = path.replaceAll(/[._]/g, ' ').replace(/([a-z0-9])([A-Z])/g, '$1 $2')
  const keys = path.split('.')
  return {
    heading: heading ?? words.toUpperCase(),
    field: path,
    kind: kindOf(path),
    valueOf: (row) => valueAt(row, keys),
  }
}

/** The columns that `--fields` names by heading, field or path; without it, all of the verb. */
export function columnsOf<T>(
  columns: Columns<T>,
  fields: readonly string[] | undefined,
): Column<T>[] {
  const all = allColumns(columns)
  if (fields === undefined) return all
  return fields.map((word) => {
    const isNamed = ({ heading, field }: Column<T>) =>
      field === word || heading.toLowerCase() === word.toLowerCase()
    return all.find(isNamed) ?? watched(columnAt(word))
  })
}

function watched<T>(column: Column<T>): Column<T> {
  let isSeen = false
  const valueOf = (row: T) => {
    const value = column.valueOf(row)
    isSeen ||= value !== undefined
    return value
  }
  return { ...column, valueOf, isUnseen: () => !isSeen }
}

/** The value at a path below `depth`; of an array, the values of all its items. Undefined if there is none. */
function valueAt(value: unknown, path: readonly string[], depth = 0): unknown {
  const key = path[depth]
  if (key === undefined) return value
  if (Array.isArray(value)) return value.map((item) => valueAt(item, path, depth))
  return valueAt(memberOf(value, key), path, depth + 1)
}

/** A value as the text of a cell, not yet safe: arrays joined by `;`, objects as JSON text, nothing for null. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(cellText).join(';')
  return jsonText(value)
}

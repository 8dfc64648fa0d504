/**
 * Columns in words: what a view's table has, and what `--fields` asks for. Every view is described with
 * them, so they are loaded at each start: nothing that is slow to load may be imported here.
 */
import type { CellKind, Column } from './result.ts'

const kinds: readonly CellKind[] = ['id', 'text', 'number', 'time', 'state']

/** The field, then `:` and a kind, then ` as ` and a heading. */
const columnWords = /^(?<field>[^ :]+)(?::(?<kind>\w+))?(?: as (?<title>.+))?$/

/** `status`, `status:state`, `contactsCount as CONTACTS`: a field, and its kind and heading where its name does not say them. */
export function columnOf(words: string): Column {
  const parts = columnWords.exec(words)?.groups
  const field = parts?.['field'] ?? words
  const typedKind = parts?.['kind']
  return {
    title: parts?.['title'] ?? titleOf(field),
    field,
    kind: kinds.find((kind) => kind === typedKind) ?? kindOf(field),
  }
}

/** Columns of a view: in words, or as they are where the words do not say enough. */
export function columnsFor(...columns: readonly (string | Column)[]): Column[] {
  return columns.map((column) => {
    if (typeof column === 'string') return columnOf(column)
    return column
  })
}

/** `contact.firstName` becomes `CONTACT FIRST NAME`, `messengerB_username` becomes `MESSENGER B USERNAME`. */
function titleOf(field: string): string {
  return field
    .replaceAll(/[._]/g, ' ')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toUpperCase()
}

/** The kind that a field has by the API's habits: ids end with `Id`, times with `At`, numbers with `Count`. */
function kindOf(field: string): CellKind {
  const isId = field === 'id' || /(?:\.id|Id)$/.test(field)
  if (isId) return 'id'
  if (field.endsWith('At')) return 'time'
  return /(?:Count|^count)$/.test(field) ? 'number' : 'text'
}

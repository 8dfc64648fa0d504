/**
 * Columns in words: what a view's table has, and what `--fields` asks for. Every view is described with them (`views/`), so they are
 * loaded at each start and need nothing else.
 */
import type { CellKind, Column } from './result.ts'

const kinds: readonly CellKind[] = ['id', 'text', 'number', 'time', 'state']

/** `status`, `status:state`, `contactsCount as CONTACTS`: a field, and its kind and heading where its name does not say them. */
export function columnOf(words: string): Column {
  const parts = /^(?<field>[^ :]+)(?::(?<kind>\w+))?(?: as (?<title>.+))?$/.exec(words)?.groups
  const field = parts?.['field'] ?? words
  const title = parts?.['title'] ?? titleOf(field)
  const kind = kinds.find((name) => name === parts?.['kind']) ?? kindOf(field)
  return { title, field, kind }
}

/** Columns of a view: in words, or as they are where the words do not say enough. */
export function columnsFor(...columns: readonly (string | Column)[]): Column[] {
  return columns.map((column) => (typeof column === 'string' ? columnOf(column) : column))
}

/** `contact.firstName` becomes `CONTACT FIRST NAME`, `messengerB_username` becomes `MESSENGER B USERNAME`. */
function titleOf(field: string): string {
  return field
    .replaceAll(/[._]/g, ' ')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toUpperCase()
}

function kindOf(field: string): CellKind {
  if (field === 'id' || /(?:\.id|Id)$/.test(field)) return 'id'
  if (field.endsWith('At')) return 'time'
  return /(?:Count|^count)$/.test(field) ? 'number' : 'text'
}

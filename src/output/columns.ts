/** Columns in words: what a view's table has, and what `--fields` asks for. */
import type { CellKind, Column } from './result.ts'

const kinds: readonly CellKind[] = ['id', 'text', 'number', 'time', 'state']

/** `status`, `status:state`, `contactsCount as CONTACTS`: a field, and its kind and heading where its name does not say them. */
export function columnOf(words: string): Column {
  const [, field = words, kind, title] = /^([^ :]+)(?::(\w+))?(?: as (.+))?$/.exec(words) ?? []
  return {
    title: title ?? titleOf(field),
    field,
    kind: kinds.find((each) => each === kind) ?? kindOf(field),
  }
}

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

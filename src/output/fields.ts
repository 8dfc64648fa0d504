/** Reading rows by field path: values for cells, and what `--fields` leaves of JSON. */
import { memberOf } from '../values.ts'
import { columnOf } from './columns.ts'
import { jsonText } from './json.ts'
import type { Column, Format, View } from './result.ts'

export function columnsOf<T>(
  view: View<T>,
  fields: readonly string[] | undefined,
): readonly Column[] {
  if (fields === undefined) return view.columns
  const known = [...view.columns, ...(view.moreColumns ?? [])]
  return fields.map((field) => known.find((column) => column.field === field) ?? columnOf(field))
}

/** Every path of a schema, parents before children, through arrays, options and checks. */
export function pathsOf(schema: unknown, prefix = ''): string[] {
  const inner = memberOf(schema, 'wrapped') ?? memberOf(schema, 'item')
  if (inner !== undefined) return pathsOf(inner, prefix)
  return Object.entries(memberOf(schema, 'entries') ?? {}).flatMap(([key, entry]) => [
    prefix + key,
    ...pathsOf(entry, `${prefix}${key}.`),
  ])
}

/** The schema of a row: of a union the first one, which is what the view shows. */
function rowOf(schema: unknown): unknown {
  const options = memberOf(schema, 'options')
  return Array.isArray(options) ? rowOf(options[0]) : schema
}

/** Fields that `--fields` may name: this format may print something else than the rows of a table. */
export async function fieldsOf<T>(view: View<T>, format: Format): Promise<readonly string[]> {
  const { columns, computed = {}, renamed, row, isDocument, line, schema } = view
  const isJson = format === 'json' || format === 'ndjson'
  if (columns.length === 0) return []
  if (format === 'ndjson' && line !== undefined) return pathsOf(await line())
  if (isJson && isDocument === true) return pathsOf(await schema?.())
  const fields = pathsOf(rowOf(await (row ?? schema)?.())).filter((field) => field !== renamed)
  return [...new Set([...Object.keys(computed), ...fields])]
}

/** The value of a column, computed or found at its path; undefined when there is none. Paths go through arrays. */
export function valueOf<T>(row: T, field: string, view: View<T>): unknown {
  const compute = computedOf(view, field)
  return compute === undefined ? at(row, field.split('.'), 0) : compute(row)
}

function computedOf<T>(view: View<T>, field: string): ((row: T) => unknown) | undefined {
  const { computed } = view
  return computed !== undefined && Object.hasOwn(computed, field) ? computed[field] : undefined
}

function at(value: unknown, path: readonly string[], depth: number): unknown {
  const key = path[depth]
  if (key === undefined) return value
  if (Array.isArray(value)) return value.map((item) => at(item, path, depth))
  return at(memberOf(value, key), path, depth + 1)
}

/** A value as the text of a cell, not yet safe: arrays joined by `;`, objects as JSON text, nothing for null. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(cellText).join(';')
  return jsonText(value)
}

/** The chosen fields as a tree; `true` takes the whole value. */
type Tree = Map<string, Tree | true>

export function fieldPicker<T>(
  view: View<T>,
  fields: readonly string[] | undefined,
): (row: T, json?: unknown) => unknown {
  if (fields === undefined) return (row, json = row) => json
  const tree: Tree = new Map()
  for (const field of fields) {
    if (computedOf(view, field) === undefined) plant(tree, field.split('.'))
    else tree.set(field, true)
  }
  return (row, json = row) => {
    if (typeof json !== 'object' || json === null) return json
    return pick(json, tree, (key) => computedOf(view, key)?.(row))
  }
}

/** The same for a document that is no row: nothing in it is computed. */
export function documentPicker(
  fields: readonly string[] | undefined,
): (document: unknown) => unknown {
  return fieldPicker<unknown>({ columns: [] }, fields)
}

function plant(tree: Tree, path: readonly string[]): void {
  let branch = tree
  for (const key of path.slice(0, -1)) {
    const next: Tree | true = branch.get(key) ?? new Map()
    if (next === true) return
    branch.set(key, next)
    branch = next
  }
  branch.set(path.at(-1) ?? '', true)
}

function pick(value: unknown, tree: Tree | true, compute?: (key: string) => unknown): unknown {
  if (value === undefined) return null
  if (tree === true) return value
  if (Array.isArray(value)) return value.map((item) => pick(item, tree))
  if (typeof value !== 'object' || value === null) return null
  const result: Record<string, unknown> = {}
  for (const [key, branch] of tree)
    result[key] = pick(compute?.(key) ?? memberOf(value, key), branch)
  return result
}

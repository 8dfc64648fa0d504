/**
 * The formats and fields that a view has, which are checked before its verb runs, so that no request is sent for a mistyped
 * field. And rows read by field path (`contact.identities.phone`): values for cells, and what `--fields` leaves of JSON.
 */
import { usageError } from '../errors.ts'
import { safe } from '../safe-text.ts'
import { memberOf } from '../values.ts'
import { formatFacts, formats, type Format } from './format.ts'
import { jsonText } from './json.ts'
import { columnOf, type Column, type PrintOptions, type View } from './result.ts'

/** The formats that a view has, in the order of the help. */
export function formatsOf<T>(view: View<T>): Format[] {
  if (view.formats !== undefined) return [...view.formats]
  return formats.filter((format) => {
    const { shows } = formatFacts[format]
    if (shows === 'ids') return view.id !== undefined
    return shows !== 'conversation' || view.message !== undefined
  })
}

/** Choices that go with a format unless something else is typed. `limit`: as configured, for where people read. */
export function formatDefaults<T>(
  view: View<T>,
  format: Format,
  fields: readonly string[] | undefined,
  limit: number | 'all' = 50,
): Pick<PrintOptions, 'neededFields' | 'rowLimit' | 'order'> {
  const { shows, isForPeople = false } = formatFacts[format]
  const isConversation = shows === 'conversation'
  // Who reviews a document sees all of it.
  const isCut = isForPeople && view.isDocument !== true
  const columns = shows === 'cells' ? view.columns : []
  const columnFields = columns.map(({ field }) => field)
  return {
    neededFields: isConversation ? ['sender'] : (fields ?? columnFields),
    rowLimit: isCut && limit !== 'all' ? limit : Infinity,
    order: isConversation ? 'oldest' : undefined,
  }
}

/** The fields of `--fields a,b.c`. Throws exit 2 with the known ones of this format when one is unknown. */
export async function checkFields<T>(
  view: View<T>,
  text: string,
  format: Format,
): Promise<string[]> {
  const choices = await fieldsOf(view, format)
  if (choices.length === 0) throw usageError('this command has no fields to choose from')
  const typed = text.split(',').map((part) => {
    return fieldTyped(part.trim(), view, choices, format)
  })
  // A field that was typed twice is shown once; `a,,b` and a trailing comma are slips of the hand.
  const fields = [...new Set(typed)].filter((field) => field !== '')
  const help = `fields: ${choices.join(', ')}`
  if (fields.length === 0) throw usageError('--fields does not name a field', help)
  const unknown = fields.find((field) => !choices.includes(field))
  if (unknown === undefined) return fields
  throw usageError(`unknown field "${safe(unknown)}"`, help)
}

/** The field that a word means: a field, or the title of a column. */
function fieldTyped<T>(
  word: string,
  { columns }: View<T>,
  choices: readonly string[],
  format: Format,
) {
  const { field = word } =
    columns.find(({ title }) => title.toLowerCase() === word.toLowerCase()) ?? {}
  // In cells `contact` is the column CONTACT, the id; in JSON it is the whole object.
  const isCell = formatFacts[format].shows === 'cells'
  if (isCell && field.startsWith(`${word}.`)) return field
  return choices.includes(word) ? word : field
}

/** The columns that `--fields` names, or those of the view. A field without a column of its own gets one from its name. */
export function columnsOf<T>(
  view: View<T>,
  fields: readonly string[] | undefined,
): readonly Column[] {
  if (fields === undefined) return view.columns
  return fields.map((field) => {
    const column = view.columns.find((candidate) => candidate.field === field)
    return column ?? columnOf(field)
  })
}

/** Every path of a schema, parents before children, through arrays, options and checks. */
function pathsOf(schema: unknown, prefix = ''): string[] {
  const inner = memberOf(schema, 'wrapped') ?? memberOf(schema, 'item')
  if (inner !== undefined) return pathsOf(inner, prefix)
  const members = Object.entries(memberOf(schema, 'entries') ?? {})
  return members.flatMap(([key, entry]) => {
    const path = prefix + key
    return [path, ...pathsOf(entry, `${path}.`)]
  })
}

/** The schema of a row: of a union the first one, which is what the view shows. */
function rowSchemaIn(schema: unknown): unknown {
  const options = memberOf(schema, 'options')
  return Array.isArray(options) ? rowSchemaIn(options[0]) : schema
}

/** Fields that `--fields` may name: this format may print something else than the rows of a table. */
export async function fieldsOf<T>(
  view: View<T>,
  format: Format,
): Promise<readonly string[]> {
  const {
    columns,
    computed = {},
    hiddenField,
    rowSchema,
    isDocument,
    lineSchema,
    schema,
  } = view
  if (columns.length === 0) return []
  if (format === 'ndjson' && lineSchema !== undefined) return pathsOf(await lineSchema())
  const isJson = formatFacts[format].shows === 'values'
  if (isJson && isDocument === true) return pathsOf(await schema?.())
  const load = rowSchema ?? schema
  const paths = pathsOf(rowSchemaIn(await load?.())).filter((path) => path !== hiddenField)
  // A computed field may have the name of a member, and then takes its place.
  const fields = new Set([...Object.keys(computed), ...paths])
  return [...fields]
}

/** The value of a column, computed or found at its path; undefined if there is none. Paths go through arrays. */
export function valueOf<T>(row: T, field: string, view: View<T>): unknown {
  const compute = computedOf(view, field)
  if (compute !== undefined) return compute(row)
  return valueAt(row, field.split('.'))
}

/** The function of a computed field. `--fields constructor` is no member that every object has. */
function computedOf<T>(view: View<T>, field: string) {
  const { computed = {} } = view
  if (!Object.hasOwn(computed, field)) return undefined
  return computed[field]
}

/** The value at a path below `depth`; of an array, the values of all its items. */
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

/** The chosen fields as a tree, by the names of members; `true` takes the whole value. */
type FieldTree = Map<string, FieldTree | true>

/**
 * Leaves of JSON only the chosen fields; all of it without a choice. `row`: the one that the JSON is or stands for; a
 * document that is no row has none, and nothing in it is computed.
 */
export function fieldPicker<T>(
  view: View<T>,
  fields: readonly string[] | undefined,
): (json: unknown, row?: T) => unknown {
  if (fields === undefined) return (json) => json
  const tree: FieldTree = new Map()
  for (const field of fields) {
    // A computed field is a member with any name.
    const isComputed = computedOf(view, field) !== undefined
    plant(tree, isComputed ? [field] : field.split('.'))
  }
  return (json, row) => {
    if (typeof json !== 'object' || json === null) return json
    return pick(json, tree, (key) => {
      const isComputed = row !== undefined && computedOf(view, key) !== undefined
      return isComputed ? valueOf(row, key, view) : memberOf(json, key)
    })
  }
}

/** Adds a path to the tree. A parent that was chosen whole already has it. */
function plant(tree: FieldTree, path: readonly string[]) {
  let branch = tree
  for (const key of path.slice(0, -1)) {
    const next: FieldTree | true = branch.get(key) ?? new Map()
    if (next === true) return
    branch.set(key, next)
    branch = next
  }
  branch.set(path.at(-1) ?? '', true)
}

/**
 * Leaves of a value what the tree names; each name is a member of the result, null where the value has none, so that all
 * rows have the same members. `member`: its value of a name, which may be computed.
 */
function pick(
  value: unknown,
  tree: FieldTree | true,
  member = (key: string) => memberOf(value, key),
): unknown {
  if (value === undefined) return null
  if (tree === true) return value
  if (Array.isArray(value)) return value.map((item) => pick(item, tree))
  if (typeof value !== 'object' || value === null) return null
  const result: Record<string, unknown> = {}
  for (const [key, branch] of tree) result[key] = pick(member(key), branch)
  return result
}

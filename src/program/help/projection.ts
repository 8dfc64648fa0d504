/** The JSON Schema of what `--json --fields a,b` writes: the chosen members alone, each of which is always there. */
import type { toJsonSchema } from '@valibot/to-json-schema'
import type { GenericSchema } from 'valibot'
import type { Command } from '../../cli/command.ts'
import { fieldTree, type FieldTree } from '../../output/fields.ts'
import { checkFields } from '../../output/formats/choice.ts'
import type { View } from '../../output/result.ts'
import { isObject } from '../../values.ts'

export type JsonSchema = ReturnType<typeof toJsonSchema>
type ToJson = (schema: GenericSchema) => JsonSchema

/** Undefined for a command without a JSON form. Throws exit 2 for a field that it does not have. */
export async function projectedSchema(
  command: Command,
  typed: string,
  toJson: ToJson,
): Promise<JsonSchema | undefined> {
  const { view, fields } = await chooseView(command, typed)
  const schema = await view.schema?.()
  if (schema === undefined) return undefined
  const tree = fieldTree(view, fields)
  const { rowsIn, row } = view
  if (rowsIn === undefined || row === undefined) return project(toJson(schema), tree)
  const rows = project(toJson(await row()), tree)
  return replaceRows(toJson(schema), rowsIn, rows)
}

/** The view that has the fields: that of one thing, or that of a file of them. */
async function chooseView({ shows, bulkShows }: Command, typed: string) {
  const fieldsIn = async (view: View<never>) => ({
    view,
    fields: await checkFields(view, typed, 'json'),
  })
  if (bulkShows === undefined) return fieldsIn(shows)
  try {
    return await fieldsIn(shows)
  } catch {
    return fieldsIn(bulkShows)
  }
}

function project(schema: JsonSchema, tree: FieldTree | true): JsonSchema {
  if (tree === true) return schema
  const { anyOf, items, properties, required = [] } = schema
  if (anyOf !== undefined)
    return { anyOf: anyOf.filter(isSchema).map((each) => project(each, tree)) }
  if (isSchema(items)) return { type: 'array', items: project(items, tree) }
  // A path that leads below a value without members is null.
  if (schema.type !== 'object') return { type: 'null' }
  const members = Array.from(tree, ([key, branch]): [string, JsonSchema] => {
    const member = properties?.[key]
    // Computed, or a member that only another form of the document has.
    if (!isSchema(member)) return [key, {}]
    const chosen = project(member, branch)
    return [key, required.includes(key) ? chosen : { anyOf: [chosen, { type: 'null' }] }]
  })
  return {
    type: 'object',
    properties: Object.fromEntries(members),
    required: [...tree.keys()],
    additionalProperties: false,
  }
}

/** The document with other rows at the member that has them. */
function replaceRows(schema: JsonSchema, member: string, rows: JsonSchema): JsonSchema {
  const { anyOf, items, properties } = schema
  const again = (part: JsonSchema): JsonSchema => replaceRows(part, member, rows)
  if (anyOf !== undefined) return { ...schema, anyOf: anyOf.filter(isSchema).map(again) }
  if (isSchema(items)) return { ...schema, items: again(items) }
  if (properties?.[member] === undefined) return schema
  return { ...schema, properties: { ...properties, [member]: { type: 'array', items: rows } } }
}

/** JSON Schema has `true` and `false` as well, which none of ours is, and lists of items. */
function isSchema(part: unknown): part is JsonSchema {
  return isObject(part)
}

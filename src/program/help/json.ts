/**
 * Help for programs: the tree of commands as JSON, and the JSON Schema of what `--json --fields a,b` writes. `help.ts` prints it for `svc
 * help --json`.
 */
import type { toJsonSchema } from '@valibot/to-json-schema'
import type { GenericSchema } from 'valibot'
import type { Argument, Command } from '../../cli/command.ts'
import { type Policy, approvalsNeeded, writeOperations } from '../../plans/policy.ts'
import { fieldTree, type FieldTree } from '../../output/fields.ts'
import { checkFields } from '../../output/formats/choice.ts'
import type { View } from '../../output/result.ts'
import { isObject } from '../../values.ts'
import type { TreeOption, WholeTree } from '../tree.ts'
import { commandLines } from './topics.ts'
import { endOf, operations } from '../../api/operations.ts'

/** A form that programs may rely on: members are added, never renamed or taken away, while `schema` stays. */
export function commandsAsJson(
  tree: WholeTree,
  version: string,
  policy: Policy | undefined,
): Record<string, unknown> {
  return { schema: 'svc.help/1', version, ...commandAsJson(tree, policy) }
}

function commandAsJson(tree: WholeTree, policy: Policy | undefined): Record<string, unknown> {
  const { path, summary, description, usage, notes, command } = tree
  return {
    command: path,
    summary,
    description,
    usage,
    arguments: tree.arguments.map(argumentAsJson),
    options: tree.options.map(optionAsJson),
    ...(notes === '' ? {} : { notes }),
    examples: commandLines(tree),
    ...(command === undefined ? {} : effectsOf(command, policy)),
    commands: tree.commands.map((each) => commandAsJson(each, policy)),
  }
}

function argumentAsJson({
  name,
  isRequired = false,
  isVariadic = false,
  choices,
  summary,
}: Argument) {
  const values = choices === undefined ? {} : { values: choices }
  return { name, required: isRequired, variadic: isVariadic, ...values, description: summary }
}

/** The word for a value in the help says what it is. */
export const types: ReadonlyMap<string, string> = new Map([
  ['n', 'integer'],
  ['ms', 'integer'],
  ['duration', 'duration'],
])

function optionAsJson({
  long,
  short,
  value,
  choices,
  default: without,
  environment,
  text,
  ...option
}: TreeOption) {
  return {
    name: long,
    ...(short === undefined ? {} : { short: `-${short}` }),
    type: value === undefined ? 'boolean' : (types.get(value) ?? 'string'),
    ...(value === undefined ? {} : { value }),
    ...(choices === undefined ? {} : { values: choices }),
    // Behind a semicolon is what else decides.
    ...(without === undefined ? {} : { default: without.split(';')[0] }),
    ...(environment === undefined ? {} : { environment }),
    required: option.isRequired === true,
    repeatable: option.isRepeatable === true,
    description: text,
  }
}

/** Effects of a command on the service and on the files of svc, for programs that decide what to run. */
interface Effects {
  /** It can remove something for good. */
  readonly destructive: boolean
  /** The same command again does no harm, whatever became of the first. */
  readonly idempotent: boolean
  readonly needsApproval: boolean | null
}

/** `policy`: undefined when it is not known; then neither is whether an approval is needed. */
function effectsOf(
  { effect, isDestructive, isIdempotent }: Command,
  policy: Policy | undefined,
): Effects {
  const operation = Object.entries(operations).find(([name]) => name === effect)?.[1]
  const sendsAny = effect === 'from input' || effect === 'from method'
  const changes = sendsAny ? writeOperations : writeOperations.filter((name) => name === effect)
  const isNeeded =
    policy === undefined ? null : changes.some((name) => approvalsNeeded(policy, name) > 0)
  return {
    destructive: isDestructive ?? endOf(effect) !== undefined,
    idempotent: isIdempotent ?? operation?.retry !== 'once',
    needsApproval: changes.length === 0 ? false : isNeeded,
  }
}

export type JsonSchema = ReturnType<typeof toJsonSchema>
type ToJson = (schema: GenericSchema) => JsonSchema

/**
 * The schema of the chosen members alone, each of which is always there. Undefined for a command without a JSON form. Throws exit 2 for a field that it
 * does not have.
 */
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

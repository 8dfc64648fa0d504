/** The tree of commands as JSON, for programs that build command lines. */
import type { Argument } from '../../cli/command.ts'
import type { Policy } from '../../plans/policy.ts'
import type { TreeOption, WholeTree } from '../tree.ts'
import { effectsOf } from './effects.ts'
import { commandLines } from './blocks.ts'

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
const types = new Map([
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

/** The tree of commands as JSON, for programs that build command lines. */
import type { Argument, Command } from '../../cli/command.ts'
import { type Policy, approvalsNeeded, writeOperations } from '../../plans/policy.ts'
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

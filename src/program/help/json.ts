/** The tree of commands as JSON, for programs that build command lines. */
import { closedChoices } from '../choices.ts'
import type { Policy } from '../../plans/policy.ts'
import type { TreeArgument, TreeOption } from '../tree.ts'
import { effectsOf } from './effects.ts'
import type { Described } from './tree.ts'

/** What a program may rely on: members are added, never renamed or taken away, while `schema` stays. */
export function commandsAsJson(
  described: Described,
  version: string,
  policy: Policy | undefined,
): Record<string, unknown> {
  return { schema: 'svc.help/1', version, ...commandAsJson(described, policy) }
}

function commandAsJson(command: Described, policy: Policy | undefined): Record<string, unknown> {
  const { path, summary, description, usage, notes, examples } = command
  return {
    command: path,
    summary,
    description,
    usage,
    arguments: command.arguments.map((each) => argumentAsJson(path, each)),
    options: command.options.map((each) => optionAsJson(path, each)),
    ...(notes === '' ? {} : { notes }),
    examples,
    ...(command.commands.length === 0 ? effectsOf(path, policy) : {}),
    commands: command.commands.map((each) => commandAsJson(each, policy)),
  }
}

function argumentAsJson(path: string, { name, required, variadic, description }: TreeArgument) {
  const values = closedChoices(path, name)
  return { name, required, variadic, ...(values === undefined ? {} : { values }), description }
}

/** The word for a value in the help says what it is. */
const types = new Map([
  ['n', 'integer'],
  ['ms', 'integer'],
  ['duration', 'duration'],
])

function optionAsJson(path: string, { long, short, value, mandatory, repeatable, description }: TreeOption) {
  const values = closedChoices(path, long ?? '')
  const environment = description.match(/\b(?:SVC_[A-Z_]+|NO_COLOR|FORCE_COLOR)\b/g)
  // Ours, as everything in a description: "(SVC_TIMEOUT; default: 30s)".
  const byDefault = /\bdefault: ([^;)]+)/.exec(description)?.[1]
  return {
    name: long,
    ...(short === undefined ? {} : { short }),
    type: value === undefined ? 'boolean' : (types.get(value) ?? 'string'),
    ...(value === undefined ? {} : { value }),
    ...(values === undefined ? {} : { values }),
    ...(byDefault === undefined ? {} : { default: byDefault }),
    ...(environment === null ? {} : { environment: [...environment] }),
    required: mandatory === true,
    repeatable,
    description,
  }
}

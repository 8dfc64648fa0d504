/** Help for programs: the table of commands as JSON. `help.ts` prints it for `svc help --json`. */
import { globalOptions } from '../../cli/global-options.ts'
import { longFlag, optionText, type Options } from '../../cli/options.ts'
import type { Argument, Verb } from '../../cli/verb.ts'
import { endOf, operations } from '../../api/operations.ts'
import { version } from '../../version.ts'
import { namesBelow, type Commands } from '../commands.ts'

/** A form that programs may rely on: members are added, never renamed or taken away, while `schema` stays. */
export async function commandsAsJson(
  commands: Commands,
  path: string,
): Promise<Record<string, unknown>> {
  return { schema: 'svc.help/1', version, ...(await commandAsJson(commands, path)) }
}

async function commandAsJson(
  commands: Commands,
  path: string,
): Promise<Record<string, unknown>> {
  const row = commands.verbs[path]
  if (row !== undefined) return verbAsJson(path, row.summary, (await row.load()).verb)
  const { summary, examples } = commands.nouns[path] ?? {
    summary:
      'manage contacts, lists, tickets and employees of a customer-conversation service',
    examples: [],
  }
  const below = namesBelow(commands, path).map(([name]) =>
    commandAsJson(commands, `${path} ${name}`.trim()),
  )
  return {
    command: `svc ${path}`.trim(),
    summary,
    arguments: [],
    options: optionsAsJson(path === '' ? globalOptions : {}),
    examples,
    commands: await Promise.all(below),
  }
}

function verbAsJson(path: string, summary: string, verb: Verb) {
  const { description = summary, notes, examples = [], arguments: takes = [], effect } = verb
  const operation = Object.entries(operations).find(([name]) => name === effect)?.[1]
  return {
    command: `svc ${path}`,
    summary,
    description: description.replaceAll(/\s+/g, ' '),
    arguments: takes.map(argumentAsJson),
    options: optionsAsJson(verb.options ?? {}),
    notes,
    examples: examples.map((example) => example.replaceAll(/\\\n\s*/g, '')),
    // It can remove something for good; and the same command again does no harm, whatever became of the first.
    destructive: verb.isDestructive ?? endOf(effect) !== undefined,
    idempotent: verb.isIdempotent ?? operation?.retry !== 'once',
    commands: [],
  }
}

function argumentAsJson(argument: Argument) {
  const { name, isRequired = false, isVariadic = false, choices: values, summary } = argument
  return { name, required: isRequired, variadic: isVariadic, values, description: summary }
}

/** The word for a value in the help says what it is. */
const types: ReadonlyMap<string, string> = new Map([
  ['n', 'integer'],
  ['ms', 'integer'],
  ['duration', 'duration'],
])

function optionsAsJson(options: Options) {
  return Object.entries(options).map(([key, option]) => {
    const {
      short,
      value,
      choices,
      environment,
      isRequired = false,
      isRepeatable = false,
    } = option
    return {
      name: longFlag(key, option),
      short: short && `-${short}`,
      type: value === undefined ? 'boolean' : (types.get(value) ?? 'string'),
      value,
      values: choices,
      // Behind a semicolon is what else decides.
      default: option.default?.split(';')[0],
      environment,
      required: isRequired,
      repeatable: isRepeatable,
      description: optionText(option),
    }
  })
}

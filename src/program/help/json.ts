/** Help for programs: the table of commands as JSON. `help.ts` prints it for `svc help --json`. */
import { globalOptions } from '../../cli/global-options.ts'
import { longFlag, optionText, type Option, type Options } from '../../cli/options.ts'
import type { Argument, Verb } from '../../cli/verb.ts'
import { endOf, operations } from '../../api/operations.ts'
import { version } from '../../version.ts'
import type { Commands } from '../parse.ts'

/** A form that programs may rely on: members are added, never renamed or taken away, while `schema` stays. */
export async function commandsAsJson(
  commands: Commands,
  path: string,
): Promise<Record<string, unknown>> {
  return { schema: 'svc.help/1', version, ...(await commandAsJson(commands, path)) }
}

async function commandAsJson(commands: Commands, path: string): Promise<Record<string, unknown>> {
  const { nouns, verbs } = commands
  const row = verbs[path]
  if (row !== undefined) return verbAsJson(path, row.summary, await row.load())
  const { summary, examples } = nouns[path] ?? {
    summary: 'manage contacts, lists, tickets and employees of a customer-conversation service',
    examples: [],
  }
  const prefix = path === '' ? '' : `${path} `
  const below = Object.keys({ ...(path === '' ? nouns : {}), ...verbs }).filter(
    (each) => each.startsWith(prefix) && each !== path && !each.slice(prefix.length).includes(' '),
  )
  return {
    command: `svc ${path}`.trim(),
    summary,
    arguments: [],
    options: optionsAsJson(path === '' ? globalOptions : {}),
    examples,
    commands: await Promise.all(below.map((each) => commandAsJson(commands, each))),
  }
}

function verbAsJson(path: string, summary: string, verb: Verb) {
  const { description = summary, notes, examples = [], arguments: takes = [], options = {} } = verb
  return {
    command: `svc ${path}`,
    summary,
    description: description.replaceAll(/\s+/g, ' '),
    arguments: takes.map(argumentAsJson),
    options: optionsAsJson(options),
    ...(notes === undefined ? {} : { notes }),
    examples: examples.map((example) => example.replaceAll(/\\\n\s*/g, '')),
    ...effectsOf(verb),
    commands: [],
  }
}

function optionsAsJson(options: Options) {
  return Object.entries(options).map(optionAsJson)
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

function optionAsJson([key, option]: [string, Option]) {
  const { short, value, choices, default: without, environment } = option
  return {
    name: longFlag(key, option),
    ...(short === undefined ? {} : { short: `-${short}` }),
    type: value === undefined ? 'boolean' : (types.get(value) ?? 'string'),
    ...(value === undefined ? {} : { value }),
    ...(choices === undefined ? {} : { values: choices }),
    // Behind a semicolon is what else decides.
    ...(without === undefined ? {} : { default: without.split(';')[0] }),
    ...(environment === undefined ? {} : { environment }),
    required: option.isRequired === true,
    repeatable: option.isRepeatable === true,
    description: optionText(option),
  }
}

/** Effects of a command on the service and on the files of svc, for programs that decide what to run. */
interface Effects {
  /** It can remove something for good. */
  readonly destructive: boolean
  /** The same command again does no harm, whatever became of the first. */
  readonly idempotent: boolean
}

function effectsOf({ effect, isDestructive, isIdempotent }: Verb): Effects {
  const operation = Object.entries(operations).find(([name]) => name === effect)?.[1]
  return {
    destructive: isDestructive ?? endOf(effect) !== undefined,
    idempotent: isIdempotent ?? operation?.retry !== 'once',
  }
}

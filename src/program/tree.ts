/** The tree of commands: all that completion, mistakes, help, the manual and the reference know of it. */
import {
  longFlag,
  nameOf,
  optionText,
  type Argument,
  type Command,
  type Noun,
  type Option,
  type Options,
} from '../cli/command.ts'

export interface Tree {
  readonly name: string
  /** `svc lists list`. */
  readonly path: string
  readonly summary: string
  /** What the command does, in sentences. */
  readonly description: string
  readonly usage: string
  /** Text between the options and the examples. */
  readonly notes: string
  /** Command lines as they are shown, those of several lines with a backslash at the end of each but the last. */
  readonly examples: readonly string[]
  readonly options: readonly TreeOption[]
  readonly arguments: readonly Argument[]
  readonly commands: readonly Tree[]
  /** The heading in the help of the command above, when it is not the usual one. */
  readonly group?: string
  /** What runs; undefined of nouns. */
  readonly command?: Command
}

export interface TreeOption extends Option {
  readonly key: string
  readonly long: string
  /** The words of the help. */
  readonly text: string
}

export function treeOf(entry: (Command | Noun) & { readonly options?: Options }): Tree {
  const { path, summary, description = sentence(summary), notes = '', examples = [], options = {} } = entry
  const commands = 'commands' in entry ? entry.commands : []
  const full = path === 'svc' ? 'svc' : `svc ${path}`
  const own =
    'attach' in entry ? { command: entry, usage: entry.usage ?? usualUsage(entry) } : { usage: '<command> [options]' }
  const { usage, ...command } = own
  return {
    name: nameOf({ path }),
    path: full,
    summary,
    description: description.replaceAll(/\s+/g, ' ').trim(),
    usage: `${full} ${usage}`,
    notes,
    examples,
    options: Object.entries(options).map(([key, option]) => treeOption(key, option)),
    arguments: 'attach' in entry ? (entry.arguments ?? []) : [],
    commands: commands.map(treeOf),
    ...command,
  }
}

export function treeOption(key: string, option: Option): TreeOption {
  return { ...option, key, long: longFlag(key, option), text: optionText(option) }
}

function sentence(summary: string): string {
  return `${summary.slice(0, 1).toUpperCase()}${summary.slice(1)}.`
}

function usualUsage({ arguments: takes = [] }: Command): string {
  return ['[options]', ...takes.map(bracketed)].join(' ')
}

/** `list`, `id...`. */
export function argumentName({ name, isVariadic = false }: Argument): string {
  return `${name}${isVariadic ? '...' : ''}`
}

/** `<list>`, `[id...]`. */
export function bracketed(argument: Argument): string {
  return argument.isRequired === true ? `<${argumentName(argument)}>` : `[${argumentName(argument)}]`
}

/** `-o, --output <format>`. */
export function flagsOf({ short, long, value }: TreeOption): string {
  return `${short === undefined ? '' : `-${short}, `}${long}${value === undefined ? '' : ` <${value}>`}`
}

/** An option of one of the commands, the deepest first. */
export function findOption(commands: readonly Tree[], flag: string): TreeOption | undefined {
  return optionsOf(commands).find(({ short, long }) => long === flag || (short !== undefined && `-${short}` === flag))
}

export function optionsOf(commands: readonly Tree[]): TreeOption[] {
  return commands.toReversed().flatMap(({ options }) => options)
}

export function findCommand(command: Tree, word: string): Tree | undefined {
  return command.commands.find(({ name }) => name === word)
}

/** The command that the words behind `svc` name, or the deepest that they lead to. */
export function commandAt(program: Tree, names: readonly string[]): Tree {
  return names.reduce((command, name) => findCommand(command, name) ?? command, program)
}

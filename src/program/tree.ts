/**
 * The tree of commands: all that parsing, completion, mistakes, help, the manual and the reference know of it. `nouns.ts` makes it of what
 * `commands` declare.
 */
import { capitalize } from '../words.ts'
import { nameOf, type Argument, type Command, type Noun } from '../cli/command.ts'
import { longFlag, optionText, type Option, type Options } from '../cli/option.ts'

/** A command below another one, loaded when its name is typed. */
export interface Branch {
  readonly name: string
  readonly path: string
  /** Undefined where it is known only once the command is loaded. */
  readonly summary?: string
  /** The heading in the help of the command above, when it is not the usual one. */
  readonly group?: string
  readonly load: () => Promise<Tree>
}

export interface Tree {
  readonly name: string
  /** `svc lists list`. */
  readonly path: string
  readonly summary: string
  /** The command in sentences. */
  readonly description: string
  readonly usage: string
  /** Text between the options and the examples. */
  readonly notes: string
  /** Command lines as they are shown, those of several lines with a backslash at the end of each but the last. */
  readonly examples: readonly string[]
  readonly options: readonly TreeOption[]
  readonly arguments: readonly Argument[]
  readonly commands: readonly Branch[]
  /** Verb that runs; undefined for nouns. */
  readonly command?: Command
}

/** A command with all commands below it. */
export type WholeTree = Omit<Tree, 'commands'> & {
  readonly commands: readonly WholeTree[]
  readonly group?: string | undefined
}

export interface TreeOption extends Option {
  readonly key: string
  readonly long: string
  /** The words of the help. */
  readonly text: string
}

export function treeOf(entry: (Command | Noun) & { readonly options?: Options }): Tree {
  const {
    path,
    summary,
    description = sentence(summary),
    notes = '',
    examples = [],
    options = {},
  } = entry
  const verbs = entry.kind === 'noun' ? Object.entries(entry.commands) : []
  const full = path === 'svc' ? 'svc' : `svc ${path}`
  const own =
    entry.kind === 'verb'
      ? { command: entry, usage: entry.usage ?? usualUsage(entry) }
      : { usage: '<command> [options]' }
  const { usage, ...command } = own
  return {
    name: nameOf({ path }),
    path: full,
    summary,
    description: description.replaceAll(/\s+/g, ' ').trim(),
    usage: `${full} ${usage}`,
    notes,
    examples,
    options: optionsOfTree(options),
    arguments: entry.kind === 'verb' ? (entry.arguments ?? []) : [],
    commands: verbs.map(([name, load]) => ({
      name,
      path: `${full} ${name}`,
      load: async () => treeOf(await load()),
    })),
    ...command,
  }
}

export async function wholeOf(tree: Tree): Promise<WholeTree> {
  const loaded = tree.commands.map(async ({ group, load }) => ({
    ...(await wholeOf(await load())),
    group,
  }))
  return { ...tree, commands: await Promise.all(loaded) }
}

export function optionsOfTree(options: Options): TreeOption[] {
  return Object.entries(options).map(([key, option]) => treeOption(key, option))
}

export function treeOption(key: string, option: Option): TreeOption {
  return { ...option, key, long: longFlag(key, option), text: optionText(option) }
}

function sentence(summary: string): string {
  return `${capitalize(summary)}.`
}

function usualUsage({ arguments: takes = [] }: Command): string {
  return ['[options]', ...takes.map(bracket)].join(' ')
}

/** `list`, `id...`. */
export function argumentName({ name, isVariadic = false }: Argument): string {
  return `${name}${isVariadic ? '...' : ''}`
}

/** `<list>`, `[id...]`. */
export function bracket(argument: Argument): string {
  return argument.isRequired === true
    ? `<${argumentName(argument)}>`
    : `[${argumentName(argument)}]`
}

/** `-o, --output <format>`. */
export function flagsOf({ short, long, value }: TreeOption): string {
  const flags = short === undefined ? long : `-${short}, ${long}`
  return value === undefined ? flags : `${flags} <${value}>`
}

/** An option of one of the commands, the deepest first. */
export function findOption(commands: readonly Tree[], flag: string): TreeOption | undefined {
  return optionsOf(commands).find(
    ({ short, long }) => long === flag || (short !== undefined && `-${short}` === flag),
  )
}

export function optionsOf(commands: readonly Tree[]): TreeOption[] {
  return commands.toReversed().flatMap(({ options }) => options)
}

export function findCommand<C extends { readonly name: string }>(
  { commands }: { readonly commands: readonly C[] },
  word: string,
): C | undefined {
  return commands.find(({ name }) => name === word)
}

/** The names of the commands below one, with what they do. */
export async function summariesOf({
  commands,
}: Tree): Promise<(readonly [name: string, summary: string])[]> {
  const found = commands.map(
    async ({ name, summary, load }) => [name, summary ?? (await load()).summary] as const,
  )
  return Promise.all(found)
}

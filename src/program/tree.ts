/** The tree of commands as plain data: what completion, mistakes, the manual and the reference know of it. */
import type { CommandUnknownOpts } from '@commander-js/extra-typings'

export interface Tree {
  readonly name: string
  readonly path: string
  readonly summary: string
  readonly options: readonly TreeOption[]
  readonly arguments: readonly TreeArgument[]
  readonly commands: readonly Tree[]
}

export interface TreeOption {
  readonly short: string | undefined
  readonly long: string | undefined
  readonly key: string
  /** The word for its value in the help (`format`); undefined when it takes none. */
  readonly value: string | undefined
  readonly description: string
  /** The heading in the help, when it is not the usual one. */
  readonly group: string | undefined
  /** Set when the command does nothing without it. */
  readonly mandatory: true | undefined
  readonly repeatable: boolean
}

export interface TreeArgument {
  readonly name: string
  readonly required: boolean
  readonly variadic: boolean
  readonly description: string
}

export function treeOf(command: CommandUnknownOpts): Tree {
  return {
    name: command.name(),
    path: pathOf(command),
    summary: command.summary(),
    options: command.options
      .filter(({ hidden }) => !hidden)
      .map((option) => ({
        short: option.short ?? undefined,
        long: option.long ?? undefined,
        key: option.attributeName(),
        value: option.required ? /<([^>]*)>/.exec(option.flags)?.[1] : undefined,
        description: option.description,
        group: option.helpGroupHeading,
        mandatory: option.mandatory ? true : undefined,
        // Only those collect their values into an array.
        repeatable: Array.isArray(option.defaultValue),
      })),
    arguments: command.registeredArguments.map((each) => ({
      name: each.name(),
      required: each.required,
      variadic: each.variadic,
      description: each.description,
    })),
    commands: command.commands.map(treeOf),
  }
}

export function pathOf(command: CommandUnknownOpts): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
}

/** `-o, --output <format>`. */
export function flagsOf({ short, long, value }: TreeOption): string {
  const names = [short, long].filter((name) => name !== undefined).join(', ')
  return value === undefined ? names : `${names} <${value}>`
}

/** An option of one of the commands, the deepest first. */
export function findOption(commands: readonly Tree[], flag: string): TreeOption | undefined {
  return optionsOf(commands).find(({ short, long }) => short === flag || long === flag)
}

export function optionsOf(commands: readonly Tree[]): TreeOption[] {
  return commands.toReversed().flatMap(({ options }) => options)
}

export function findCommand(command: Tree, word: string): Tree | undefined {
  return command.commands.find(({ name }) => name === word)
}

/** The tree of commands as plain data: what a command line is read with, when nothing of it is run. */
import type { CommandUnknownOpts } from '@commander-js/extra-typings'

export interface Tree {
  readonly name: string
  readonly summary: string
  readonly options: readonly TreeOption[]
  readonly arguments: readonly { readonly name: string; readonly variadic: boolean }[]
  readonly commands: readonly Tree[]
}

export interface TreeOption {
  /** `-o`. */
  readonly short: string | undefined
  /** `--output`. */
  readonly long: string | undefined
  /** `output`. */
  readonly key: string
  /** The word for its value in the help (`format`); undefined when it takes none. */
  readonly value: string | undefined
  readonly description: string
}

export function treeOf(command: CommandUnknownOpts): Tree {
  return {
    name: command.name(),
    summary: command.summary(),
    options: command.options
      .filter(({ hidden }) => !hidden)
      .map((option) => ({
        short: option.short ?? undefined,
        long: option.long ?? undefined,
        key: option.attributeName(),
        value: option.required ? /<([^>]*)>/.exec(option.flags)?.[1] : undefined,
        description: option.description,
      })),
    arguments: command.registeredArguments.map((each) => ({ name: each.name(), variadic: each.variadic })),
    commands: command.commands.map(treeOf),
  }
}

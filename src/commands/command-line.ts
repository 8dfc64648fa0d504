/** What a command line says so far, without running it: for completion, for `-V`, and for pointing to the right help. */
import type { CommandUnknownOpts } from '@commander-js/extra-typings'

/** The tree of commands as plain data. */
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

export interface CommandLine {
  /** From the program down to the deepest command that the words name. */
  readonly commands: readonly [Tree, ...Tree[]]
  /** The last of them. */
  readonly command: Tree
  /** Words that are neither commands nor options nor an option's value. */
  readonly operands: readonly string[]
  /** Options that were given, by key, with their last value; `true` for one that takes none. */
  readonly given: ReadonlyMap<string, string | true>
  /** The option whose value the next word is. */
  readonly awaiting: TreeOption | undefined
  /** `--` was given: nothing after it is an option. */
  readonly afterDashes: boolean
}

/** Reads words as commander would: options may stand anywhere, and a required value takes whatever word is next. */
export function readCommandLine(program: Tree, words: readonly string[]): CommandLine {
  const commands: [Tree, ...Tree[]] = [program]
  let command = program
  const operands: string[] = []
  const given = new Map<string, string | true>()
  let awaiting: TreeOption | undefined
  let afterDashes = false
  for (const word of words) {
    if (awaiting !== undefined) {
      given.set(awaiting.key, word)
      awaiting = undefined
    } else if (word === '--' && !afterDashes) {
      afterDashes = true
    } else if (!afterDashes && word.startsWith('-') && word !== '-') {
      const equals = word.startsWith('--') ? word.indexOf('=') : -1
      const option = findOption(commands, equals < 0 ? word : word.slice(0, equals))
      if (option === undefined) continue
      if (equals >= 0) given.set(option.key, word.slice(equals + 1))
      else if (option.value !== undefined) awaiting = option
      else given.set(option.key, true)
    } else {
      const sub = operands.length === 0 && !afterDashes ? findCommand(command, word) : undefined
      if (sub === undefined) {
        operands.push(word)
      } else {
        commands.push(sub)
        command = sub
      }
    }
  }
  return { commands, command, operands, given, awaiting, afterDashes }
}

/** An option of one of the commands, the deepest first. */
export function findOption(commands: readonly Tree[], flag: string): TreeOption | undefined {
  return commands
    .toReversed()
    .flatMap(({ options }) => options)
    .find(({ short, long }) => short === flag || long === flag)
}

export function findCommand(command: Tree, word: string): Tree | undefined {
  return command.commands.find(({ name }) => name === word)
}

/** `svc lists get`. */
export function pathOf(commands: readonly Tree[]): string {
  return commands.map(({ name }) => name).join(' ')
}

/** `-V` counts only as a whole word before any command. */
export function asksVersion(program: Tree, words: readonly string[]): boolean {
  const before = words.findIndex((word) => word === '-V' || word === '--version')
  if (before < 0) return false
  const { command, operands, awaiting, afterDashes } = readCommandLine(program, words.slice(0, before))
  return command === program && operands.length === 0 && awaiting === undefined && !afterDashes
}

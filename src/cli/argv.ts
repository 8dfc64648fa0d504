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
  const reader = new Reader(program)
  for (const word of words) reader.take(word)
  return reader
}

/** What the words so far say, a word at a time. */
export class Reader implements CommandLine {
  readonly commands: [Tree, ...Tree[]]
  command: Tree
  readonly operands: string[] = []
  readonly given = new Map<string, string | true>()
  awaiting: TreeOption | undefined
  afterDashes = false

  constructor(program: Tree) {
    this.commands = [program]
    this.command = program
  }

  take(word: string): void {
    if (this.awaiting !== undefined) {
      this.given.set(this.awaiting.key, word)
      this.awaiting = undefined
    } else if (word === '--' && !this.afterDashes) {
      this.afterDashes = true
    } else if (!this.afterDashes && isDashed(word)) {
      this.#takeOption(word)
    } else {
      this.#takeWord(word)
    }
  }

  #takeOption(word: string): void {
    const equals = word.startsWith('--') ? word.indexOf('=') : -1
    const option = findOption(this.commands, equals < 0 ? word : word.slice(0, equals))
    if (option === undefined) return
    if (equals >= 0) this.given.set(option.key, word.slice(equals + 1))
    else if (option.value !== undefined) this.awaiting = option
    else this.given.set(option.key, true)
  }

  #takeWord(word: string): void {
    const sub = this.operands.length === 0 && !this.afterDashes ? findCommand(this.command, word) : undefined
    if (sub === undefined) {
      this.operands.push(word)
    } else {
      this.commands.push(sub)
      this.command = sub
    }
  }
}

/** A dash alone is standard input. */
export function isDashed(word: string): boolean {
  return word.startsWith('-') && word !== '-'
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

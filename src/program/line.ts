/** The words of a command line: the command that they name, its options, and which words are their values. */
import { globalOptions } from '../cli/option-groups.ts'
import type { CommandRow, CommandTable, Verb } from '../cli/verb.ts'
import {
  defineOptions,
  longFlag,
  type Option,
  type Options,
  type TypedLine,
} from '../options.ts'

/** A line that is being read. Each fact is filled in when it is known, so that an error message can use it. */
export interface LineBeingRead extends TypedLine {
  given: Map<string, string | true>
}

export function newLine(words: readonly string[]): LineBeingRead {
  return { words, path: '', options: {}, given: new Map() }
}

/** The words before `--`, which are options, their values and arguments. Those behind it are arguments. */
export function wordsBeforeDashes(words: readonly string[]): readonly string[] {
  const end = words.indexOf('--')
  return end === -1 ? words : words.slice(0, end)
}

/** The options of every command. */
export const commonOptions = {
  ...globalOptions,
  ...defineOptions({ help: { short: 'h', summary: 'print the help of a command' } }),
}

/** The commands that can follow the words of a path, in the order of the help. */
export function commandsBelow({ nouns, verbs }: CommandTable, above: string) {
  const rows = Object.entries<CommandRow>({ ...nouns, ...verbs })
  return rows.flatMap(([path, { summary, alias }]) => {
    const words = path.split(' ')
    const name = words.pop() ?? ''
    return words.join(' ') === above ? [{ path, name, alias, summary }] : []
  })
}

export type NamedOption = readonly [key: string, option: Option]

/** What the words of a line say before commander reads them. Nothing is refused yet. */
export interface NamedCommand {
  /** The words after `svc`. */
  words: readonly string[]
  /** The words of the command: `lists list`, `lists`, or nothing for svc itself. */
  path: string
  /** Undefined for svc itself and for a noun. */
  verb: Verb | undefined
  /** The options of every command and of the verb. */
  options: Options
  /** The number of words behind the path that are neither options nor their values. */
  argumentCount: number
  /** The options whose value is a word of its own, by the index of that word. */
  valueWords: ReadonlyMap<number, NamedOption>
  /** The option whose value would be the next word. */
  awaiting: Option | undefined
}

/** Finds the command that the words name, and loads its verb. */
export async function findCommand(
  table: CommandTable,
  words: readonly string[],
): Promise<NamedCommand> {
  let path = ''
  let verb: Verb | undefined
  let options: Options = commonOptions
  let argumentCount = 0
  const valueWords = new Map<number, NamedOption>()
  let awaiting: NamedOption | undefined
  const optionsEnd = wordsBeforeDashes(words).length
  for (const [index, word] of words.entries()) {
    if (awaiting !== undefined) {
      valueWords.set(index, awaiting)
      awaiting = undefined
      continue
    }
    if (word === '--' && index === optionsEnd) continue
    if (index < optionsEnd && isOption(word)) {
      awaiting = optionAwaitingValue(options, word)
      continue
    }
    const isPathEnded = verb !== undefined || argumentCount > 0
    const below = isPathEnded ? [] : commandsBelow(table, path)
    const command = below.find(({ name, alias }) => name === word || alias === word)
    if (command === undefined) {
      argumentCount += 1
      continue
    }
    path = command.path
    verb = (await table.verbs[path]?.load())?.verb
    options = { ...commonOptions, ...verb?.options }
  }
  return {
    words,
    path,
    verb,
    options,
    argumentCount,
    valueWords,
    awaiting: awaiting?.[1],
  }
}

/** Whether a word begins as an option. A dash alone is standard input. */
export function isOption(word: string) {
  return word.startsWith('-') && word !== '-'
}

/** The flags in a word: of `-qv` two, of every other option one. */
function flagsIn(word: string): string[] {
  return word.startsWith('--')
    ? [word]
    : Array.from(word.slice(1), (letter) => `-${letter}`)
}

function optionNamed(options: Options, flag: string): NamedOption | undefined {
  return Object.entries(options).find(
    ([key, option]) => flag === longFlag(key, option) || flag === `-${option.short ?? ''}`,
  )
}

/** The option whose value is the word behind this one: `--output csv`, `-o csv`, `-vo csv`, but not `-ocsv`. */
function optionAwaitingValue(options: Options, word: string): NamedOption | undefined {
  const named = flagsIn(word).map((flag) => optionNamed(options, flag))
  const first = named.findIndex((each) => each?.[1].value !== undefined)
  return first === named.length - 1 ? named[first] : undefined
}

/** The option of a flag such as `--limit` or `-o`. */
export function findOption(options: Options, flag: string): Option | undefined {
  return optionNamed(options, flag)?.[1]
}

/** Whether a word is an option, or several of one letter: `-qv`. */
export function isKnownOption(options: Options, word: string): boolean {
  const flags = flagsIn(word.replace(/=.*$/s, ''))
  return word === '--' || flags.every((flag) => optionNamed(options, flag) !== undefined)
}

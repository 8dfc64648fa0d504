/**
 * The words of a command line, read once by the tree of commands, which loads the command that they name: for help, completion, mistakes,
 * the parser, and the look of messages. `main.ts` reads the line by it, once; completion reads the words before the cursor.
 */
import type { TypedLine, TypedOption } from '../cli/option.ts'
import { usageError, type SvcError } from '../errors.ts'
import { quote, shellWord } from '../words.ts'
import { isHelp, isOperand } from './shortcuts.ts'
import {
  findCommand,
  findOption,
  flagsOf,
  type Branch,
  type Tree,
  type TreeOption,
} from './tree.ts'

/** Reads words: options can be anywhere, and one that takes a value takes whatever word is next. Loads the commands that they name. */
export async function readCommandLine(
  program: Tree,
  words: readonly string[],
): Promise<CommandLine> {
  const reader = new Reader(program, words)
  for (const [position, word] of words.entries()) {
    const branch = reader.take(word, position)
    if (branch !== undefined) reader.enter(await branch.load())
  }
  return reader
}

export type CommandLine = Readonly<Omit<Reader, 'take' | 'enter'>>

/** Reading of the words so far, a word at a time. */
class Reader implements TypedLine {
  readonly words: readonly string[]
  /** From the program down to the deepest command that the words name. */
  readonly commands: [Tree, ...Tree[]]
  command: Tree
  readonly operands: { readonly word: string; readonly position: number }[] = []
  readonly options: (TypedOption & { readonly option: TreeOption })[] = []
  readonly given = new Map<string, string | true>()
  dashes: number | undefined
  /** The first word that looks like an option and is none. */
  unknown: string | undefined
  /** The option whose value the next word is. */
  awaiting: TreeOption | undefined
  asksHelp = false
  /** `--all` was given to a command without such an option: the advanced options are to be in the help. */
  asksAll = false
  /** `-V` or `--version` was given before any command. */
  asksVersion = false
  /** Options before their verb, each with the word behind it if that names no command: read again once the verb is known. */
  #early: { readonly word: string; readonly position: number }[] = []
  #isBehindEarly = false
  #misplaced: SvcError | undefined
  #twice: SvcError | undefined

  constructor(program: Tree, words: readonly string[]) {
    this.words = words
    this.commands = [program]
    this.command = program
  }

  /** A word with a dash that cannot be a value, a short option that is glued to something, two values of an option that takes one. */
  get problem(): SvcError | undefined {
    return this.#misplaced ?? this.#twice
  }

  /** Returns the command that the word names. */
  take(word: string, position: number): Branch | undefined {
    const isBehindEarly = this.#isBehindEarly && isOperand(word)
    this.#isBehindEarly = false
    if (isBehindEarly && findCommand(this.command, word) === undefined) {
      this.#early.push({ word, position })
      return undefined
    }
    const branch = this.#takesAsValue(word, position) ? undefined : this.#takeWord(word, position)
    return branch
  }

  enter(command: Tree): void {
    this.commands.push(command)
    this.command = command
    if (command.command === undefined || this.#early.length === 0) return
    this.unknown = undefined
    for (const { word, position } of this.#early.splice(0)) this.take(word, position)
  }

  /** Gives the word to the option that awaits it. One that is an option itself is a mistake, and an option all the same, so that errors have the format that it says; help does not hide it. */
  #takesAsValue(word: string, position: number): boolean {
    const { awaiting } = this
    if (awaiting === undefined) return false
    this.awaiting = undefined
    const hasDash = !isOperand(word)
    const isOption = hasDash && this.#isOption(word)
    const isRefused = isOption || (hasDash && awaiting.takes !== 'text')
    if (isRefused) this.#misplaced ??= valueProblem(awaiting, word, isOption)
    if (!isOption) this.#give(awaiting, word, position)
    return !isOption || isHelp(word)
  }

  /** Whether a word with a dash is an option of the commands so far, exactly. */
  #isOption(word: string): boolean {
    return (
      word === '--' ||
      isHelp(word) ||
      isShortOnes(word) ||
      findOption(this.commands, word) !== undefined
    )
  }

  #takeWord(word: string, position: number): Branch | undefined {
    if (this.dashes === undefined && word === '--') this.dashes = position
    else if (this.dashes === undefined && !isOperand(word)) this.#takeOption(word, position)
    else {
      const isFirst = this.operands.length === 0 && this.dashes === undefined
      const branch = isFirst ? findCommand(this.command, word) : undefined
      if (branch === undefined) this.operands.push({ word, position })
      return branch
    }
    return undefined
  }

  #give(option: TreeOption, value: string | true, position: number): void {
    const before = this.given.get(option.key)
    const isOther = before !== undefined && before !== value
    if (isOther && value !== true && option.isRepeatable !== true) {
      const both = `${quote(String(before))} and ${quote(value)}`
      this.#twice ??= usageError(`${flagsOf(option)} is given twice: ${both}`, 'leave one out')
    }
    this.given.set(option.key, value)
    this.options.push({
      option,
      value,
      word: value === true ? option.long : value,
      position,
    })
  }

  #takeOption(word: string, position: number): void {
    this.#misplaced ??= gluedProblem(word)
    const equals = word.startsWith('--') ? word.indexOf('=') : -1
    const option = findOption(this.commands, equals < 0 ? word : word.slice(0, equals))
    if (option === undefined || (equals >= 0 && option.value === undefined))
      this.#takeOther(word, position)
    else if (equals >= 0) this.#give(option, word.slice(equals + 1), position)
    else if (option.value !== undefined) this.awaiting = option
    else this.#give(option, true, position)
  }

  /** Words that the tree of commands does not have: help, the version, short options in one word, negative numbers, and mistakes. */
  #takeOther(word: string, position: number): void {
    const isAtStart = this.commands.length === 1 && this.operands.length === 0
    if (isHelp(word) || (isShortOnes(word) && word.includes('h'))) this.asksHelp = true
    else if (isAtStart && (word === '-V' || word === '--version')) this.asksVersion = true
    else if (negativeNumber.test(word)) this.operands.push({ word, position })
    else if (isShortOnes(word))
      for (const letter of word.length > 2 ? word.slice(1) : '')
        this.#takeOption(`-${letter}`, position)
    else this.#takeUnknown(word, position)
  }

  /** An option that the command does not have, though a verb that is still to come may. */
  #takeUnknown(word: string, position: number): void {
    this.unknown ??= word
    if (this.command.command === undefined && this.operands.length === 0) {
      this.#early.push({ word, position })
      this.#isBehindEarly = !word.includes('=')
    }
    if (word === '--all') this.asksAll = true
  }
}

/** A word, since no option is a digit. */
const negativeNumber = /^-(?:\d+|\d*\.\d+)(?:e[+-]?\d+)?$/

/** Options of one letter each that take no value: `-qy`. */
function isShortOnes(word: string): boolean {
  return /^-[hqvy]+$/.test(word)
}

/** Problem of a word with a leading dash where a value is meant. */
function valueProblem({ long, takes }: TreeOption, word: string, isOption: boolean): SvcError {
  const file = takes === 'file' ? `; a file of that name is ./${shellWord(word)}` : ''
  const why = isOption ? 'is an option' : 'begins with a dash'
  return usageError(
    `${long} needs a value, and ${quote(word)} ${why}`,
    `to use it as the value, write ${long}=${shellWord(word)}${file}`,
  )
}

/** `-V` counts only as a whole word: `-VIP` must not be read as `-V -I -P`. */
function gluedProblem(word: string): SvcError | undefined {
  if (!/^-[A-Za-z]./.test(word) || isShortOnes(word)) return undefined
  return usageError(
    `unknown option ${quote(word)}`,
    `a short option's value is a separate word (-o json); a name that begins with a dash is written name:${word}, or after --`,
  )
}

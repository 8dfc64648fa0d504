/** The words of a command line read by the tree of commands, which loads the command that they name: for help, completion, mistakes, and the parser. */
import { usageError, type SvcError } from '../errors.ts'
import { quote, shellWord } from '../words.ts'
import { isHelp, isOperand } from './argv.ts'
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
  const reader = new Reader(program)
  for (const [position, word] of words.entries()) {
    const branch = reader.take(word, position)
    if (branch !== undefined) reader.enter(await branch.load())
  }
  return reader
}

export type CommandLine = Readonly<Omit<Reader, 'take' | 'enter'>>

/** Reading of the words so far, a word at a time. */
class Reader {
  /** From the program down to the deepest command that the words name. */
  readonly commands: [Tree, ...Tree[]]
  command: Tree
  /** Words that are neither commands nor options nor an option's value, and their positions among the words. */
  readonly operands: string[] = []
  readonly operandPositions: number[] = []
  /** Options that were given, by key, with their last value; `true` for one that takes none. */
  readonly given = new Map<string, string | true>()
  /** The first word that looks like an option and is none. */
  unknown: string | undefined
  /** Word that was given to `--json`, which takes no value: `name` of `--json=name`, or the word behind `--json`. */
  jsonValue: string | undefined
  /** The option whose value the next word is. */
  awaiting: TreeOption | undefined
  /** `--` was given: nothing after it is an option. */
  afterDashes = false
  asksHelp = false
  /** `-V` or `--version` was given before any command. */
  asksVersion = false
  /**
   * The words as the parser is to take them: one that begins with a dash and is an option's value all the same is joined to it, or
   * the parser would look for options in it.
   */
  readonly parserWords: string[] = []
  #misplaced: SvcError | undefined
  #twice: SvcError | undefined
  #previous = ''

  constructor(program: Tree) {
    this.commands = [program]
    this.command = program
  }

  /** A word with a dash that cannot be a value, a short option that is glued to something, two values of an option that takes one. */
  get problem(): SvcError | undefined {
    return this.#misplaced ?? this.#twice
  }

  /** Returns the command that the word names. */
  take(word: string, position: number): Branch | undefined {
    const { awaiting } = this
    let branch: Branch | undefined
    if (!isOperand(word) && !this.afterDashes) this.#takeDashed(word)
    else this.parserWords.push(word)
    if (awaiting !== undefined) {
      this.#give(awaiting, word)
      this.awaiting = undefined
    } else if (word === '--' && !this.afterDashes) {
      this.afterDashes = true
    } else if (!this.afterDashes && !isOperand(word)) {
      this.#takeOption(word, position)
    } else {
      branch =
        this.operands.length === 0 && !this.afterDashes
          ? findCommand(this.command, word)
          : undefined
      if (branch === undefined) this.#takeOperand(word, position)
      if (this.#previous === '--json') this.jsonValue = word
    }
    this.#previous = word
    return branch
  }

  enter(command: Tree): void {
    this.commands.push(command)
    this.command = command
  }

  #takeDashed(word: string): void {
    const { awaiting, commands } = this
    this.#misplaced ??=
      awaiting === undefined ? gluedProblem(word) : valueProblem(commands, awaiting, word)
    if (awaiting === undefined) this.parserWords.push(word)
    else this.parserWords.splice(-1, 1, `${awaiting.long}=${word}`)
  }

  #takeOperand(word: string, position: number): void {
    this.operands.push(word)
    this.operandPositions.push(position)
  }

  #give(option: TreeOption, text?: string): void {
    const before = this.given.get(option.key)
    if (
      text !== undefined &&
      option.isRepeatable !== true &&
      before !== undefined &&
      before !== text
    ) {
      const words = `${flagsOf(option)} is given twice: ${quote(String(before))} and ${quote(text)}`
      this.#twice ??= usageError(words, 'leave one out')
    }
    this.given.set(option.key, text ?? true)
  }

  #takeOption(word: string, position: number): void {
    const equals = word.startsWith('--') ? word.indexOf('=') : -1
    const option = findOption(this.commands, equals < 0 ? word : word.slice(0, equals))
    if (option === undefined || (equals >= 0 && option.value === undefined))
      this.#takeOther(word, position)
    else if (equals >= 0) this.#give(option, word.slice(equals + 1))
    else if (option.value !== undefined) this.awaiting = option
    else this.#give(option)
  }

  /** Words that the tree of commands does not have: help, the version, short options in one word, negative numbers, and mistakes. */
  #takeOther(word: string, position: number): void {
    const isAtStart = this.commands.length === 1 && this.operands.length === 0
    if (isHelp(word) || (isShortOnes(word) && word.includes('h'))) this.asksHelp = true
    else if (isAtStart && (word === '-V' || word === '--version')) this.asksVersion = true
    else if (negativeNumber.test(word)) this.#takeOperand(word, position)
    else if (isShortOnes(word))
      for (const letter of word.length > 2 ? word.slice(1) : '')
        this.#takeOption(`-${letter}`, position)
    else {
      this.unknown ??= word
      if (word.startsWith('--json=')) this.jsonValue = word.slice('--json='.length)
    }
  }
}

/** A word, since no option is a digit. */
const negativeNumber = /^-(?:\d+|\d*\.\d+)(?:e[+-]?\d+)?$/

/** Options of one letter each that take no value: `-qy`. */
function isShortOnes(word: string): boolean {
  return /^-[hqvy]+$/.test(word)
}

/** Options whose value is a person's own text, which may begin with a dash. */
const freeText: ReadonlySet<string> = new Set(
  ['name', 'description', 'search', 'body', 'reason', 'where', 'field', 'query'].map(
    (name) => `--${name}`,
  ),
)

/** Problem of a word with a leading dash where a value is meant: nothing with free text, unless it is an option. */
function valueProblem(
  commands: readonly Tree[],
  { long, value }: TreeOption,
  word: string,
): SvcError | undefined {
  const isOption =
    word === '--' || isHelp(word) || isShortOnes(word) || findOption(commands, word) !== undefined
  if (freeText.has(long) && !isOption) return undefined
  const file = /file|path|folder/.test(value ?? '')
    ? `; a file of that name is ./${shellWord(word)}`
    : ''
  return usageError(
    `${long} needs a value, and ${quote(word)} ${isOption ? 'is an option' : 'begins with a dash'}`,
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

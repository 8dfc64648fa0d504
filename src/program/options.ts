/**
 * Options of commander's, made of the data of a command, and the two guards against words that are taken for values by mistake. `parse.ts`
 * adds them to each command of its tree.
 */
import { Command as Parser, CommanderError, Option as ParserOption } from 'commander'
import { globalOptions } from '../cli/global-options.ts'
import {
  flagsOf,
  longFlag,
  optionText,
  type Option,
  type Options,
  type TypedLine,
} from '../cli/options.ts'
import { usageError } from '../errors.ts'
import { quote, shellWord } from '../words.ts'

/** A line while commander reads it. */
export interface Reading extends TypedLine {
  path: string
  options: Options
  readonly given: Map<string, string | true>
  /** Values of the options that were typed, by key, at whatever place of the line. */
  readonly values: Map<string, unknown>
  /** Words such as `--name=--yes` whose value was taken. */
  readonly assigned: Set<string>
  asksVersion: boolean
}

/** Words as they were typed; of their options only the global ones are known, whose texts say how a mistake is told. */
export function readWords(words: readonly string[]): TypedLine {
  const given = new Map<string, string | true>()
  const parser = silent(new Parser()).allowUnknownOption().allowExcessArguments()
  for (const [key, option] of Object.entries(globalOptions)) {
    const record = (text?: string): void => void given.set(key, text ?? true)
    parser.addOption(new ParserOption(flagsOf(key, option)).argParser(record))
  }
  try {
    parser.parse([...words], { from: 'user' })
  } catch (error) {
    // A value is missing, which is told when the whole line is read.
    if (!(error instanceof CommanderError)) throw error
  }
  return { words, path: '', given, options: {} }
}

function silent(parser: Parser): Parser {
  const quiet = () => undefined
  return parser
    .exitOverride()
    .helpOption(false)
    .configureOutput({ writeOut: quiet, writeErr: quiet })
}

/** The options of a command and, since they can stand anywhere, the global ones, which its help does not show. */
export function addOptions(parser: Parser, line: Reading, own: Options): void {
  const flags = new Flags({ ...globalOptions, ...own })
  for (const [key, option] of Object.entries(globalOptions))
    parser.addOption(parserOption(key, option, { line, flags }).hideHelp())
  // Those without a heading of their own come first in the help.
  const isGrouped = ([, { group }]: readonly [string, Option]) => Number(group !== undefined)
  const ordered = Object.entries(own).sort((left, right) => isGrouped(left) - isGrouped(right))
  for (const [key, option] of ordered) parser.addOption(parserOption(key, option, { line, flags }))
}

/** Which words are options of a command. */
class Flags {
  readonly #names = new Set(['-h', '--help', '--'])

  constructor(options: Options) {
    for (const [key, option] of Object.entries(options)) {
      this.#names.add(longFlag(key, option))
      if (option.short !== undefined) this.#names.add(`-${option.short}`)
    }
  }

  has(word: string): boolean {
    if (word.startsWith('--')) return this.#names.has(word.replace(/=.*$/s, ''))
    // Several of one letter in a word: -qv.
    return Array.from(word.slice(1)).every((letter) => this.#names.has(`-${letter}`))
  }
}

/** An option of commander's that keeps its value in the line. */
function parserOption(
  key: string,
  option: Option,
  { line, flags }: { readonly line: Reading; readonly flags: Flags },
): ParserOption {
  const { value, isRepeatable, isCounted, isNegated, isRequired = false, conflicts = [] } = option
  const made = new ParserOption(flagsOf(key, option), optionText(option))
    .makeOptionMandatory(isRequired)
    .conflicts([...conflicts])
    .helpGroup(option.group ?? 'Options:')
  const { values, given } = line
  const take = (text?: string): unknown => {
    if (value === undefined || text === undefined) {
      given.set(key, true)
      const count = Number(values.get(key) ?? 0) + 1
      return isCounted === true ? count : isNegated !== true
    }
    checkWord(key, option, text, { line, flags })
    given.set(key, text)
    const read = option.parse?.(text) ?? text
    return isRepeatable === true
      ? [...((values.get(key) as unknown[] | undefined) ?? []), read]
      : read
  }
  return made.argParser((text: string | undefined) => {
    const taken = take(text)
    values.set(key, taken)
    return taken
  })
}

/**
 * Throws exit 2 for a word with a dash that is taken for a value by mistake, so that no `--dry-run` is lost, and for a second value of an
 * option that takes one.
 */
function checkWord(
  key: string,
  option: Option,
  text: string,
  { line, flags }: { readonly line: Reading; readonly flags: Flags },
): void {
  const long = longFlag(key, option)
  const assignment = `${long}=${text}`
  const isAssigned = line.words.includes(assignment) && !line.assigned.has(assignment)
  line.assigned.add(assignment)
  const isWord = text.startsWith('-') && text !== '-' && !isAssigned
  const isOption = isWord && flags.has(text)
  if (isOption || (isWord && option.takes !== 'text')) {
    const file = option.takes === 'file' ? `; a file of that name is ./${shellWord(text)}` : ''
    throw usageError(
      `${long} needs a value, and ${quote(text)} ${isOption ? 'is an option' : 'begins with a dash'}`,
      `to use it as the value, write ${long}=${shellWord(text)}${file}`,
    )
  }
  const before = line.given.get(key)
  if (option.isRepeatable === true || before === undefined || before === text) return
  const both = `${quote(String(before))} and ${quote(text)}`
  throw usageError(`${flagsOf(key, option)} is given twice: ${both}`, 'leave one out')
}

export function defaultsOf(options: Options): Readonly<Record<string, unknown>> {
  const found: Record<string, unknown> = {}
  for (const [key, { isRepeatable, isNegated }] of Object.entries(options)) {
    if (isRepeatable === true) found[key] = []
    if (isNegated === true) found[key] = true
  }
  return found
}

export function valuesOf({ values }: Reading, options: Options): Readonly<Record<string, unknown>> {
  return Object.fromEntries([...values].filter(([key]) => Object.hasOwn(options, key)))
}

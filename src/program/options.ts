/**
 * Makes commander's options from the data of a command, with two guards that keep words from being used as
 * values by mistake.
 */
import { Command as Parser, CommanderError, Option as ParserOption } from 'commander'
import { globalOptions } from '../cli/global-options.ts'
import { usageError } from '../errors.ts'
import type { Verb } from '../cli/verb.ts'
import { quote, shellWord } from '../words.ts'
import {
  flagsOf,
  optionText,
  readValue,
  type Option,
  type Options,
  type TypedLine,
  longFlag,
} from '../options.ts'

/** A verb with the values of its words. */
export interface Call {
  kind: 'call'
  verb: Verb
  line: TypedLine
  arguments: readonly unknown[]
  /** Its own options, by key. */
  options: Record<string, unknown>
  /** Its own and the global ones. */
  allOptions: Record<string, unknown>
}

/** A line while commander reads it. */
export interface LineBeingRead extends TypedLine {
  path: string
  options: Options
  given: Map<string, string | true>
  /** The values of the typed options, by key, from anywhere on the line. */
  values: Map<string, unknown>
  /** Words such as `--name=--yes` whose value was used. */
  assigned: Set<string>
  /** The first example of the verb, once it is known. */
  example?: string | undefined
  printed: string
  call: Call | undefined
}

/**
 * Splits typed words into the texts of these options and the other words. It refuses nothing, because the global options
 * decide how a mistake is reported, and completion reads unfinished lines.
 */
export function readWords(
  words: readonly string[],
  options: Options = globalOptions,
): TypedLine & { operands: readonly string[] } {
  const given = new Map<string, string | true>()
  const parser = new Parser().exitOverride().helpOption(false).allowUnknownOption()
  parser.configureOutput({ outputError: () => undefined })
  for (const [key, option] of Object.entries(options)) {
    const record = (text?: string) => void given.set(key, text ?? true)
    parser.addOption(new ParserOption(flagsOf(key, option)).argParser(record))
  }
  try {
    parser.parse([...words], { from: 'user' })
  } catch (error) {
    // A missing value is reported when the whole line is read.
    if (!(error instanceof CommanderError)) throw error
  }
  return { words, path: '', given, options: {}, operands: parser.args }
}

type NamedOption = readonly [key: string, option: Option]

/** The options of a command and the global ones. Its help does not show the latter, but they can be anywhere on the line. */
export function addOptions(parser: Parser, line: LineBeingRead, own: Options) {
  for (const entry of Object.entries(globalOptions))
    parser.addOption(parserOption(parser, line, entry).hideHelp())
  for (const entry of Object.entries(own))
    parser.addOption(parserOption(parser, line, entry))
}

/** A commander option that keeps its value in the line. */
function parserOption(
  parser: Parser,
  line: LineBeingRead,
  entry: NamedOption,
): ParserOption {
  const [key, option] = entry
  const { isRequired = false, conflicts = [], group = 'Options:' } = option
  return new ParserOption(flagsOf(key, option), optionText(option))
    .makeOptionMandatory(isRequired)
    .conflicts([...conflicts])
    .helpGroup(group)
    .argParser((text: string | undefined) => {
      if (text !== undefined) checkText(parser, line, entry, text)
      const before = line.values.get(key)
      const value =
        text === undefined ? flagValue(option, before) : textValue(entry, text, before)
      line.given.set(key, text ?? true)
      line.values.set(key, value)
      return value
    })
}

/** The value of an option that takes none. `before`: if it was typed before. */
function flagValue({ isCounted, isNegated }: Option, before: unknown) {
  return isCounted === true ? Number(before ?? 0) + 1 : isNegated !== true
}

/** The value of a text; of a repeatable option with those that were typed before. */
function textValue([key, option]: NamedOption, text: string, before: unknown): unknown {
  const what = option.short === undefined ? longFlag(key, option) : `-${option.short}`
  const value = readValue(option, text, what)
  if (option.isRepeatable !== true) return value
  return Array.isArray(before) ? [...(before as unknown[]), value] : [value]
}

/** Throws exit 2 for a text that is a value by mistake, and for a second value of an option that takes only one. */
function checkText(parser: Parser, line: LineBeingRead, entry: NamedOption, text: string) {
  const [key, option] = entry
  const assignment = `${longFlag(key, option)}=${text}`
  const isAssigned = line.words.includes(assignment) && !line.assigned.has(assignment)
  line.assigned.add(assignment)
  if (!isAssigned) refuseDash(parser, entry, text)
  const before = line.given.get(key)
  if (option.isRepeatable === true || before === undefined || before === text) return
  const both = `${quote(String(before))} and ${quote(text)}`
  throw usageError(`${flagsOf(key, option)} is given twice: ${both}`, 'leave one out')
}

/** Throws exit 2 for a word with a dash, so that no `--dry-run` is lost as the value of another option. */
function refuseDash(parser: Parser, [key, option]: NamedOption, word: string) {
  if (!word.startsWith('-') || word === '-') return
  const isOption = hasOption(parser, word)
  if (!isOption && option.takes === 'text') return
  const long = longFlag(key, option)
  const file =
    option.takes === 'file' ? `; a file of that name is ./${shellWord(word)}` : ''
  throw usageError(
    `${long} needs a value, and ${quote(word)} ${isOption ? 'is an option' : 'begins with a dash'}`,
    `to use it as the value, write ${long}=${shellWord(word)}${file}`,
  )
}

/** Whether a word is an option of a command, or several of one letter: `-qv`. */
function hasOption({ options }: Parser, word: string) {
  const isFlag = (flag: string) =>
    ['-h', '--help', '--'].includes(flag) ||
    options.some(({ short, long }) => flag === short || flag === long)
  if (word.startsWith('--')) return isFlag(word.replace(/=.*$/s, ''))
  return Array.from(word.slice(1)).every((letter) => isFlag(`-${letter}`))
}

/** The values of these options; a repeatable one always has one. */
export function valuesOf(
  { values }: LineBeingRead,
  options: Options,
): Readonly<Record<string, unknown>> {
  const found: Record<string, unknown> = {}
  for (const [key, { isRepeatable }] of Object.entries(options)) {
    const value = values.get(key) ?? (isRepeatable === true ? [] : undefined)
    if (value !== undefined) found[key] = value
  }
  return found
}

/**
 * The options of a command for commander, with the guard that keeps words from being used as values by mistake: a word with a
 * dash is no value.
 */
import { Option as ParserOption, type Command as Parser } from 'commander'
import { globalOptions } from '../cli/global-options.ts'
import type { Verb } from '../cli/verb.ts'
import { usageError } from '../errors.ts'
import {
  flagsOf,
  longFlag,
  optionText,
  readValue,
  type Option,
  type Options,
  type TypedLine,
} from '../options.ts'
import { quote, shellWord } from '../words.ts'

/** A verb with the values of its words. */
export interface Call {
  kind: 'call'
  verb: Verb
  line: TypedLine
  arguments: readonly unknown[]
  /** Its own options, by key. */
  options: Record<string, unknown>
  /** Its own and those of the program. */
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
  /** The help of the named command is printed, and nothing is run. */
  asksHelp: boolean
  /** The first example of the verb, once it is known. */
  example?: string | undefined
  call?: Call
}

/** The words after `svc`, of which nothing is known yet. */
export function newLine(words: readonly string[]): LineBeingRead {
  return {
    words,
    path: '',
    options: {},
    given: new Map(),
    values: new Map(),
    assigned: new Set(),
    asksHelp: ownWords(words).some((word) => /^(?:--help|-[qvyh]*h[qvy]*)$/.test(word)),
  }
}

/** The words before `--`. */
export function ownWords(words: readonly string[]): readonly string[] {
  const end = words.indexOf('--')
  return end === -1 ? words : words.slice(0, end)
}

type NamedOption = readonly [key: string, option: Option]

/** The options of a command, and those of the program, which can stand anywhere but are shown in the help of svc alone. */
export function addOptions(parser: Parser, line: LineBeingRead, own: Options) {
  const isRoot = parser.parent === null
  for (const entry of Object.entries(globalOptions))
    parser.addOption(parserOption(parser, line, entry).hideHelp(!isRoot))
  for (const entry of Object.entries(own))
    parser.addOption(parserOption(parser, line, entry))
  const help = new ParserOption('-h, --help', 'print the help of a command')
  parser.addOption(help.hideHelp(!isRoot))
  const isAllowed = line.asksHelp && !Object.hasOwn(own, 'all')
  if (isAllowed) parser.addOption(new ParserOption('--all').hideHelp())
}

/** A commander option that keeps its value in the line. */
function parserOption(parser: Parser, line: LineBeingRead, entry: NamedOption) {
  const [key, option] = entry
  const { isRequired = false, conflicts = [], group = 'Options:' } = option
  return new ParserOption(flagsOf(key, option), optionText(option))
    .makeOptionMandatory(isRequired && !line.asksHelp)
    .conflicts([...conflicts])
    .helpGroup(group)
    .argParser((text: string | undefined) => {
      if (text !== undefined) checkText(parser, line, entry, text)
      const value =
        text === undefined
          ? option.isNegated !== true
          : textValue(entry, text, line.values.get(key))
      line.given.set(key, text ?? true)
      line.values.set(key, value)
      return value
    })
}

/** The value of a text; of a repeatable option with those that were typed before. */
function textValue([key, option]: NamedOption, text: string, before: unknown): unknown {
  const what = option.short === undefined ? longFlag(key, option) : `-${option.short}`
  const value = readValue(option, text, what)
  if (option.isRepeatable !== true) return value
  return Array.isArray(before) ? [...(before as unknown[]), value] : [value]
}

/** Throws exit 2 for a word with a dash, so that no `--dry-run` is lost as the value of another option. */
function checkText(
  parser: Parser,
  line: LineBeingRead,
  [key, option]: NamedOption,
  word: string,
) {
  const long = longFlag(key, option)
  const assignment = `${long}=${word}`
  const isAssigned = line.words.includes(assignment) && !line.assigned.has(assignment)
  line.assigned.add(assignment)
  if (isAssigned || !word.startsWith('-') || word === '-') return
  const isOption = hasOption(parser, word)
  if (!isOption && option.takes === 'text') return
  const file =
    option.takes === 'file' ? `; a file of that name is ./${shellWord(word)}` : ''
  throw usageError(
    `${long} needs a value, and ${quote(word)} ${isOption ? 'is an option' : 'begins with a dash'}`,
    `to use it as the value, write ${long}=${shellWord(word)}${file}`,
  )
}

/** Whether a word is an option of a command, or several of one letter: `-qv`. */
export function hasOption({ options }: Parser, word: string): boolean {
  const isFlag = (flag: string) =>
    ['-h', '--help', '--'].includes(flag) ||
    options.some(({ short, long }) => flag === short || flag === long)
  if (word.startsWith('--')) return isFlag(word.replace(/=.*$/s, ''))
  return Array.from(word.slice(1)).every((letter) => isFlag(`-${letter}`))
}

/** The values of these options; a repeatable one always has one. */
export function valuesOf({ values }: LineBeingRead, options: Options) {
  const found: Record<string, unknown> = {}
  for (const [key, { isRepeatable }] of Object.entries(options)) {
    const value = values.get(key) ?? (isRepeatable === true ? [] : undefined)
    if (value !== undefined) found[key] = value
  }
  return found
}

/**
 * Options as data: how commands and settings declare them, how their values are read and how help shows them. Also the command
 * line that was typed with them.
 */
import { parseChoice, type ValueKind } from './values.ts'
import { shellWord } from './words.ts'

export interface Option {
  /** The letter of its short form: `X` for `-X`. */
  short?: string
  /** What the help calls its value (`n|all`). Without it, the option takes no value. */
  value?: string
  /** The kind of its value, if that matters to completion and messages. */
  takes?: ValueKind
  summary: string
  /** Says in the help what holds without the option. */
  default?: string
  /** The environment variables that set the same value. */
  environment?: readonly string[]
  /** The only values that it takes. */
  choices?: readonly string[]
  /** Takes several choices, separated by commas. */
  isSeparated?: boolean
  /**
   * Reads a value for which `choices` is not enough, and throws a usage error for one that it does not accept. `name` is the
   * option's name in messages.
   */
  parse?: (text: string, name: string) => unknown
  isRequired?: boolean
  isRepeatable?: boolean
  /** Sets its key to false: `--no-input` has the key `input`. */
  isNegated?: boolean
  /** Its heading in the help, if that is not the usual one. */
  group?: string | undefined
  /** Is repeated in the command with which a message offers to resume the run. */
  isRepeatedOnResume?: boolean
  /** The keys of the options that cannot be used together with it. */
  conflicts?: readonly string[]
}

export type Options = Readonly<Record<string, Option>>

/** The type of the value that an option or argument reads. */
export type TypedValue<O> = O extends {
  parse: (text: string, name: string) => infer V
}
  ? V
  : O extends { choices: readonly (infer C)[]; isSeparated: true }
    ? C[]
    : O extends { choices: readonly (infer C)[] }
      ? C
      : string

/** The type of an option's value in the values of its verb. */
type OptionValue<O> = O extends { isRepeatable: true }
  ? string[]
  : O extends { isNegated: true }
    ? false
    : O extends { value: string } | { parse: unknown }
      ? TypedValue<O>
      : true

/** Options that always have a value. */
type AlwaysSet = { isRepeatable: true } | { isRequired: true }

/** The type of the values of a verb's options, by their keys. */
export type OptionValues<O> = {
  [K in keyof O as O[K] extends AlwaysSet ? K : never]: OptionValue<O[K]>
} & {
  [K in keyof O as O[K] extends AlwaysSet ? never : K]?: OptionValue<NonNullable<O[K]>>
}

/** The heading of options that few people need. `--help --all` and the reference show them. */
export const advanced = 'Advanced:'

/** Declares options with their exact types. */
export function defineOptions<const O extends Options>(options: O): O {
  return options
}

/** Copies options, with another heading in the help. */
export function grouped<const O extends Options>(group: string, options: O): O {
  const copies = Object.entries(options).map(([key, option]) => [key, { ...option, group }])
  return Object.fromEntries(copies) as O
}

/**
 * Reads the value of an option from a text, and throws a usage error if the option does not accept it. `name` is the option,
 * variable or file that the error names.
 */
export function readValue(
  { parse, choices, isSeparated }: Pick<Option, 'parse' | 'choices' | 'isSeparated'>,
  text: string,
  name: string,
): unknown {
  if (parse !== undefined) return parse(text, name)
  if (choices === undefined) return text
  return isSeparated === true
    ? text.split(',').map((word) => parseChoice(word.trim(), name, choices))
    : parseChoice(text, name, choices)
}

/** The long flag of a key: `--dry-run` for `dryRun`. */
export function longFlag(key: string, { isNegated }: Pick<Option, 'isNegated'>): string {
  const words = key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  return `--${isNegated === true ? 'no-' : ''}${words}`
}

/** What the help says of an option: its summary, its variables, its default, and whether it is repeatable. */
export function optionText(option: Option): string {
  const { summary, environment = [], isRepeatable = false } = option
  const facts = environment.length === 0 ? [] : [environment.join(', ')]
  if (option.default !== undefined) facts.push(`default: ${option.default}`)
  const inBrackets = facts.length === 0 ? '' : ` (${facts.join('; ')})`
  const repeatable = isRepeatable ? '; repeatable' : ''
  return `${summary}${inBrackets}${repeatable}`
}

/** The flags of an option in the help: `-o, --output <format>`. */
export function flagsOf(key: string, option: Option): string {
  const { short, value } = option
  const long = longFlag(key, option)
  const flags = short === undefined ? long : `-${short}, ${long}`
  return value === undefined ? flags : `${flags} <${value}>`
}

/** The command line that was typed. */
export interface TypedLine {
  /** All words after `svc`. */
  words: readonly string[]
  /** The words of the command, as far as it is known: `lists add-contacts`. */
  path: string
  /** The options of the verb; empty until the verb is known. */
  options: Options
  /** The typed values by the keys of their options, of the program and of the verb. A repeatable option always has one. */
  values: Readonly<Record<string, unknown>>
}

/** A list or employee to name in place of the typed one. */
interface Replacement {
  kind: 'list' | 'employee'
  typed: string
  name: string
  id: string
}

/** The command line with another list or employee in place of the typed one, named by its id if it cannot be typed. */
export function retypedLine(
  { words, path, options }: TypedLine,
  { kind, typed, name, id }: Replacement,
) {
  const replacement = isTypable(name) ? name : id
  const firstArgument = path.split(' ').length
  const optionOf = (flag: string | undefined) =>
    Object.entries(options).find(([key, option]) => longFlag(key, option) === flag)?.[1]
  const corrected = words.map((word, index) => {
    // `--to=name`, or else the word behind `--to`, or an argument.
    const assigned = /^(--[^=]+)=(.*)$/s.exec(word)
    const option = optionOf(assigned?.[1] ?? words[index - 1])
    const text = assigned?.[2] ?? word
    const isArgument = option?.value === undefined
    const takesKind = isArgument ? kind === 'list' : option.takes === kind
    const isTypedName = text === typed || text === `name:${typed}`
    if (index < firstArgument || !isTypedName || !takesKind) return word
    return `${word.slice(0, word.length - text.length)}${replacement}`
  })
  return ['svc', ...corrected.map(shellWord)].join(' ')
}

/** Whether svc would read this name, typed as it is, as a name, and whether all of it is visible. */
function isTypable(name: string) {
  return /^(?!-|id:|name:|[0-9a-f]{24}$)[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/iu.test(name)
}

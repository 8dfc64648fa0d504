/**
 * Options as data: how commands declare them, how their values are read, and how the help shows them. Then the command line that
 * was typed, and how svc shows it with one name replaced.
 */
import { parseChoice } from '../values.ts'
import { shellWord } from '../words.ts'

export interface Option {
  /** The letter of its short form: `X` for `-X`. */
  short?: string
  /** The name of its value in the help: `n|all`. An option without this takes no value. */
  value?: string
  /** The kind of its value, if completion or messages treat it in a special way. */
  takes?: 'file' | 'list' | 'profile'
  summary: string
  /** The default, as the help shows it. It is only a text, and sets no value. */
  default?: string
  /** The environment variables that set the same value. */
  environment?: readonly string[]
  /** The only values that it takes. */
  choices?: readonly string[]
  /** It takes several of its choices, separated by commas. */
  isCommaSeparated?: boolean
  /**
   * Reads the value, and throws a usage error for one that it does not accept. `choices` are then only for completion. `name`
   * is what messages call the option.
   */
  parse?: (text: string, name: string) => unknown
  isRequired?: boolean
  isRepeatable?: boolean
  /** A second value is refused. Of other options, the last value counts. */
  isSingle?: boolean
  /** The keys of the options that cannot be used together with it. */
  conflicts?: readonly string[]
}

export type Options = Readonly<Record<string, Option>>

/** The type of what `readValue` makes of one typed text. */
export type TypedValue<O> = O extends {
  parse: (text: string, name: string) => infer V
}
  ? V
  : O extends { choices: readonly (infer C)[]; isCommaSeparated: true }
    ? C[]
    : O extends { choices: readonly (infer C)[] }
      ? C
      : string

/** The type of an option's value, however often the option is typed. */
type OptionValue<O> = O extends { isRepeatable: true }
  ? TypedValue<O>[]
  : O extends { value: string } | { parse: unknown }
    ? TypedValue<O>
    : true

/** An option whose value is never undefined: a repeatable option that was not typed has an empty list. */
type AlwaysSet = { isRepeatable: true } | { isRequired: true }

/** The type of the values of a verb's options, by their keys. */
export type OptionValues<O> = {
  [K in keyof O as O[K] extends AlwaysSet ? K : never]: OptionValue<O[K]>
} & {
  [K in keyof O as O[K] extends AlwaysSet ? never : K]?: OptionValue<NonNullable<O[K]>>
}

/** Declares options with their exact types. */
export function defineOptions<const O extends Options>(options: O): O {
  return options
}

/**
 * Reads the value of an option from a text, and throws a usage error if the option does not accept it. `name` is the option,
 * variable or file that the error names.
 */
export function readValue(
  {
    parse,
    choices,
    isCommaSeparated,
  }: Pick<Option, 'parse' | 'choices' | 'isCommaSeparated'>,
  text: string,
  name: string,
): unknown {
  if (parse !== undefined) return parse(text, name)
  if (choices === undefined) return text
  return isCommaSeparated === true
    ? text.split(',').map((word) => parseChoice(word.trim(), name, choices))
    : parseChoice(text, name, choices)
}

/** The long flag of a key: `--dry-run` for `dryRun`. */
export function longFlag(key: string): string {
  return `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

/** The help text of an option: its summary, its variables, its default, and whether it is repeatable. */
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
  const long = longFlag(key)
  const flags = short === undefined ? long : `-${short}, ${long}`
  return value === undefined ? flags : `${flags} <${value}>`
}

/** The command line that was typed. */
export interface TypedLine {
  /** All words after `svc`. */
  words: readonly string[]
  /** The words of the command: `lists add-contacts`. */
  path: string
}

/** The command line with an id in place of the first word, or value after `=`, that is `typed`. The words of the command stay. */
export function lineWithId({ words, path }: TypedLine, typed: string, id: string) {
  const start = words.indexOf(path.split(' ').at(-1) ?? '') + 1
  const value = `=${typed}`
  const whole = words.indexOf(typed, start)
  const index =
    whole >= 0 ? whole : words.findIndex((word, at) => at >= start && word.endsWith(value))
  const written = words.map((word, at) =>
    shellWord(at === index ? word.slice(0, -typed.length) + id : word),
  )
  return ['svc', ...written].join(' ')
}

/**
 * Options as data: how commands and settings declare them, how help shows them, how their values are read, and the command
 * line that has them.
 */
import { parseChoice, type ValueKind } from './values.ts'
import { shellWord } from './words.ts'

export interface Option {
  /** One letter: `X` of `-X`. */
  short?: string
  /** The word for its value in the help (`n|all`). Without it, the option takes no value. */
  value?: string
  /** The kind of its value. */
  takes?: ValueKind
  summary: string
  /** The value without the option, in words. */
  default?: string
  /** Environment variables that set the same value. */
  environment?: readonly string[]
  /** The only values that it takes. */
  choices?: readonly string[]
  /** Several choices can be given at once, separated by commas. */
  isSeparated?: boolean
  /** Usual values; others are allowed too. */
  suggestions?: readonly string[]
  /** Reads a value that is not one of a few choices. `what` names the option in messages. Throws exit 2 for any other. */
  parse?: (text: string, what: string) => unknown
  isRequired?: boolean
  isRepeatable?: boolean
  /** `--no-input`: the key is `input`, and the option sets it to false. */
  isNegated?: boolean
  /** The heading in the help, if it is not the usual one. */
  group?: string | undefined
  /** A command in a message that resumes the run has this option too. */
  isRepeatedOnResume?: boolean
  /** The keys of options that cannot be used together with it. */
  conflicts?: readonly string[]
}

export type Options = Readonly<Record<string, Option>>

/** The value of an option or argument that takes one. */
export type TypedValue<O> = O extends {
  parse: (text: string, what: string) => infer V
}
  ? V
  : O extends { choices: readonly (infer C)[]; isSeparated: true }
    ? C[]
    : O extends { choices: readonly (infer C)[] }
      ? C
      : string

type OptionValue<O> = O extends { isRepeatable: true }
  ? string[]
  : O extends { isNegated: true }
    ? false
    : O extends { value: string } | { parse: unknown }
      ? TypedValue<O>
      : true

/** An option that always has a value. */
type Always = { isRepeatable: true } | { isRequired: true }

/** The values of a verb's options, by their keys. Options that only some operations have may be undefined. */
export type OptionValues<O> = {
  [K in keyof O as O[K] extends Always ? K : never]: OptionValue<O[K]>
} & { [K in keyof O as O[K] extends Always ? never : K]?: OptionValue<NonNullable<O[K]>> }

/** The heading of options that few people need: shown by `--help --all`, and in the reference. */
export const advanced = 'Advanced:'

/** Options that several commands take. */
export function defineOptions<const O extends Options>(options: O): O {
  return options
}

/** The same options under a heading of the help. */
export function grouped<const O extends Options>(group: string, options: O): O {
  const entries = Object.entries(options).map(([key, option]) => [
    key,
    { ...option, group },
  ])
  return Object.fromEntries(entries) as O
}

/** The value of a text. `what` names the option, the variable or the file in errors. Throws exit 2 for any other text. */
export function readValue(
  { parse, choices, isSeparated }: Pick<Option, 'parse' | 'choices' | 'isSeparated'>,
  text: string,
  what: string,
): unknown {
  if (parse !== undefined) return parse(text, what)
  if (choices === undefined) return text
  return isSeparated === true
    ? text.split(',').map((word) => parseChoice(word.trim(), what, choices))
    : parseChoice(text, what, choices)
}

/** `--dry-run` of `dryRun`. */
export function longFlag(key: string, { isNegated }: Pick<Option, 'isNegated'>): string {
  const words = key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  return `--${isNegated === true ? 'no-' : ''}${words}`
}

/** An option in the words of the help, with its variables, its default, and whether it is repeatable. */
export function optionText({
  summary,
  default: without,
  environment = [],
  isRepeatable = false,
}: Option): string {
  const facts = environment.length === 0 ? [] : [environment.join(', ')]
  if (without !== undefined) facts.push(`default: ${without}`)
  const inBrackets = facts.length === 0 ? '' : ` (${facts.join('; ')})`
  return `${summary}${inBrackets}${isRepeatable ? '; repeatable' : ''}`
}

/** `-o, --output <format>`. */
export function flagsOf(key: string, option: Option): string {
  const { short, value } = option
  const long = longFlag(key, option)
  const flags = short === undefined ? long : `-${short}, ${long}`
  return value === undefined ? flags : `${flags} <${value}>`
}

/** The command line as verbs and messages see it. */
export interface TypedLine {
  /** All words after `svc`, as they were typed. */
  words: readonly string[]
  /** The path of the command, as far as it is known: `lists add-contacts`. */
  path: string
  /**
   * The text of each option that was typed, by its key: the last one if there are several, and `true` for an option without
   * a value.
   */
  given: ReadonlyMap<string, string | true>
  /** The options of the verb, once it is known. */
  options: Options
}

/** The text that was typed as the value of an option. */
export function typedText(
  { given }: Pick<TypedLine, 'given'>,
  key: string,
): string | undefined {
  const value = given.get(key)
  return value === true ? undefined : value
}

/** A list or employee to name in place of the typed one. */
interface Replacement {
  kind: 'list' | 'employee'
  typed: string
  name: string
  id: string
}

/** The command line with another list or employee in place of the typed one, named by its id if it cannot be typed. */
export function exactCommand(
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

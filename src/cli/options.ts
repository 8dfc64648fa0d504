/**
 * Options as data: what commands declare, how help shows it, and what was typed on a command line. `verb.ts` takes them,
 * and `program/parse.ts` makes commander's options of them and says what was typed.
 */
import { parseChoice, parseChoices, type ValueKind } from '../values.ts'

export interface Option {
  /** One letter: `X` of `-X`. */
  readonly short?: string
  /** The word for its value in the help (`n|all`); without it the option takes none. */
  readonly value?: string
  /** Kind of its value, where there is one. */
  readonly takes?: ValueKind
  readonly summary: string
  /** Value without the option, in words. */
  readonly default?: string
  /** Variables that say the same. */
  readonly environment?: readonly string[]
  /** The only values that it takes. */
  readonly choices?: readonly string[]
  /** Several of its choices can be given at once, with commas between them. */
  readonly isSeparated?: boolean
  /** Values that it is usually given, beside others. */
  readonly suggestions?: readonly string[]
  /** How a value that is none of a few choices is read. `what` names it in the message. Throws exit 2 for one that cannot be read. */
  readonly parse?: (text: string, what: string) => unknown
  readonly isRequired?: boolean
  readonly isRepeatable?: boolean
  /** Each time it is given counts: `-vv` is 2. */
  readonly isCounted?: boolean
  /** `--no-input`: the key is `input`, which is false with it. */
  readonly isNegated?: boolean
  /** The heading in the help, when it is not the usual one. */
  readonly group?: string | undefined
  /** A command in a message that continues the run has this option too. */
  readonly isCarried?: boolean
  /** Keys of options that it cannot be used with. */
  readonly conflicts?: readonly string[]
}

export type Options = Readonly<Record<string, Option>>

/** The value of an option or argument that takes one. */
export type TypedValue<O> = O extends {
  readonly parse: (text: string, what: string) => infer V
}
  ? V
  : O extends { readonly choices: readonly (infer C)[]; readonly isSeparated: true }
    ? C[]
    : O extends { readonly choices: readonly (infer C)[] }
      ? C
      : string

type ValueOf<O> = O extends { readonly isRepeatable: true }
  ? string[]
  : O extends { readonly isNegated: true }
    ? false
    : O extends { readonly isCounted: true }
      ? number
      : O extends { readonly value: string } | { readonly parse: unknown }
        ? TypedValue<O>
        : true

/** An option that always has a value. */
type Always = { readonly isRepeatable: true } | { readonly isRequired: true }

/** Values of a verb's options, by their keys. Options that only some operations have may be undefined. */
export type OptionValues<O> = {
  [K in keyof O as O[K] extends Always ? K : never]: ValueOf<O[K]>
} & { [K in keyof O as O[K] extends Always ? never : K]?: ValueOf<NonNullable<O[K]>> }

/** The heading of options that few people need: shown by `--help --all`, and in the reference. */
export const advanced = 'Advanced:'

/** Options that several commands take. */
export function defineOptions<const O extends Options>(options: O): O {
  return options
}

/** A value as the verb is handed it. Throws exit 2 for one that is not taken. */
export function readValue(
  { parse, choices, isSeparated }: Pick<Option, 'parse' | 'choices' | 'isSeparated'>,
  text: string,
  what: string,
): unknown {
  if (parse !== undefined) return parse(text, what)
  if (choices === undefined) return text
  return isSeparated === true
    ? parseChoices(text, what, choices)
    : parseChoice(text, what, choices)
}

/** `--dry-run` of `dryRun`. */
export function longFlag(
  key: string,
  { isNegated = false }: Pick<Option, 'isNegated'>,
): string {
  return `--${isNegated ? 'no-' : ''}${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

/** An option in the words of the help, with its variables, what holds without it, and whether it can be given again. */
export function optionText({
  summary,
  default: without,
  environment = [],
  isRepeatable = false,
}: Option): string {
  const facts = [
    environment.join(', '),
    without === undefined ? '' : `default: ${without}`,
  ].filter((fact) => fact !== '')
  return `${summary}${facts.length === 0 ? '' : ` (${facts.join('; ')})`}${isRepeatable ? '; repeatable' : ''}`
}

/** `-o, --output <format>`. */
export function flagsOf(key: string, option: Option): string {
  const { short, value } = option
  const long = longFlag(key, option)
  const flags = short === undefined ? long : `-${short}, ${long}`
  return value === undefined ? flags : `${flags} <${value}>`
}

/** The command line as verbs and messages know it. */
export interface TypedLine {
  /** All words behind `svc`, as they were typed. */
  readonly words: readonly string[]
  /** The path of the command, as far as it is known: `lists add-contacts`. */
  readonly path: string
  /** The text of each option that was typed, by its key: the last one of several, `true` of one that takes no value. */
  readonly given: ReadonlyMap<string, string | true>
  /** The options of the verb, once it is known. */
  readonly options: Options
}

/** The text that was typed as the value of an option. */
export function typedText(
  { given }: Pick<TypedLine, 'given'>,
  key: string,
): string | undefined {
  const value = given.get(key)
  return value === true ? undefined : value
}

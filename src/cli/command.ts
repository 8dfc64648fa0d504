/** Commands as data: what a verb takes, does and shows. The tree of commander, help, completion and the help as JSON derive from it. */
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { View } from '../output/result.ts'
import type { Context, RecordOption, Run, RunOptions, Shown } from './verb.ts'

export interface Option {
  /** One letter: `X` of `-X`. */
  readonly short?: string
  /** The word for its value in the help (`n|all`); without it the option takes none. */
  readonly value?: string
  readonly summary: string
  /** What holds without the option, in words. */
  readonly default?: string
  /** Variables that say the same. */
  readonly environment?: readonly string[]
  /** The only values that it takes. */
  readonly choices?: readonly string[]
  /** Values that it is usually given, beside others. */
  readonly suggestions?: readonly string[]
  /** Throws exit 2 for a value that cannot be read. */
  readonly parse?: (text: string) => unknown
  readonly isRequired?: boolean
  readonly isRepeatable?: boolean
  /** Each time it is given counts: `-vv` is 2. */
  readonly isCounted?: boolean
  /** `--no-check`: the key is `check`, true without the option. */
  readonly isNegated?: boolean
  /** The heading in the help, when it is not the usual one. */
  readonly group?: string | undefined
  /** Keys of options that it cannot be used with. */
  readonly conflicts?: readonly string[]
}

export type Options = Readonly<Record<string, Option>>

export interface Argument {
  readonly name: string
  readonly summary: string
  readonly choices?: readonly string[]
  readonly parse?: (text: string) => unknown
  readonly isRequired?: boolean
  readonly isVariadic?: boolean
}

type ValueOf<O> = O extends { readonly isRepeatable: true }
  ? string[]
  : O extends { readonly isNegated: true }
    ? boolean
    : O extends { readonly parse: (text: string) => infer V }
      ? V
      : O extends { readonly value: string }
        ? string
        : true

/** An option that always has a value. */
type Always = { readonly isRepeatable: true } | { readonly isNegated: true } | { readonly isRequired: true }

/** What a verb gets of its options, by their keys. */
export type OptionValues<O> = {
  [K in keyof O as O[K] extends Always ? K : never]: ValueOf<O[K]>
} & { [K in keyof O as O[K] extends Always ? never : K]?: ValueOf<O[K]> }

type ArgumentValue<A> = A extends { readonly isVariadic: true }
  ? string[]
  : | (A extends { readonly parse: (text: string) => infer V } ? V : string)
    | (A extends { readonly isRequired: true } ? never : undefined)

type ArgumentValues<A extends readonly Argument[]> = { -readonly [K in keyof A]: ArgumentValue<A[K]> }

interface Description {
  /** The words behind `svc`: `lists add-contacts`. */
  readonly path: string
  /** One line of help. */
  readonly summary: string
  /** What it does, in sentences; without it the summary is the sentence. */
  readonly description?: string
  /** Words behind the path in the usage, when they are not the usual ones. */
  readonly usage?: string
  /** Text between the options and the examples. */
  readonly notes?: string
  /** Command lines that run as they stand against the sandbox. */
  readonly examples?: readonly string[]
}

interface Facts<A extends readonly Argument[], O extends Options> extends Description, RunOptions {
  readonly arguments?: A
  readonly options?: O
  /** It can remove something for good; that of its operation, when it has one. */
  readonly isDestructive?: boolean
  /** The same command again does no harm, whatever became of the first; that of its operation, when it has one. */
  readonly isIdempotent?: boolean
}

/** What an action is called with behind the context. */
type Taken<A extends readonly Argument[], O extends Options> = [
  ...ArgumentValues<A>,
  OptionValues<O>,
  CommandUnknownOpts,
]

interface Definition<A extends readonly Argument[], O extends Options, T>
  extends Facts<A, O>, RecordOption<Taken<A, O>> {
  readonly shows: View<T>
  readonly run: (context: Context, ...args: Taken<A, O>) => Promise<Shown<T>> | Shown<T>
}

/** A verb, or a noun that is one. */
export interface Command extends Facts<readonly Argument[], Options> {
  readonly shows: View<never>
  /** What the parser calls with arguments, options and itself. */
  attach(run: Run): { call(...args: unknown[]): Promise<void> }
}

/** A noun with its verbs by name, in the order of the help. A verb is loaded when its name is typed. */
export interface Noun extends Description {
  readonly commands: Readonly<Record<string, () => Promise<Command>>>
}

export function defineCommand<
  const A extends readonly Argument[] = readonly [],
  const O extends Options = Record<string, never>,
  T = never,
>(definition: Definition<A, O, T>): Command {
  const { shows, run: action, isRecord, ...facts } = definition
  const options = isRecord === undefined ? facts : { ...facts, isRecord }
  return { ...facts, shows, attach: (run) => ({ call: run(shows, action, options) }) }
}

/** The heading of options that few people need: shown by `--help --all`, and in the reference. */
export const advanced = 'Advanced:'

/** Options that several commands take. */
export function defineOptions<const O extends Options>(options: O): O {
  return options
}

/** The last word of a path. */
export function nameOf({ path }: Pick<Description, 'path'>): string {
  return path.slice(path.lastIndexOf(' ') + 1)
}

/** `--dry-run` of `dryRun`. */
export function longFlag(key: string, { isNegated = false }: Option): string {
  return `--${isNegated ? 'no-' : ''}${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

/** An option in the words of the help, with its variables, what holds without it, and whether it can be given again. */
export function optionText({ summary, default: without, environment = [], isRepeatable = false }: Option): string {
  const facts = [environment.join(', '), without === undefined ? '' : `default: ${without}`].filter(
    (fact) => fact !== '',
  )
  return `${summary}${facts.length === 0 ? '' : ` (${facts.join('; ')})`}${isRepeatable ? '; repeatable' : ''}`
}

/**
 * A verb as data: what it takes, does and shows. Parsing, help, completion and the help as JSON derive from
 * it.
 */
import type { View, OutcomeRow, Output, RunOutput } from '../output/result.ts'
import type { ValueKind } from '../values.ts'
import type { Context } from './context.ts'
import type { OperationName } from '../api/operations.ts'
import type { Options, OptionValues, TypedValue } from '../options.ts'

export interface Argument {
  readonly name: string
  /** The kind of its value. */
  readonly takes?: ValueKind
  readonly summary: string
  readonly choices?: readonly string[]
  readonly parse?: (text: string, what: string) => unknown
  readonly isRequired?: boolean
  readonly isVariadic?: boolean
}

type ArgumentValue<A> = A extends { readonly isVariadic: true }
  ? string[]
  : TypedValue<A> | (A extends { readonly isRequired: true } ? never : undefined)

type ArgumentValues<A extends readonly Argument[]> = {
  -readonly [K in keyof A]: ArgumentValue<A[K]>
}

/** A verb without its place in the table: its help, and its effect on the service and on svc's files. */
interface VerbFacts<A extends readonly Argument[], O extends Options> {
  /** The verb in sentences; without it the summary is the sentence. */
  readonly description?: string
  /** Words after the path in the usage, if they are not the usual ones. */
  readonly usage?: string
  /** Text between the options and the examples. */
  readonly notes?: string
  /** Command lines that run in the sandbox exactly as written. */
  readonly examples?: readonly string[]
  readonly arguments?: A
  readonly options?: O
  readonly effect: VerbEffect
  /** Runs even with a broken configuration, with built-in settings: for verbs that help to fix it. */
  readonly lenient?: boolean
  /** Cuts nothing in a table, because its values (paths) are useless when they are cut. */
  readonly whole?: boolean
  /** Prints only text of our own: it reads no settings, and has no other format except possibly its own JSON. */
  readonly plain?: true | 'json'
  /** View with `--file`, where it takes one thing or a file of them. */
  readonly bulkShows?: View<OutcomeRow>
}

interface Definition<A extends readonly Argument[], O extends Options, T> extends VerbFacts<
  A,
  O
> {
  readonly shows: View<T>
  run(
    context: Context,
    args: ArgumentValues<A>,
    options: OptionValues<O>,
  ): Promise<VerbResult<T>> | VerbResult<T>
}

/** A verb as the program knows it, which calls it with the values of a command line. */
export interface Verb extends VerbFacts<readonly Argument[], Options> {
  readonly shows: View<never>
  /** Rows for its view, as `defineVerb` checks. */
  run(context: Context, args: never, options: never): unknown
}

/** Infers the types of the values that `run` is called with. */
export function defineVerb<
  const A extends readonly Argument[] = readonly [],
  const O extends Options = Record<string, never>,
  T = never,
>(definition: Definition<A, O, T>): Verb {
  return definition
}

/**
 * Effect of a verb on the service or on the files of svc: `local` changes this machine; `from input` sends what a plan or a recorded run
 * says; `from method` reads with GET, and sends anything else.
 */
type VerbEffect = 'reads' | 'local' | OperationName | 'from input' | 'from method'

/** Result of a verb: data for its view, or a bulk run. */
type VerbResult<T> = Output<T> | RunOutput

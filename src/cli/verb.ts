/** A verb as data: what it takes, what it does, and how its rows are shown. Parsing, help and completion derive from it. */
import type { OperationName } from '../api/operations.ts'
import type { Option, Options, OptionValues, TypedValue } from '../options.ts'
import type { Format, Columns, ColumnValue, Output } from '../output/result.ts'
import type { Context } from './context.ts'

/** An argument of a verb. Its text is read like the value of an option. */
export interface Argument extends Pick<
  Option,
  'takes' | 'summary' | 'choices' | 'parse' | 'isRequired'
> {
  name: string
  isVariadic?: boolean
}

type ArgumentValue<A> = A extends { isVariadic: true }
  ? string[]
  : TypedValue<A> | (A extends { isRequired: true } ? never : undefined)

type ArgumentValues<A extends readonly Argument[]> = {
  -readonly [K in keyof A]: ArgumentValue<A[K]>
}

/** A verb with the types of its arguments, its options and its rows. */
interface VerbDefinition<A extends readonly Argument[], O extends Options, Row> {
  /** What the verb does, in sentences. Without it, the help uses the summary. */
  description?: string
  /** The words after the path in the usage, if they are not the usual ones. */
  usage?: string
  /** Text between the options and the examples of the help. */
  notes?: string
  /** Command lines that run in the sandbox exactly as written. */
  examples?: readonly string[]
  arguments?: A
  options?: O
  /**
   * What the verb changes: nothing (`reads`), files of this machine (`local`), or the service by an operation. `from input`
   * sends what a recorded run says. `from method` reads with GET, and can change anything with another method.
   */
  effect: 'reads' | 'local' | OperationName | 'from input' | 'from method'
  /** The verb helps to fix the configuration, so it runs with default settings if the configuration is broken. */
  worksWithoutConfiguration?: true
  /** The verb prints only text that svc wrote, so it reads no settings and has one format. */
  printsOwnText?: true
  /** The only formats of the verb. Without it, the formats follow from `ids` and `isConversation`. */
  formats?: readonly Format[]
  /** Its rows are messages, so it also has the formats transcript (its default) and html. */
  isConversation?: true
  /** How a table shows a row. */
  columns?: Columns<Row>
  /** What `-o ids` prints of a row. Without it, the verb does not have this format. */
  ids?: ColumnValue<Row>
  run(
    context: Context,
    args: ArgumentValues<A>,
    options: OptionValues<O>,
  ): Promise<Output<Row>> | Output<Row>
}

/** A verb without these types, which `defineVerb` has checked. */
export interface Verb extends Omit<
  VerbDefinition<readonly Argument[], Options, never>,
  'run'
> {
  run(context: Context, args: never, options: never): unknown
}

/** Whether a verb changes neither the service nor the files of svc. */
export function isRead({ effect }: Pick<Verb, 'effect'>) {
  return effect === 'reads' || effect === 'from method'
}

/** Infers the types of the values that `run` gets, and checks that its rows fit the columns. */
export function defineVerb<
  const A extends readonly Argument[] = readonly [],
  const O extends Options = Record<string, never>,
  Row = never,
>(definition: VerbDefinition<A, O, Row>): Verb {
  return definition
}

export interface CommandRow {
  /** Another name that people type in place of the last word. */
  alias?: string
  /** One line of the help. */
  summary: string
}

/** The nouns and verbs of svc, in the order of the help. */
export interface CommandTable {
  /** A noun groups verbs and does nothing itself. */
  nouns: Record<string, CommandRow & { description?: string; examples: readonly string[] }>
  /** The verbs by the words after `svc`: `lists list`. */
  verbs: Record<string, CommandRow & { load: () => Promise<{ verb: Verb }> }>
}

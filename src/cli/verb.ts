/**
 * A verb as data: what it takes, does and shows. Parsing, help and completion derive from it. Also its row
 * in the table of commands, and its view, whose JSON has a schema of `schemas.ts`.
 */
import type { Format } from '../output/format.ts'
import type { Columns, ColumnValue, Output } from '../output/result.ts'
import type { Context } from './context.ts'
import type { OperationName } from '../api/operations.ts'
import type { Option, Options, OptionValues, TypedValue } from '../options.ts'

/** An argument. Its value is read as that of an option is. */
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

/** A verb without its place in the table. */
interface Definition<A extends readonly Argument[], O extends Options, T> {
  /** The verb in sentences; without it the summary is the sentence. */
  description?: string
  /** Words after the path in the usage, if they are not the usual ones. */
  usage?: string
  /** Text between the options and the examples. */
  notes?: string
  /** Command lines that run in the sandbox exactly as written. */
  examples?: readonly string[]
  arguments?: A
  options?: O
  /**
   * Its effect on the service or on the files of svc: `local` changes this machine; `from input` sends what a recorded run
   * says; `from method` reads with GET, and sends anything else.
   */
  effect: 'reads' | 'local' | OperationName | 'from input' | 'from method'
  /** Runs even with a broken configuration, with built-in settings: for verbs that help to fix it. */
  lenient?: boolean
  /** Prints only text of our own: it reads no settings, and has no other format. */
  plain?: true
  /** The only formats, for output that is not rows. */
  formats?: readonly Format[]
  /** Whether its rows are the messages of a conversation, which also have the formats transcript (the usual one) and html. */
  isConversation?: true
  /** How a row is shown in tables. */
  columns?: Columns<T>
  /** The value that `-o ids` prints of a row; without it there is no such format. */
  ids?: ColumnValue<T>
  run(
    context: Context,
    args: ArgumentValues<A>,
    options: OptionValues<O>,
  ): Promise<Output<T>> | Output<T>
}

/** A verb as the program knows it, which calls it with the values of a command line. */
export interface Verb extends Omit<Definition<readonly Argument[], Options, never>, 'run'> {
  // The types are erased here: `defineVerb` has checked them.
  run(context: Context, args: never, options: never): unknown
}

/** Whether a verb changes neither the service nor files of svc. */
export function isRead({ effect }: Pick<Verb, 'effect'>) {
  return effect === 'reads' || effect === 'from method'
}

/** Infers the types of the values that `run` is called with. */
export function defineVerb<
  const A extends readonly Argument[] = readonly [],
  const O extends Options = Record<string, never>,
  T = never,
>(definition: Definition<A, O, T>): Verb {
  return definition
}

interface CommandRow {
  /** One line of help. */
  summary: string
}

/** The table of commands, in the order of the help. */
export interface Commands {
  /** A noun groups verbs and does nothing itself. */
  nouns: Record<string, CommandRow & { description?: string; examples: readonly string[] }>
  /** By the words after `svc`: `lists list`. */
  verbs: Record<string, CommandRow & { load: () => Promise<{ verb: Verb }> }>
}

/** The nouns and verbs that can follow a path, by their names. */
export function namesBelow(
  { nouns, verbs }: Commands,
  path: string,
): [name: string, row: CommandRow][] {
  const rows: Readonly<Record<string, CommandRow>> = { ...nouns, ...verbs }
  return Object.entries(rows).flatMap(([words, row]): [string, CommandRow][] => {
    const end = words.lastIndexOf(' ')
    const above = words.slice(0, Math.max(0, end))
    return above === path ? [[words.slice(end + 1), row]] : []
  })
}

/**
 * Commands as data: what a verb takes, does and shows. Parsing, help, completion and the help as JSON derive from it. Every file of
 * `commands` calls `defineCommand` or `defineNoun`; `program/tree.ts` reads what these return.
 */
import type { View, BulkOutput, OutcomeRow, Output } from '../output/result.ts'
import type { ValueKind } from '../values.ts'
import type { Options, OptionValues } from './option.ts'
import type { Context } from './context.ts'
import type { GenericSchema } from 'valibot'
import type { OperationName } from '../api/operations.ts'
import type * as schemas from './schemas.ts'

export interface Argument {
  readonly name: string
  /** Kind of its value, where there is one. */
  readonly takes?: ValueKind
  readonly summary: string
  readonly choices?: readonly string[]
  readonly parse?: (text: string) => unknown
  readonly isRequired?: boolean
  readonly isVariadic?: boolean
}

type ArgumentValue<A> = A extends { readonly isVariadic: true }
  ? string[]
  : | (A extends { readonly parse: (text: string) => infer V } ? V : string)
    | (A extends { readonly isRequired: true } ? never : undefined)

type ArgumentValues<A extends readonly Argument[]> = {
  -readonly [K in keyof A]: ArgumentValue<A[K]>
}

interface Description {
  /** The words behind `svc`: `lists add-contacts`. */
  readonly path: string
  /** One line of help. */
  readonly summary: string
  /** The command in sentences; without it the summary is the sentence. */
  readonly description?: string
  /** Words behind the path in the usage, when they are not the usual ones. */
  readonly usage?: string
  /** Text between the options and the examples. */
  readonly notes?: string
  /** Command lines that run as they stand against the sandbox. */
  readonly examples?: readonly string[]
}

interface Facts<A extends readonly Argument[], O extends Options> extends Description, VerbOptions {
  readonly arguments?: A
  readonly options?: O
  /** It can remove something for good; that of its operation, when it has one. */
  readonly isDestructive?: boolean
  /** The same command again does no harm, whatever became of the first; that of its operation, when it has one. */
  readonly isIdempotent?: boolean
}

/** Parameters of an action behind the context. */
type Taken<A extends readonly Argument[], O extends Options> = [
  ...ArgumentValues<A>,
  OptionValues<O>,
]

interface Definition<A extends readonly Argument[], O extends Options, T>
  extends Facts<A, O>, OneOption<Taken<A, O>> {
  readonly shows: View<T>
  readonly run: (context: Context, ...args: Taken<A, O>) => Promise<Shown<T>> | Shown<T>
}

/** A verb, or a noun that is one. */
export interface Command extends Facts<readonly Argument[], Options> {
  readonly kind: 'verb'
  readonly shows: View<never>
  /** The action as it is called with arguments and options. */
  attach(run: Invoke): { call(...args: unknown[]): Promise<void> }
}

/** A noun with its verbs by name, in the order of the help. A verb is loaded when its name is typed. */
export interface Noun extends Description {
  readonly kind: 'noun'
  readonly commands: Readonly<Record<string, () => Promise<Command>>>
}

export function defineCommand<
  const A extends readonly Argument[] = readonly [],
  const O extends Options = Record<string, never>,
  T = never,
>(definition: Definition<A, O, T>): Command {
  const { shows, run: action, isOne, ...facts } = definition
  const options = isOne === undefined ? facts : { ...facts, isOne }
  return { kind: 'verb', ...facts, shows, attach: (run) => ({ call: run(shows, action, options) }) }
}

/** The last word of a path. */
export function nameOf({ path }: Pick<Description, 'path'>): string {
  return path.slice(path.lastIndexOf(' ') + 1)
}

/**
 * Effect of a command on the service or on the files of svc: `local` changes this machine; `from input` sends what a plan or a recorded run
 * says; `from method` reads with GET, and sends anything else.
 */
type Effect = 'reads' | 'local' | OperationName | 'from input' | 'from method'

export interface VerbOptions {
  readonly effect: Effect
  /** Runs although the configuration is broken, with what is built in: for commands that help to fix it. */
  readonly lenient?: boolean
  /** Cuts nothing in a table: paths, which are useless when they are cut. */
  readonly whole?: boolean
  /** Prints text of ours alone: no settings are read, and there is no other format, or its own JSON beside it. */
  readonly plain?: true | 'json'
  /** View with `--file`, where it takes one thing or a file of them. */
  readonly bulkShows?: View<OutcomeRow>
}

interface OneOption<A extends unknown[]> {
  /** Whether this command line prints one thing, whole or not at all; as the view's schema says when absent. */
  readonly isOne?: (...args: A) => boolean
}

/** Result of an action: data for its view, or a bulk run. */
type Shown<T> = Output<T> | BulkOutput<OutcomeRow>

/** Turns an action into what is called with the values of a command line. The view says what the verb shows, before anything is sent. */
export type Invoke = <A extends unknown[], T>(
  view: View<T>,
  action: (context: Context, ...args: A) => Promise<Shown<T>> | Shown<T>,
  options: VerbOptions & OneOption<A>,
) => (...args: A) => Promise<void>

/** Schema of `--json`, by its name in `schemas.ts`, which is loaded when it is asked for. */
export function schemaOf(name: keyof typeof schemas): () => Promise<GenericSchema> {
  return async () => (await import('./schemas.ts'))[name]
}

/** The words behind `svc`, in the order of its help, each in one line: what `svc --help` shows without loading any of them. */
export const summaries = {
  lists: 'contact lists and who is in them',
  contacts: 'list, find, merge and delete contacts',
  tickets: 'tickets, their history and assignee',
  employees: "the company's employees, human and AI",
  runs: 'recorded bulk runs: show, resume, retry, undo, check, prune',
  plans: 'plans of bulk commands: show, approve, apply',
  ids: 'id files: check, clean and combine them',
  profiles: 'saved connections to the service',
  whoami: 'show the profile, host and key in use, and check them',
  doctor: 'check everything that svc needs, and say how to fix what is wrong',
  help: 'help on a command; also svc help options, svc help topics',
  api: 'send any signed request below /v1/',
  completion: 'print a completion script for a shell',
  sandbox: 'try svc against a copy of the service on this machine',
} as const

/** Commands as data: what a verb takes, does and shows. Parsing, help, completion and the help as JSON derive from it. */
import type { View } from '../output/result.ts'
import type { ValueKind } from '../values.ts'
import type { Options, OptionValues } from './option.ts'
import type { Context, OneOption, Invoke, VerbOptions, Shown } from './verb.ts'

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
  readonly shows: View<never>
  /** The action as it is called with arguments and options. */
  attach(run: Invoke): { call(...args: unknown[]): Promise<void> }
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
  const { shows, run: action, isOne, ...facts } = definition
  const options = isOne === undefined ? facts : { ...facts, isOne }
  return { ...facts, shows, attach: (run) => ({ call: run(shows, action, options) }) }
}

/** The last word of a path. */
export function nameOf({ path }: Pick<Description, 'path'>): string {
  return path.slice(path.lastIndexOf(' ') + 1)
}

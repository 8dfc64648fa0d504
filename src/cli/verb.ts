/**
 * A verb as data: what it takes, what it does, and how its rows are shown. Parsing, help and completion derive from it. At the end
 * are the options of every command, and those that verbs of any noun take.
 */
import { parseCountry, parseTimeout, parseWait, usualSettings } from '../config/settings.ts'
import {
  type Option,
  type Options,
  type OptionValues,
  type TypedValue,
  defineOptions,
} from './options.ts'
import {
  type Format,
  type Columns,
  type ColumnValue,
  type Output,
  formats,
  number,
  text,
} from '../output/result.ts'
import { formatDuration, parseLimit } from '../values.ts'
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
  /** One line of the help. */
  summary: string
  /** Sentences about the verb. Without them, the help uses the summary. */
  description?: string
  /** The text after the command in the usage. Without it, the usage has the arguments and `[options]`. */
  usage?: string
  /** Text between the options and the examples of the help. */
  notes?: string
  /** Command lines that run in the sandbox exactly as written. */
  examples?: readonly string[]
  arguments?: A
  options?: O
  /** It changes nothing on the service, and no file of a person. So it can have `--out`, and its reader may go away. */
  isRead?: true
  /** The only formats of the verb. Without it, the formats follow from `ids` and `isConversation`. */
  formats?: readonly Format[]
  /** Its rows are messages, so it also has the formats transcript (its default) and html. */
  isConversation?: true
  /** How a table shows a row. */
  columns?: Columns<Row>
  /** The columns of csv and xlsx, if they are others. */
  fileColumns?: Columns<Row>
  /** The id of a row, for `-o ids`. Without it, the verb does not have this format. */
  ids?: ColumnValue<Row>
  act(
    context: Context,
    args: ArgumentValues<A>,
    options: OptionValues<O>,
  ): Promise<Output<Row>> | Output<Row>
}

/** A verb without these types, which `defineVerb` has checked. */
export interface Verb extends Omit<
  VerbDefinition<readonly Argument[], Options, never>,
  'act'
> {
  act(context: Context, args: never, options: never): unknown
}

/** Infers the types of the values that `act` gets, and checks that its rows fit the columns. */
export function defineVerb<
  const A extends readonly Argument[] = readonly [],
  const O extends Options = Record<string, never>,
  Row = never,
>(definition: VerbDefinition<A, O, Row>): Verb {
  return definition
}

/** How verbs of runs show counts of outcomes, if they have no columns of their own. */
export const summaryColumns: Columns<object> = {
  OUTCOME: text('outcome'),
  COUNT: number('count'),
  MEANING: text('meaning'),
}

/** The topics of `svc help <topic>`, in the order in which they are listed. */
export const topicNames = [
  'id-files',
  'bulk',
  'spreadsheets',
  'configuration',
  'scripting',
  'exit-codes',
] as const

/** The options of every command, in the order of the help. */
export const globalOptions = defineOptions({
  profile: {
    short: 'p',
    value: 'name',
    takes: 'profile',
    environment: ['SVC_PROFILE'],
    summary: 'which profile',
    default: 'the current one',
  },
  output: {
    short: 'o',
    value: 'format',
    choices: formats,
    summary: formats.join(', '),
    default: 'table',
  },
  json: { summary: 'the same as -o json', conflicts: ['output'] },
  out: {
    value: 'file',
    takes: 'file',
    summary: 'write the output of a read to this file; its extension sets the format',
  },
  fields: { value: 'a,b', summary: 'choose columns by heading, and their order' },
  quiet: { short: 'q', summary: 'show only errors on stderr', conflicts: ['verbose'] },
  verbose: { short: 'v', summary: 'show each request' },
  yes: { short: 'y', summary: 'answer yes to every confirmation' },
  // commander has it as `input`, which is then false.
  noInput: {
    environment: ['SVC_NO_INPUT'],
    summary: 'never ask; exit 2 instead',
  },
  timeout: {
    value: 'duration',
    parse: parseTimeout,
    environment: ['SVC_TIMEOUT'],
    summary: 'the time limit of one attempt',
    default: formatDuration(usualSettings.timeout),
  },
  wait: {
    value: 'duration',
    parse: parseWait,
    environment: ['SVC_WAIT'],
    summary: 'how long a request that failed temporarily is retried',
    default: formatDuration(usualSettings.wait),
  },
  help: { short: 'h', summary: 'print the help of a command' },
})

/** The option of verbs that list rows. */
export const limitOption = defineOptions({
  limit: {
    parse: parseLimit,
    value: 'n|all',
    summary: 'the maximum number of rows',
    default: '50 for table, all for other formats',
  },
})

/** The option of verbs that read phone numbers. */
export const countryOption = defineOptions({
  country: {
    value: 'CC',
    parse: parseCountry,
    environment: ['SVC_COUNTRY'],
    summary: 'country of numbers without + or 00, such as DE',
  },
})

/** The option of the first moment of what is shown. `rows` says in the help what that is. */
export function sinceOption(rows: string) {
  return defineOptions({
    since: {
      value: 'time',
      summary: `only ${rows} from this time on: 2026-03-01, 2026-03-01T10:00:00Z, 2d, today or yesterday (local midnight)`,
    },
  })
}

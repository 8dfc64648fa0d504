/** Options that several commands take: those of the program, of verbs that list rows, and of verbs that read numbers. */
import { parseCountry, parseTimeout, parseWait } from '../config/settings.ts'
import { usageError } from '../errors.ts'
import { defineOptions, type OptionValues } from '../options.ts'
import { formats } from '../output/result.ts'
import { parseLimit, parseTime } from '../values.ts'

/** The options of the program, which every command takes, in the order of the help. */
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
    environment: ['SVC_OUTPUT'],
    summary: formats.join(', '),
    default: 'table',
  },
  json: { summary: 'the same as -o json' },
  out: {
    value: 'file',
    takes: 'file',
    summary: 'write the output of a read to this file; its extension sets the format',
  },
  fields: { value: 'a,b.c', summary: 'choose columns and their order' },
  quiet: { short: 'q', summary: 'show only errors on stderr', conflicts: ['verbose'] },
  verbose: { short: 'v', summary: 'show each request' },
  yes: { short: 'y', summary: 'answer yes to every confirmation' },
  input: {
    isNegated: true,
    environment: ['SVC_NO_INPUT'],
    summary: 'never ask; exit 2 instead',
  },
  timeout: {
    value: 'duration',
    parse: parseTimeout,
    environment: ['SVC_TIMEOUT'],
    summary: 'the time limit of one attempt',
    default: '30s',
  },
  wait: {
    value: 'duration',
    parse: parseWait,
    environment: ['SVC_WAIT'],
    summary: 'how long a request that failed temporarily is retried',
    default: '30s',
  },
})

/** The typed options of the program. */
export type GlobalOptions = Partial<OptionValues<typeof globalOptions>>

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

/** The options of a span of time. `rows` says in the help what is chosen. */
export function spanOptions(rows: string) {
  return defineOptions({
    since: {
      value: 'time|age',
      summary: `only ${rows} from this time on: 2026-03-01, 2026-03-01T10:00:00Z, 2d, 1w, today or yesterday (local midnight)`,
    },
    until: { value: 'time|age', summary: `only ${rows} before this time` },
  })
}

/** A span of time, in milliseconds since 1970. Without a typed end, it is open there. */
export interface TimeSpan {
  /** The first moment of the span. */
  since: number
  /** The first moment after the span. */
  until: number
}

/** Reads a span of time. Throws a usage error for a text that is no time, and for a span that ends before it begins. */
export function parseSpan(
  typed: OptionValues<ReturnType<typeof spanOptions>>,
  now: number,
): TimeSpan {
  const { since: sinceText, until: untilText } = typed
  const since = sinceText === undefined ? -Infinity : parseTime(sinceText, now, '--since')
  const until = untilText === undefined ? Infinity : parseTime(untilText, now, '--until')
  if (since >= until) throw usageError('--since must be before --until')
  return { since, until }
}

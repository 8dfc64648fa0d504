/** Options that many commands take: those of the program, which belong to every command, and those of verbs that list rows. */
import { parseCountry, parseTimeout, parseWait } from '../config/settings.ts'
import { usageError } from '../errors.ts'
import { defineOptions, type OptionValues } from '../options.ts'
import { formats } from '../output/format.ts'
import { parseLimit, parseTime } from '../values.ts'

/** In the order of the help. */
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
    // A dash is stdout.
    parse: (text) => (text === '-' ? undefined : text),
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
    summary: 'of one attempt',
    default: '30s',
  },
  wait: {
    value: 'duration',
    parse: parseWait,
    environment: ['SVC_WAIT'],
    summary: 'how long a request that failed for now is tried again',
    default: '30s',
  },
})

/** Their values on a command line. */
export type GlobalOptions = Partial<OptionValues<typeof globalOptions>>

/** The option of every command that lists. */
export const limitOption = defineOptions({
  limit: {
    parse: parseLimit,
    suggestions: ['all'],
    value: 'n|all',
    summary: 'the maximum number of rows',
    default: '50 for table, all for other formats',
  },
})

/** The option of commands that read phone numbers. */
export const countryOption = defineOptions({
  country: {
    value: 'CC',
    parse: parseCountry,
    environment: ['SVC_COUNTRY'],
    summary: 'country of numbers without + or 00, such as DE',
  },
})

/** Milliseconds since 1970, inclusive and exclusive. */
export interface TimeSpan {
  since: number | undefined
  until: number | undefined
}

/** `what`: the rows that are chosen, in words. */
export function spanOptions(what: string) {
  return defineOptions({
    since: {
      value: 'time|age',
      summary: `only ${what} from this time on: 2026-03-01, 2026-03-01T10:00:00Z, 2d, 1w, today or yesterday (local midnight)`,
    },
    until: { value: 'time|age', summary: `only ${what} before this time` },
  })
}

/** Throws exit 2 for what is not a time, and for a span that ends before it begins. */
export function parseSpan(
  typed: { readonly [option in keyof TimeSpan]?: string | undefined },
  now: number,
): TimeSpan {
  const time = (option: keyof TimeSpan): number | undefined =>
    typed[option] === undefined ? undefined : parseTime(typed[option], now, `--${option}`)
  const since = time('since')
  const until = time('until')
  if (since !== undefined && until !== undefined && since >= until)
    throw usageError('--since must be before --until')
  return { since, until }
}

/**
 * Options that many commands take. The global ones, most of which are settings, belong to every command;
 * verbs that list rows add the others.
 */
import { usageError } from '../errors.ts'
import { parseTime } from '../values.ts'
import { optionOf, globalNames } from '../config/table.ts'
import type { TypedSettings } from '../config/settings.ts'
import { defineOptions, grouped, type Options, type OptionValues } from '../options.ts'

const noSettings = defineOptions({
  ...grouped('Output:', {
    json: { summary: 'the same as -o json' },
    out: {
      value: 'file',
      takes: 'file',
      summary: 'write the output of a read to this file; its extension sets the format',
    },
    replaceOut: { summary: 'let --out replace an existing file' },
    fields: { value: 'a,b.c', summary: 'choose fields and their order' },
  }),
  ...grouped('Messages:', {
    quiet: { short: 'q', summary: 'show only errors on stderr', conflicts: ['verbose'] },
    verbose: {
      short: 'v',
      summary: 'show each request; -vv: headers and bodies too',
      isCounted: true,
    },
  }),
  ...grouped('Confirmations:', {
    yes: { short: 'y', summary: 'answer yes to every confirmation' },
  }),
})

/** In the order of the help, which groups them by their headings. */
export const globalOptions: Options = {
  ...Object.fromEntries(globalNames.map((key) => [key, optionOf(key)])),
  ...noSettings,
}

/** Their values on a command line; `input` and `errorFormat` also what the environment says for good. */
export type GlobalOptions = Partial<OptionValues<typeof noSettings>> & TypedSettings

/** The option of every command that lists. */
export const limitOption = defineOptions({ limit: optionOf('limit') })

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

type Typed = { readonly [option in keyof TimeSpan]?: string | undefined }

/** Throws exit 2 for what is not a time, and for a span that ends before it begins. */
export function parseSpan(typed: Typed, now: number): TimeSpan {
  const time = (option: keyof TimeSpan): number | undefined =>
    typed[option] === undefined ? undefined : parseTime(typed[option], now, `--${option}`)
  const since = time('since')
  const until = time('until')
  if (since !== undefined && until !== undefined && since >= until)
    throw usageError('--since must be before --until')
  return { since, until }
}

/** The options that every command takes: settings with a heading, and those that are none. */
import { headings, optionOf, globalNames } from '../config/table.ts'
import type { TypedSettings } from '../config/settings.ts'
import { defineOptions, type Options, type OptionValues } from './option.ts'

const { output, messages, confirmations } = headings

const noSettings = defineOptions({
  json: { summary: 'the same as -o json', group: output },
  out: {
    value: 'file',
    takes: 'file',
    summary: 'write the output of a read to this file, whole, in the format of its extension',
    group: output,
  },
  replaceOut: { summary: 'let --out replace an existing file', group: output },
  fields: {
    value: 'a,b.c',
    takes: 'fields',
    summary: 'choose fields and their order',
    group: output,
  },
  header: { summary: 'no headings in table, csv, tsv and xlsx', isNegated: true, group: output },
  csvRaw: { summary: 'csv without protection against formulas', group: output },
  truncate: {
    summary: 'whole values in tables; every row of dry runs and questions',
    isNegated: true,
    group: output,
  },
  quiet: { short: 'q', summary: 'show only errors on stderr', group: messages },
  verbose: {
    short: 'v',
    summary: 'show each request; -vv: headers and bodies too',
    group: messages,
    isCounted: true,
  },
  yes: { short: 'y', summary: 'answer yes to every confirmation', group: confirmations },
})

const all: Options = {
  ...Object.fromEntries(globalNames.map((key) => [key, optionOf(key)])),
  ...noSettings,
}

/** In the order of the help. */
export const globalOptions: Options = Object.fromEntries(
  Object.values(headings).flatMap((heading) =>
    Object.entries(all).filter(([, { group }]) => group === heading),
  ),
)

/** Their values on a command line; `input` and `errorFormat` also what the environment says for good. */
export type GlobalOptions = Partial<OptionValues<typeof noSettings>> & TypedSettings

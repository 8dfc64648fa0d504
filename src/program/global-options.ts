/** The options that every command takes, in the order of the help. */
import { defineOptions } from '../cli/command.ts'
import { colors, formats, progresses } from '../config/rules.ts'
import { globalOption } from '../config/table.ts'
import { parseChoice } from '../values.ts'

const errorFormats = ['text', 'json'] as const
const [output, messages, confirmations] = ['Output:', 'Messages:', 'Confirmations:']

/** A setting is parsed with all its sources, so most have no parser here. */
export const rootOptions = defineOptions({
  profile: globalOption('profile'),
  config: globalOption('config'),
  baseUrl: globalOption('baseUrl'),
  stateDir: globalOption('stateDir'),
  output: { ...globalOption('output'), choices: formats, parse: (text: string) => parseChoice(text, '-o', formats) },
  json: { summary: 'the same as -o json', group: output },
  out: {
    value: 'file',
    summary: 'write the output of a read to this file, whole, in the format of its extension',
    group: output,
  },
  replaceOut: { summary: 'let --out replace an existing file', group: output },
  fields: { value: 'a,b.c', summary: 'choose fields and their order', group: output },
  header: { summary: 'no headings in table, csv, tsv and xlsx', isNegated: true, group: output },
  csvRaw: { summary: 'csv without protection against formulas', group: output },
  truncate: { summary: 'whole values in tables', isNegated: true, group: output },
  utc: globalOption('utc'),
  color: { ...globalOption('color'), choices: colors },
  progress: { ...globalOption('progress'), choices: progresses },
  quiet: { short: 'q', summary: 'show only errors on stderr', group: messages },
  verbose: { short: 'v', summary: 'show each request; -vv: headers and bodies too', group: messages, isCounted: true },
  errorFormat: {
    ...globalOption('errorFormat'),
    choices: errorFormats,
    parse: (text: string) => parseChoice(text, '--error-format', errorFormats),
  },
  timeout: globalOption('timeout'),
  retries: globalOption('retries'),
  maxRetryWait: globalOption('maxRetryWait'),
  country: globalOption('country'),
  yes: { short: 'y', summary: 'answer yes to every confirmation', group: confirmations },
  input: globalOption('input'),
})

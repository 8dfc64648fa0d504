/** What the global options say by themselves, before any setting is read. */
import type { GlobalOptions } from '../config/settings.ts'
import { usageError } from '../errors.ts'
import type { Format, PrintOptions } from '../output/result.ts'
import type { Messages } from '../output/stderr.ts'

/** What options say of messages, which holds while settings are read. Throws exit 2 for a contradiction. */
export function applyOptions(messages: Messages, options: GlobalOptions): void {
  messages.quiet = options.quiet === true
  messages.jsonRaw = options.jsonRaw === true
  messages.verbose = options.verbose ?? 0
  if (messages.quiet && messages.verbose > 0) throw usageError('-q and -v contradict each other')
}

export const plainPrint: PrintOptions = {
  format: 'table',
  fields: undefined,
  shown: [],
  rowLimit: Infinity,
  order: undefined,
  header: true,
  csvRaw: false,
  jsonRaw: false,
  truncate: false,
  utc: false,
  color: 0,
  width: undefined,
  now: 0,
}

/** For commands that print text of ours and nothing else; `json` when they have a JSON form of it. */
export function plainOptions(options: GlobalOptions, form: true | 'json'): PrintOptions {
  const asked = askedFormat(options)
  if (asked !== undefined && asked !== 'table' && asked !== form)
    throw usageError(`this command has no format "${asked}"`, 'it prints plain text')
  return plainPrint
}

/** The format that was typed. Throws exit 2 when two were. */
export function askedFormat(options: GlobalOptions): Format | undefined {
  const output = options.output as Format | undefined
  if (options.json !== true) return output
  if (output !== undefined && output !== 'json') throw usageError(`--json and -o ${output} contradict each other`)
  return 'json'
}

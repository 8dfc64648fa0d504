/** Decides from options and settings what stdout looks like. */
import type { Settings } from '../config/settings.ts'
import { usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import { formatFacts, formats, type Format } from '../output/format.ts'
import { columnsOf } from '../output/columns.ts'
import { plainPrint, type Columns, type PrintOptions } from '../output/result.ts'
import { safe } from '../safe-text.ts'
import { hasColors } from '../world.ts'
import type { GlobalOptions } from '../cli/global-options.ts'
import { isRead, type Verb } from '../cli/verb.ts'

/** For commands that print only our own text (`plain` of a command). */
export function plainOptions(options: TypedPrint): PrintOptions {
  const asked = askedFormat(options)
  if (asked === undefined || asked === 'table') return plainPrint
  throw unsupported(asked, 'it prints plain text')
}

/** Options that decide how rows are printed. */
type TypedPrint = Pick<GlobalOptions, 'output' | 'json' | 'out' | 'fields'> & {
  limit?: number | 'all'
}

/** How to print what a verb returns. Throws exit 2 for a format that it does not have. */
export function printOptions(
  verb: Verb,
  options: TypedPrint,
  settings: Settings,
  host: Host,
): PrintOptions {
  const format = chooseFormat(verb, options, settings)
  const isTerminal = host.isTerminal.stdout && options.out === undefined
  if (isTerminal && format === 'xlsx')
    throw usageError(
      'a workbook cannot be shown on a terminal',
      'send it to a file with --out output.xlsx',
    )
  // A typed limit is for every format and for files; the usual one only for people.
  const isCut = formatFacts[format].isForPeople === true && options.out === undefined
  const { limit = isCut ? 50 : 'all' } = options
  return {
    format,
    fields: fieldsOf(verb, format, options),
    rowLimit: limit === 'all' ? Infinity : limit,
    color: hasColors(host, isTerminal),
    width: isTerminal ? (host.columns() ?? 80) : undefined,
    now: host.now(),
  }
}

/** The columns that what a run prints has. */
const runColumns = Object.fromEntries(
  'outcome count id line at batch attempts code message before after'
    .split(' ')
    .map((field) => [field, field]),
)

/** Throws exit 2 for fields of a format that has none, and for an unknown field of a change, before it is made. */
function fieldsOf(verb: Verb, format: Format, { fields: typed }: TypedPrint) {
  if (typed === undefined) return undefined
  if (formatFacts[format].shows !== 'cells') {
    const isJson = formatFacts[format].shows === 'values'
    throw usageError(
      `--fields cannot be used with -o ${format}`,
      isJson
        ? 'JSON is whole; choose with jq'
        : 'it chooses columns of table, csv and xlsx',
    )
  }
  // `a,,b` and a trailing comma are slips of the hand; a field that was typed twice is shown once.
  const words = typed.split(',').map((word) => word.trim())
  const fields = [...new Set(words)].filter((word) => word !== '')
  if (fields.length === 0) throw usageError('--fields does not name a field')
  if (isRead(verb)) return fields
  const isRun = verb.options?.['receipts'] !== undefined
  const columns: Columns<never> = { ...verb.columns, ...(isRun && runColumns) }
  const unknown = columnsOf(columns, fields).find(({ isMissing }) => isMissing)
  if (unknown === undefined) return fields
  const known = columnsOf(columns, undefined).map(({ field }) => field)
  throw usageError(`unknown field "${safe(unknown.field)}"`, `fields: ${known.join(', ')}`)
}

/** The format of the line, its file, the environment or the verb, in this order. */
function chooseFormat(verb: Verb, options: TypedPrint, settings: Settings): Format {
  const supported = formatsOf(verb)
  const usual = verb.isConversation === true ? 'transcript' : (supported[0] ?? 'table')
  const { output } = settings
  // From the environment, a format is a preference: a command that lacks it uses its own.
  const preferred = output !== undefined && supported.includes(output) ? output : undefined
  const chosen = askedFormat(options) ?? formatOfFile(usual, options) ?? preferred ?? usual
  if (supported.includes(chosen)) return chosen
  throw unsupported(chosen, `it supports: ${supported.join(', ')}`)
}

/** The formats that a verb has, in the order of the help. */
function formatsOf(verb: Verb): readonly Format[] {
  return (
    verb.formats ??
    formats.filter((format) => {
      const { shows } = formatFacts[format]
      if (shows === 'ids') return verb.ids !== undefined
      return shows !== 'conversation' || verb.isConversation === true
    })
  )
}

function askedFormat({ output, json }: TypedPrint): Format | undefined {
  if (json !== true) return output
  if (output === undefined || output === 'json') return 'json'
  throw usageError(`--json and -o ${output} contradict each other`)
}

function unsupported(format: Format, hint: string) {
  return usageError(`this command does not support the format "${format}"`, hint)
}

/** The format that the extension of `--out` names. Throws exit 2 for an unknown extension. */
function formatOfFile(usual: Format, { out }: TypedPrint): Format | undefined {
  if (out === undefined) return undefined
  const extension = /\.([a-z]+)$/i.exec(out)?.[1]?.toLowerCase()
  if (extension === 'txt') return usual
  const format = formats.find((each) => each === extension)
  if (format !== undefined && format !== 'ids' && format !== 'table') return format
  throw usageError(
    `--out "${out}" does not have the extension of a format`,
    'use .json, .ndjson, .csv, .xlsx, .html or .txt, or name the format with -o',
  )
}

/** Decides from options and settings what stdout looks like. */
import type { Settings } from '../config/settings.ts'
import type { GlobalOptions } from './global-options.ts'
import { usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import { hasColors, isAccessible } from '../world.ts'
import { checkFields, formatDefaults, formatsOf } from '../output/fields.ts'
import { formatFacts, type Format } from '../output/format.ts'
import { plainPrint, type PrintOptions, type View } from '../output/result.ts'

/** For commands that print only our own text (`plain` of a command). With `json`, they print a JSON form of it themselves. */
export function plainOptions(options: TypedPrint, plain: 'text' | 'json'): PrintOptions {
  const asked = askedFormat(options)
  if (asked === undefined || asked === 'table' || asked === plain) return plainPrint
  throw unsupported(asked, 'it prints plain text')
}

/** Options that decide how rows are printed. */
export type TypedPrint = Pick<GlobalOptions, 'output' | 'json' | 'out' | 'fields'> & {
  limit?: number | 'all'
}

/** How to print a view. Throws exit 2 for a format or fields that it does not have. */
export async function printOptions<T>(
  view: View<T>,
  options: TypedPrint,
  settings: Settings,
  host: Host,
): Promise<PrintOptions> {
  const format = chooseFormat(view, options, settings)
  const isTerminal = host.isTerminal.stdout && options.out === undefined
  checkFormat(format, options, isTerminal)
  const isLimitTyped = options.limit !== undefined
  // A file is never cut, unless a limit was typed.
  const limit = options.limit ?? (options.out === undefined ? undefined : 'all')
  const fields =
    options.fields === undefined
      ? undefined
      : await checkFields(view, options.fields, format)
  return {
    ...formatDefaults(view, format, fields, limit),
    // The default limit is only for people, but a typed one is for every format.
    ...(isLimitTyped && { rowLimit: typeof limit === 'number' ? limit : Infinity }),
    format,
    fields,
    isLimitTyped,
    isStacked: isAccessible(host.env),
    color: hasColors(host, isTerminal),
    width: isTerminal ? (host.columns() ?? 80) : undefined,
    now: host.now(),
  }
}

/** The format of the line, its file, the environment or the view, in this order. */
function chooseFormat<T>(view: View<T>, options: TypedPrint, settings: Settings): Format {
  const chosen =
    askedFormat(options) ??
    formatOfFile(view, options) ??
    preferredFormat(view, settings) ??
    view.defaultFormat ??
    'table'
  const formats = formatsOf(view)
  if (formats.includes(chosen)) return chosen
  throw unsupported(chosen, `it supports: ${formats.join(', ')}`)
}

function askedFormat({ output, json }: TypedPrint): Format | undefined {
  if (json !== true) return output
  if (output === undefined || output === 'json') return 'json'
  throw usageError(`--json and -o ${output} contradict each other`)
}

function unsupported(format: Format, hint: string) {
  return usageError(`this command does not support the format "${format}"`, hint)
}

/** Throws exit 2 for fields of a format that has none, and for a workbook on a terminal. */
function checkFormat(format: Format, { fields }: TypedPrint, isTerminal: boolean) {
  const { shows, isBinary } = formatFacts[format]
  if (fields !== undefined && shows !== 'cells' && shows !== 'values')
    throw usageError(`--fields cannot be used with -o ${format}`)
  if (isTerminal && isBinary === true)
    throw usageError(
      'a workbook cannot be shown on a terminal',
      'send it to a file with --out output.xlsx',
    )
}

/** The format that the extension of `--out` names. Throws exit 2 for an unknown extension. */
function formatOfFile<T>(
  { message, defaultFormat }: View<T>,
  { out }: TypedPrint,
): Format | undefined {
  if (out === undefined) return undefined
  const ending = /\.(json|ndjson|csv|xlsx|html|txt)$/i.exec(out)?.[1]?.toLowerCase() as
    Format | 'txt' | undefined
  if (ending === 'txt')
    return message === undefined ? (defaultFormat ?? 'table') : 'transcript'
  if (ending !== undefined) return ending
  throw usageError(
    `--out "${out}" does not have the extension of a format`,
    'use .json, .ndjson, .csv, .xlsx, .html or .txt, or name the format with -o',
  )
}

/** The format of the environment is a preference: a command that lacks it uses its own default. */
function preferredFormat<T>(view: View<T>, { output }: Settings): Format | undefined {
  return output !== undefined && formatsOf(view).includes(output) ? output : undefined
}

/** Decides from options and settings what stdout and stderr look like. */
import type { Settings } from '../config/settings.ts'
import type { GlobalOptions } from './global-options.ts'
import { usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import { isAccessible } from '../world.ts'
import { checkFields, formatDefaults, formatsOf } from '../output/fields.ts'
import { formatFacts, writerOf, type Format } from '../output/format.ts'
import { plainPrint, type PrintOptions, type View, type Writers } from '../output/result.ts'

/**
 * For commands that print only our own text (`plain` of a command). `json`: they have a JSON form of it, which they print
 * themselves.
 */
export function plainOptions(options: GlobalOptions, form: true | 'json'): PrintOptions {
  const asked = askedFormat(options)
  if (asked !== undefined && asked !== 'table' && asked !== form)
    throw usageError(
      `this command does not support the format "${asked}"`,
      'it prints plain text',
    )
  return plainPrint
}

function askedFormat(options: GlobalOptions): Format | undefined {
  const { output } = options
  if (options.json !== true) return output
  if (output !== undefined && output !== 'json')
    throw usageError(`--json and -o ${output} contradict each other`)
  return 'json'
}

/** Throws exit 2 for a format or fields that the view does not have. */
export async function printOptions<T>(
  view: View<T>,
  options: GlobalOptions,
  settings: Settings,
  { host, writers }: { host: Host; writers: Writers },
): Promise<PrintOptions> {
  const format = chooseFormat(view, options, settings)
  const { shows, isBinary } = formatFacts[format]
  if (options.fields !== undefined && shows !== 'cells' && shows !== 'values')
    throw usageError(`--fields cannot be used with -o ${format}`)
  const isTerminal = host.isTerminal.stdout && options.out === undefined
  if (isTerminal && isBinary === true)
    throw usageError(
      'a workbook cannot be shown on a terminal',
      'send it to a file with --out output.xlsx',
    )
  if (format === 'xlsx') await writerOf(writers)
  const isLimited = settings.limit.source === '--limit'
  // A file is never cut.
  const limit = options.out === undefined || isLimited ? settings.limit.value : 'all'
  const fields =
    options.fields === undefined
      ? undefined
      : await checkFields(view, options.fields, format)
  return {
    ...formatDefaults(view, format, fields, limit),
    ...(isLimited && { rowLimit: typeof limit === 'number' ? limit : Infinity }),
    format,
    fields,
    header: options.header !== false,
    isLimited,
    truncate: options.truncate !== false,
    isStacked: isAccessible(host.env),
    utc: settings.utc.value,
    color: hasColors(settings.color.value, host.env, isTerminal),
    width: isTerminal ? (host.columns() ?? 80) : undefined,
    now: host.now(),
  }
}

function chooseFormat<T>(
  view: View<T>,
  options: GlobalOptions,
  settings: Settings,
): Format {
  const asked =
    askedFormat(options) ??
    formatOfFile(view, options) ??
    configuredFormat(view, settings) ??
    view.defaultFormat ??
    'table'
  const formats = formatsOf(view)
  if (formats.includes(asked)) return asked
  throw usageError(
    `this command does not support the format "${asked}"`,
    `it supports: ${formats.join(', ')}`,
  )
}

/** The format that the extension of `--out` names. Throws exit 2 for an unknown extension. */
function formatOfFile<T>(
  { message, defaultFormat }: View<T>,
  { out }: GlobalOptions,
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

/** From the environment or a file, a format is a preference: a command that lacks it uses its own default. */
function configuredFormat<T>(view: View<T>, { output }: Settings): Format | undefined {
  return output.source !== 'built-in' && formatsOf(view).includes(output.value)
    ? output.value
    : undefined
}

/** Whether stdout has colors; `FORCE_COLOR=0` is no as well. */
export function hasColors(
  setting: 'auto' | 'always' | 'never',
  env: Host['env'],
  isTerminal: boolean,
): boolean {
  if (setting !== 'auto') return setting === 'always'
  const forced = env.FORCE_COLOR
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  return isTerminal && env.TERM !== 'dumb'
}

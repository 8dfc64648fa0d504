/** Decides from options and settings how the output of a verb is printed. */
import type { TypedOptions } from '../cli/context.ts'
import { isRead, type Verb } from '../cli/verb.ts'
import type { Settings } from '../config/settings.ts'
import { usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import { columnsOf, unknownFieldError } from '../output/columns.ts'
import {
  formatFacts,
  formats,
  type Format,
  type Columns,
  type PrintOptions,
} from '../output/result.ts'
import { hasColors } from '../world.ts'

/** Decides how to print what a verb returns. Throws a usage error for a format that the verb does not have. */
export function printOptions(
  verb: Verb,
  options: TypedOptions,
  settings: Settings,
  host: Host,
): PrintOptions {
  const format = chooseFormat(verb, options, settings)
  const isFile = options.out !== undefined
  const isTerminal = host.isTerminal.stdout && !isFile
  if (isTerminal && format === 'xlsx')
    throw usageError(
      'a workbook cannot be shown on a terminal',
      'send it to a file with --out output.xlsx',
    )
  // People get few rows by default, programs and files get all.
  const isForPeople = formatFacts[format].isForPeople === true && !isFile
  const limit = options.limit ?? (isForPeople ? 50 : 'all')
  return {
    format,
    fields: fieldsOf(verb, format, options.fields),
    rowLimit: limit === 'all' ? Infinity : limit,
    color: hasColors(host, isTerminal),
    width: isTerminal ? (host.columns() ?? 80) : undefined,
    now: host.now(),
  }
}

/** The columns of a summary, and of receipts. */
const runColumns: Columns<never> = {
  OUTCOME: 'outcome',
  COUNT: 'count',
  ID: 'id',
  LINE: 'line',
  AT: 'at',
  ATTEMPTS: 'attempts',
  CODE: 'code',
  MESSAGE: 'message',
  TARGET: 'target',
  BEFORE: 'before',
  AFTER: 'after',
}

/**
 * The fields of `--fields`. Throws a usage error for a format that has none, and for a field that a change does not have: the
 * change is not made then. The fields of a read are checked when its rows are known.
 */
function fieldsOf(verb: Verb, format: Format, typed: string | undefined) {
  if (typed === undefined) return undefined
  const { shows } = formatFacts[format]
  if (shows !== 'cells')
    throw usageError(
      `--fields cannot be used with -o ${format}`,
      shows === 'values'
        ? 'JSON is whole; choose with jq'
        : 'it chooses columns of table, csv and xlsx',
    )
  const words = typed.split(',').map((word) => word.trim())
  // `a,,b` and a trailing comma are typing mistakes. A field that is typed twice is shown once.
  const fields = [...new Set(words)].filter((word) => word !== '')
  if (fields.length === 0) throw usageError('--fields does not name a field')
  if (!isRead(verb)) refuseUnknownFields(verb, fields)
  return fields
}

function refuseUnknownFields(verb: Verb, fields: readonly string[]) {
  const isBulk = verb.options?.['receipts'] !== undefined
  const columns: Columns<never> = { ...verb.columns, ...(isBulk ? runColumns : {}) }
  const unknown = columnsOf(columns, fields).find(({ isPath }) => isPath)
  if (unknown !== undefined) throw unknownFieldError(unknown, columns)
}

/**
 * Chooses by the first of these that names a format: the options, the extension of `--out`, SVC_OUTPUT, and the default of
 * the verb. Throws a usage error for a format that the verb does not have.
 */
function chooseFormat(verb: Verb, options: TypedOptions, settings: Settings): Format {
  const supported = formatsOf(verb)
  const isSupported = (format: Format) => supported.includes(format)
  const usual = verb.isConversation === true ? 'transcript' : (supported[0] ?? 'table')
  // The variable is only a preference: a verb without that format uses its default.
  const { output } = settings
  const preferred = output !== undefined && isSupported(output) ? output : usual
  const typed = options.json === true ? 'json' : options.output
  const chosen = typed ?? formatOfFile(options.out, usual) ?? preferred
  if (isSupported(chosen)) return chosen
  throw usageError(
    `this command does not support the format "${chosen}"`,
    `it supports: ${supported.join(', ')}`,
  )
}

/** The formats that a verb has, in the order of the help. */
function formatsOf(verb: Verb): readonly Format[] {
  if (verb.printsOwnText === true) return ['table']
  if (verb.formats !== undefined) return verb.formats
  return formats.filter((format) => {
    const { shows } = formatFacts[format]
    if (shows === 'ids') return verb.ids !== undefined
    return shows !== 'conversation' || verb.isConversation === true
  })
}

/** The format that the extension of `--out` names. `.txt` is the default of the verb. Throws a usage error for others. */
function formatOfFile(path: string | undefined, usual: Format): Format | undefined {
  if (path === undefined) return undefined
  const extension = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase()
  if (extension === 'txt') return usual
  const format = formats.find((name) => name === extension)
  if (format !== undefined && format !== 'ids' && format !== 'table') return format
  throw usageError(
    `--out "${path}" does not have the extension of a format`,
    'use .json, .ndjson, .csv, .xlsx, .html or .txt, or name the format with -o',
  )
}

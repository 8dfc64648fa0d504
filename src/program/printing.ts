/** How the output of a verb is printed: in which format, which of its columns and rows, how wide, and to which file. */
import type { Context, TypedOptions } from '../cli/context.ts'
import { summaryColumns, type Verb } from '../cli/verb.ts'
import { refuseInStateFolder } from '../config/paths.ts'
import { checkPlace } from '../disk/whole.ts'
import { usageError } from '../errors.ts'
import { type Host, hasColors } from '../host.ts'
import { namedColumns } from '../output/cells.ts'
import {
  formats,
  hasColumns,
  isForConversations,
  type Format,
  type PrintOptions,
} from '../output/result.ts'

/** Decides how to print what a verb returns. Throws a usage error for a format or a column that the verb does not have. */
export function printOptions(verb: Verb, options: TypedOptions, host: Host): PrintOptions {
  const format = chooseFormat(verb, options)
  const isFile = options.out !== undefined
  const isTerminal = host.isTerminal.stdout && !isFile
  if (isTerminal && format === 'xlsx')
    throw usageError(
      'a workbook cannot be shown on a terminal',
      'send it to a file with --out output.xlsx',
    )
  // People get few rows by default, programs and files get all.
  const isForPeople = (format === 'table' || format === 'transcript') && !isFile
  const limit = options.limit ?? (isForPeople ? 50 : 'all')
  return {
    format,
    fields:
      options.fields === undefined ? undefined : readFields(verb, format, options.fields),
    rowLimit: limit === 'all' ? Infinity : limit,
    color: hasColors(host, isTerminal),
    width: isTerminal ? (host.columns() ?? 80) : undefined,
    now: host.now(),
  }
}

/** The first of these that names a format: the options, the extension of `--out`, and the default of the verb. */
function chooseFormat(verb: Verb, { json, output, out }: TypedOptions): Format {
  if (out !== undefined && verb.isRead !== true)
    throw usageError(
      '--out is only for commands that read',
      verb.options?.['receipts'] === undefined
        ? 'leave it out'
        : 'to write the outcome of each id: --receipts <file>',
    )
  const supported = formatsOf(verb)
  const usual = verb.isConversation === true ? 'transcript' : (supported[0] ?? 'table')
  const typed = json === true ? 'json' : output
  const chosen = typed ?? (out === undefined ? usual : formatOfFile(out, supported, usual))
  if (supported.includes(chosen)) return chosen
  throw usageError(
    `this command does not support the format "${chosen}"`,
    `it supports: ${supported.join(', ')}`,
  )
}

/** The formats that a verb has, in the order of the help. */
function formatsOf({ formats: own, ids, isConversation }: Verb): readonly Format[] {
  const has = (format: Format) =>
    format === 'ids' ? ids !== undefined : !isForConversations(format) || isConversation
  return own ?? formats.filter(has)
}

/** The format that the extension of a file names; `.txt` names the usual one. */
function formatOfFile(path: string, supported: readonly Format[], usual: Format): Format {
  const extension = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase()
  if (extension === 'txt') return usual
  const isExtension = (name: Format) => name !== 'ids' && name !== 'table'
  const format = formats.find((name) => name === extension && isExtension(name))
  if (format !== undefined) return format
  const known = ['txt', ...supported.filter(isExtension)]
  throw usageError(
    `--out "${path}" has no known extension`,
    `use one of ${known.join(', ')}, or choose a format with -o`,
  )
}

/** Reads the value of `--fields`, and checks that the verb has these columns. */
function readFields(verb: Verb, format: Format, typed: string): readonly string[] {
  if (!hasColumns(format))
    throw usageError(
      `--fields cannot be used with -o ${format}`,
      'it chooses columns of table, csv and xlsx; for JSON, use jq',
    )
  const words = typed.split(',').map((word) => word.trim())
  // `a,,b` and a trailing comma are typing mistakes. A field that is typed twice is shown once.
  const fields = [...new Set(words)].filter((word) => word !== '')
  if (fields.length === 0) throw usageError('--fields does not name a field')
  namedColumns({ ...(verb.columns ?? summaryColumns), ...verb.fileColumns }, fields)
  return fields
}

/**
 * The file of `--out`, which is created when the output is written. Throws a usage error if it cannot be written.
 */
export function outFileOf({ host, options: { out } }: Context) {
  if (out === undefined) return undefined
  refuseInStateFolder(host, out)
  checkPlace(host, out)
  return out
}

/** Runs the verb of a command line, and prints its output as the options and settings say. Prints an error otherwise. */
import {
  makeContext,
  memoize,
  type Context,
  type ContextParts,
  type TypedOptions,
} from '../cli/context.ts'
import { Signals } from '../cli/signals.ts'
import { summaryColumns, type Verb } from '../cli/verb.ts'
import { refuseInStateFolder } from '../config/paths.ts'
import { checkPlace, writeWhole } from '../disk/whole.ts'
import { readConfiguration } from '../config/profile.ts'
import { exitCodes, usageError } from '../errors.ts'
import { type Host, hasColors } from '../host.ts'
import { render, type Shown } from '../output/render.ts'
import {
  type Output,
  formats,
  type Format,
  type PrintOptions,
  columnsOf,
  hasColumns,
  isOfConversations,
} from '../output/result.ts'
import { writeBytes } from '../output/streams.ts'
import { loadOperation } from './commands.ts'
import { withHelp } from './mistakes.ts'
import { helpOf, type Call } from './parse.ts'
import { makeMessages, toSvcError } from './report.ts'

/** How far a command got, which decides what an error says. */
interface CommandProgress {
  /** Undefined before the configuration is read. */
  context?: Context
  /** The id of the run, if the command recorded one. */
  run?: string | undefined
  /** Whether the whole output was written, or nobody reads it anymore. */
  isPrinted: boolean
}

/** The parts of a context that need no settings. */
type FirstParts = Pick<ContextParts, 'host' | 'messages' | 'signals'>

/** Runs the verb of a line. Returns the exit code, unless a signal ended the verb: the process then dies by that signal. */
export async function runLine(host: Host, call: Call): Promise<number> {
  const { line } = call
  const messages = makeMessages(host, line)
  host.onWarning?.((text) => messages.warn(text))
  const signals = new Signals(host)
  const parts = { host, messages, signals }
  const progress: CommandProgress = { isPrinted: false }
  let code: number
  try {
    code = await signals.untilAborted(runVerb(call, parts, progress))
  } catch (thrown) {
    code = tellError(thrown, call, parts, progress)
  }
  await progress.context?.close(progress.isPrinted)
  signals.close()
  return signals.endProcess(code)
}

/** Prints what was thrown. Returns its exit code. */
function tellError(
  thrown: unknown,
  { line }: Call,
  { messages, signals }: FirstParts,
  { context, run }: CommandProgress,
): number {
  const hasSentChange = context?.hasSentChange() === true
  const error = withHelp(line.path, toSvcError(thrown, { run, hasSentChange }))
  if (error.category !== 'interrupted') {
    messages.error(error)
    return error.exitCode
  }
  const isBySignal = signals.caught !== undefined
  const exitCode = signals.exitCode(error.exitCode)
  // A person who sent a signal needs no message about it, unless a change may have been made.
  if (!isBySignal || error.details.ambiguous === true)
    messages.error(error.with({ exitCode }))
  // At a question, Ctrl-C comes as a key. The process then ends as if SIGINT had come.
  if (!isBySignal) signals.caught = 'SIGINT'
  return exitCode
}

/** Runs the verb and prints its output. Returns the exit code. */
async function runVerb(
  call: Call,
  parts: FirstParts,
  progress: CommandProgress,
): Promise<number> {
  const { verb } = call
  const context = createContext(call, parts)
  progress.context = context
  const file = outFileOf(context, verb)
  // The parser has read these values by the options and arguments from which the types of `act` follow.
  const args = call.arguments as never
  const options = call.line.values as never
  const output = (await verb.act(context, args, options)) as Output<unknown>
  progress.run = output.run
  const { host, messages, print, signals } = context
  // If nothing listens yet, a signal ends the process at once. From here on, the output gets a moment to be written.
  signals.listen()
  const { columns, fileColumns, ids } = verb
  const shown = { columns, fileColumns, ids } as Shown<unknown>
  const { bytes, exitCode, notes } = await render(output, shown, print, messages.redactor)
  let isReaderGone = false
  if (file === undefined)
    isReaderGone = (await writeBytes(host, host.stdout, bytes)) === 'closed'
  else await writeWhole(host, file, bytes)
  progress.isPrinted = true
  for (const note of notes) messages.note(note)
  if (file !== undefined) messages.note(`wrote "${file}"`)
  // A read is done when its reader has seen enough. A change has its own code, even if nobody reads its output.
  return isReaderGone && verb.effect === 'reads' ? exitCodes.done : exitCode
}

/** Makes the context of a verb. Throws a usage or config error for wrong options, variables and files. */
function createContext({ line, verb }: Call, first: FirstParts) {
  const { host, messages } = first
  // The values have these types, because the parser read them by the same options.
  const { out, ...values } = line.values as TypedOptions
  const options = out === undefined || out === '-' ? values : { ...values, out }
  messages.quiet = options.quiet === true
  messages.verbose = options.verbose === true
  const configuration = memoize(async () => {
    const found = await readConfiguration(host, options)
    for (const secret of found.secrets) messages.redactor.addSecret(secret)
    return found
  })
  const print = printOptions(verb, options, host)
  const help = (words: readonly string[]) => helpOf(host, words)
  return makeContext({
    ...first,
    options,
    configuration,
    line,
    print,
    operation: loadOperation,
    help,
  })
}

/**
 * The file of `--out`, which is created when the output is written. Throws a usage error for a verb that changes
 * something, and if the file cannot be written.
 */
function outFileOf({ host, options: { out } }: Context, verb: Verb) {
  if (out === undefined) return undefined
  if (verb.effect !== 'reads') throw usageError('--out is only for commands that read')
  refuseInStateFolder(host, out)
  checkPlace(host, out)
  return out
}

/** Decides how to print what a verb returns. Throws a usage error for a format that the verb does not have. */
function printOptions(verb: Verb, options: TypedOptions, host: Host): PrintOptions {
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
    fields: fieldsOf(verb, format, options.fields),
    rowLimit: limit === 'all' ? Infinity : limit,
    color: hasColors(host, isTerminal),
    width: isTerminal ? (host.columns() ?? 80) : undefined,
    now: host.now(),
  }
}

/** The fields of `--fields`. Throws a usage error for a format that has none, and for one that the verb does not have. */
function fieldsOf(verb: Verb, format: Format, typed: string | undefined) {
  if (typed === undefined) return undefined
  if (!hasColumns(format))
    throw usageError(
      `--fields cannot be used with -o ${format}`,
      'it chooses columns of table, csv and xlsx; for JSON, use jq',
    )
  const words = typed.split(',').map((word) => word.trim())
  // `a,,b` and a trailing comma are typing mistakes. A field that is typed twice is shown once.
  const fields = [...new Set(words)].filter((word) => word !== '')
  if (fields.length === 0) throw usageError('--fields does not name a field')
  columnsOf({ ...(verb.columns ?? summaryColumns), ...verb.fileColumns }, fields)
  return fields
}

/**
 * Chooses by the first of these that names a format: the options, the extension of `--out`, and the default of the verb. Throws a
 * usage error for a format that the verb does not have.
 */
function chooseFormat(verb: Verb, { json, output, out }: TypedOptions): Format {
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
    format === 'ids' ? ids !== undefined : !isOfConversations(format) || isConversation
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

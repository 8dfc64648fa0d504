/** Runs a verb with everything that it needs. Only this file catches errors to print them. */
import { resolveSettings, fromOptionOrVariable } from '../config/settings.ts'
import type { GlobalOptions } from '../cli/global-options.ts'
import { exit, usageError, type Category, type SvcError } from '../errors.ts'
import type { Host } from '../host.ts'
import type { Output, View } from '../output/result.ts'
import { OutputClosed, quietly, Sink } from '../output/sink.ts'
import { memberOf } from '../values.ts'
import type { Call } from './options.ts'
import { withHelp } from './parse.ts'
import { Context, once, type ContextParts } from '../cli/context.ts'
import { plainOptions, printOptions } from '../cli/print-options.ts'
import { hideTypedSecrets, messagesOf, report, toSvcError } from './report.ts'
import { Signals } from '../cli/signals.ts'
import type { Verb } from '../cli/verb.ts'

/** Runs the verb of a line with everything that it may need. Returns the exit code. */
export async function run(host: Host, call: Call): Promise<number> {
  const { line } = call
  const messages = messagesOf(host, line)
  host.onWarning?.((text) => messages.warn(text))
  const signals = new Signals(host)
  const reached: Reached = {}
  let code: number
  try {
    code = await signals.untilAborted(execute(call, { host, messages, signals }, reached))
  } catch (thrown) {
    const hasSentChange = reached.context?.change === 'sent'
    const error = toSvcError(withHelp(line, thrown), { run: reached.run, hasSentChange })
    const isInterrupted = error.category === 'interrupted'
    const { profile = reached.context?.profileName } = error.details
    // The shown error has the exit code that the shell sees.
    const exitCode = isInterrupted ? signals.code(error.exitCode) : error.exitCode
    const shownError = error.with({ profile, exitCode })
    code = shownError.exitCode
    await hideTypedSecrets(host, line, messages)
    await endOutput(call.verb, reached, shownError)
    // A signal needs no words, as the shell and the person know, unless a change may have been made.
    const isSignal = isInterrupted && signals.caught !== undefined
    const needsWords = !isSignal || error.details.ambiguous === true
    if (needsWords) report(shownError, messages)
  }
  await reached.context?.close(signals.code(code))
  signals.close()
  return signals.end(code)
}

/** How far a command got, which decides about an error after it. */
interface Reached {
  context?: Context
  /** The id of the run that was recorded. */
  run?: unknown
  /** Output of a read to stdout, which may end early. */
  sink?: Sink
}

/** The parts of a context that need no settings. */
type FirstParts = Pick<ContextParts, 'host' | 'messages' | 'signals'>

/** Runs the verb and prints its output. Returns the exit code. */
async function execute(call: Call, parts: FirstParts, reached: Reached) {
  const { line, verb } = call
  const { host } = parts
  const isBulk = line.given.has('file') || call.arguments.includes('-')
  const bulkView = isBulk ? verb.bulkShows : undefined
  const context = await prepare(call, bulkView ?? verb.shows, parts)
  reached.context = context
  const file = await outFileOf(context, verb)
  const sink = new Sink(host, host.stdout)
  if (file === undefined && printsData(verb)) reached.sink = sink
  // The parser made the values, and the types of a verb's definition ensure that its output fits its view.
  const output = (await verb.run(
    context,
    call.arguments as never,
    call.options as never,
  )) as Output<unknown> & { view?: View<unknown> }
  // From here on a signal ends an output properly.
  context.signals.listen()
  // Only the output of a run has receipts; its JSON names the run.
  if (output.kind === 'one' && output.receipts !== undefined)
    reached.run = memberOf(output.json, 'run')
  const view = output.view ?? (verb.shows as View<unknown>)
  if (file === undefined) return printOutput(context, output, view, sink)
  const { writeWhole } = await import('../output/whole.ts')
  const { fileSink } = await import('../output/render.ts')
  const exitCode = await writeWhole(host, file, (draft) =>
    printOutput(context, output, view, fileSink(host, draft)),
  )
  context.note(`wrote "${file.path}"`)
  return exitCode
}

/** The context of a verb that shows this view. */
async function prepare(
  { line, verb, allOptions }: Call,
  view: View<never>,
  first: FirstParts,
) {
  const { host, messages } = first
  const options = withEnvironment(allOptions, host)
  messages.quiet = options.quiet === true
  messages.verbose = options.verbose ?? 0
  const configuration = once(async () => {
    const { readConfiguration } = await import('../config/profile.ts')
    const found = await readConfiguration(host, options)
    for (const secret of found.secrets) messages.redactor.addSecret(secret)
    return found
  })
  const parts = { ...first, options, configuration, line }
  const { lenient = false, plain } = verb
  if (plain !== undefined)
    return new Context({ ...parts, print: plainOptions(options, plain) })
  const settings = await configuration().then(
    (found) => found.settings,
    (error: unknown) => {
      if (!lenient) throw error
      return resolveSettings(host, options, [])
    },
  )
  if (settings.color.value === 'never') messages.color = false
  const print = await printOptions(view, options, settings, host)
  return new Context({ ...parts, print })
}

/** Mistakes that are known before the first request. */
const mistakes: ReadonlySet<Category> = new Set(['usage', 'config', 'policy', 'confirm'])

/** Ends the output of a failed read so that it does not look complete. The file of `--out` is not written. */
async function endOutput(verb: Verb, { context, sink }: Reached, error: SvcError) {
  if (sink === undefined || context?.change !== 'none') return
  const text = sink.isBegun
    ? errorLine(context, error)
    : await unfinishedOutput(verb, context, error)
  if (text === '') return
  // A reader that stopped reading must not block svc, so signals end it at once from here on.
  context.signals.close()
  // Failures are ignored here: the reader went away, or a failed write is the error itself.
  await quietly(async () => {
    await sink.write(text)
    await sink.flush()
  })
}

/** The end of ndjson. A document of JSON stays open, and other formats print nothing before everything is read. */
function errorLine({ print, messages }: Context, error: SvcError) {
  return print.format === 'ndjson' ? `${messages.errorLine(error)}\n` : ''
}

/** The output of a read that failed before it printed anything. A mistake prints nothing. */
async function unfinishedOutput(verb: Verb, context: Context, error: SvcError) {
  const hasNoAccess = error.category === 'auth' && !context.wasLetIn
  if (mistakes.has(error.category) || hasNoAccess) return ''
  if (context.print.format !== 'json') return errorLine(context, error)
  // The beginning of a document, which no parser takes for a whole one.
  const schema = await verb.shows.schema?.()
  return schema?.type === 'array' ? '[\n' : '{\n'
}

async function printOutput<T>(
  context: Context,
  output: Output<T>,
  view: View<T>,
  sink: Sink,
) {
  const { messages, print } = context
  const render = await import('../output/render.ts')
  try {
    return await render.print(output, view, print, { sink, messages })
  } catch (error) {
    // The reader closed the pipe: a read ends quietly, a bulk run with the code of its ending.
    if (!(error instanceof OutputClosed)) throw error
    return error.exitCode ?? exit.done
  }
}

/** The global options, with the variables by which a script forbids questions or chooses the form of errors. */
function withEnvironment(values: Call['allOptions'], host: Host): GlobalOptions {
  const typed = values as GlobalOptions
  return {
    ...typed,
    input: fromOptionOrVariable('input', host, typed)?.value,
    errorFormat: fromOptionOrVariable('errorFormat', host, typed)?.value,
  }
}

/** Whether a verb prints data that `--out` can save. The output of a change, and our own texts, are not data. */
function printsData({ effect, plain }: Verb) {
  return plain === undefined && (effect === 'reads' || effect === 'from method')
}

/**
 * The file of `--out`, which is created when its output begins. Throws exit 2 for a verb that prints no data, and if the
 * file cannot be written.
 */
async function outFileOf(
  { host, line, options: { out, replaceOut } }: Context,
  verb: Verb,
) {
  const writesFiles = line.given.has('receipts') || line.given.has('annotate')
  if (out === undefined) {
    if (replaceOut === true && !writesFiles)
      throw usageError('--replace-out needs --out, --receipts or --annotate')
    return undefined
  }
  if (!printsData(verb))
    throw usageError(
      '--out is only for commands that print data from the service or this machine',
    )
  const file = {
    path: out,
    what: 'the output',
    isReplacing: replaceOut === true,
  }
  const { checkPlace } = await import('../output/whole.ts')
  await checkPlace(host, file)
  return file
}

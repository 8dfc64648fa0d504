/** Runs the verb of a command line, prints its output or its error, and returns the exit code. */
import { Context, memoize, type ContextParts, type TypedOptions } from '../cli/context.ts'
import { Signals } from '../cli/signals.ts'
import { isRead, type Verb } from '../cli/verb.ts'
import { resolveSettings } from '../config/settings.ts'
import { exitCodes, usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import type { Shown } from '../output/render.ts'
import type { Output } from '../output/result.ts'
import { checkPlace, writeBytes, writeWhole } from '../output/whole.ts'
import { withHelp } from './mistakes.ts'
import type { Call } from './parse.ts'
import { printOptions } from './print-options.ts'
import { hideTypedSecrets, messagesOf, toSvcError } from './report.ts'

/** How far a command got. An error after that depends on it. */
interface Progress {
  /** Undefined before the configuration is read. */
  context?: Context
  /** The id of the run that was recorded. */
  run?: string | undefined
  /** The whole output was written, or its reader went away. */
  isPrinted: boolean
}

/** The parts of a context that need no settings. */
type FirstParts = Pick<ContextParts, 'host' | 'messages' | 'signals'>

/** Runs the verb of a line. If a signal ended it, the process then dies by that signal. Returns the exit code. */
export async function runLine(host: Host, call: Call): Promise<number> {
  const { line } = call
  const messages = messagesOf(host, line)
  host.onWarning?.((text) => messages.warn(text))
  const signals = new Signals(host)
  const parts = { host, messages, signals }
  const progress: Progress = { isPrinted: false }
  let code: number
  try {
    code = await signals.untilAborted(runVerb(call, parts, progress))
  } catch (thrown) {
    await hideTypedSecrets(host, line, messages)
    code = tellError(thrown, call, parts, progress)
  }
  await progress.context?.close(progress.isPrinted)
  signals.close()
  return signals.end(code)
}

/** Prints what was thrown. Returns its exit code. */
function tellError(
  thrown: unknown,
  { line }: Call,
  { messages, signals }: FirstParts,
  { context, run }: Progress,
): number {
  const hasSentChange = context?.change === 'sent'
  const error = withHelp(line.path, toSvcError(thrown, { run, hasSentChange }))
  if (error.category !== 'interrupted') {
    messages.error(error)
    return error.exitCode
  }
  const isBySignal = signals.caught !== undefined
  const exitCode = signals.code(error.exitCode)
  // A person who sent a signal needs no message about it, unless a change may have been made.
  if (!isBySignal || error.details.ambiguous === true)
    messages.error(error.with({ exitCode }))
  // At a question, Ctrl-C comes as a key and not as a signal.
  if (!isBySignal) signals.caught = 'SIGINT'
  return exitCode
}

/** Runs the verb and prints its output. Returns the exit code. */
async function runVerb(call: Call, parts: FirstParts, progress: Progress): Promise<number> {
  const { verb } = call
  const context = await createContext(call, parts)
  progress.context = context
  const file = await outFileOf(context, verb)
  // `defineVerb` has checked that the parser's values and the output have the types of the verb.
  const args = call.arguments as never
  const options = call.line.values as never
  const output = (await verb.run(context, args, options)) as Output<unknown>
  const { columns, ids } = verb
  const view = { columns, ids, isRead: isRead(verb) } as Shown<unknown>
  progress.run = output.run
  const { host, messages, print, signals } = context
  // From here on, a signal lets the output be written whole.
  signals.listen()
  const { render } = await import('../output/render.ts')
  const { bytes, exitCode, notes } = await render(output, view, print, messages.redactor)
  await context.checkBeforePrint()
  const written =
    file === undefined
      ? await writeBytes(host, host.stdout, bytes)
      : await writeWhole(host, file, bytes)
  progress.isPrinted = true
  for (const note of notes) messages.note(note)
  if (file !== undefined) messages.note(`wrote "${file.path}"`)
  // A read is done when its reader has seen enough. A change has its own code, even if nobody reads its output.
  const isReaderGone = written === 'closed'
  return isReaderGone && isRead(verb) ? exitCodes.done : exitCode
}

/** Makes the context of a verb. Throws a usage or config error for wrong options, variables and files. */
async function createContext({ line, verb }: Call, first: FirstParts) {
  const { host, messages } = first
  // The values have these types, because the parser read them by the same options.
  const { out, ...values } = line.values as TypedOptions
  const options = out === undefined || out === '-' ? values : { ...values, out }
  messages.quiet = options.quiet === true
  messages.verbose = options.verbose === true
  const configuration = memoize(async () => {
    const { readConfiguration } = await import('../config/profile.ts')
    const found = await readConfiguration(host, options)
    for (const secret of found.secrets) messages.redactor.addSecret(secret)
    return found
  })
  const parts = { ...first, options, configuration, line }
  const readSettings = async () => {
    if (verb.printsOwnText === true) return resolveSettings({ env: {} }, {})
    try {
      return (await configuration()).settings
    } catch (error) {
      if (verb.worksWithoutConfiguration !== true) throw error
      return resolveSettings(host, options)
    }
  }
  const print = printOptions(verb, options, await readSettings(), host)
  return new Context({ ...parts, print })
}

/**
 * The file of `--out`, which is created when the output is written. Throws a usage error for a verb that changes
 * something, and if the file cannot be written.
 */
async function outFileOf({ host, options: { out } }: Context, verb: Verb) {
  if (out === undefined) return undefined
  if (!isRead(verb)) throw usageError('--out is only for commands that read')
  const file = { path: out, what: 'the output' }
  await checkPlace(host, file)
  return file
}

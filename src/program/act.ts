/** From a command line to its exit code: makes the context of its verb, lets it act, prints its output or its error, and ends as the signals say. */
import { makeContext, memoize, type Context, type TypedOptions } from '../cli/context.ts'
import { Signals } from '../cli/signals.ts'
import { readConfiguration } from '../config/profile.ts'
import { writeWhole } from '../disk/whole.ts'
import { exitCodes } from '../errors.ts'
import type { Host } from '../host.ts'
import { render, type Shown } from '../output/render.ts'
import type { Output } from '../output/result.ts'
import type { Messages } from '../output/stderr.ts'
import { writeBytes } from '../output/streams.ts'
import { loadOperation } from './commands.ts'
import { withHelp } from './mistakes.ts'
import { helpOf, type Call } from './parser.ts'
import { outFileOf, printOptions } from './printing.ts'
import { makeMessages, toSvcError } from './report.ts'

/** A command while it runs. How far it got decides what an error says. */
interface RunningCommand {
  call: Call
  host: Host
  messages: Messages
  signals: Signals
  /** Undefined before the options were checked. */
  context?: Context
  /** The id of the run, if the command recorded one. */
  run?: string | undefined
  /** Whether the whole output was written, or nobody reads it anymore. */
  isPrinted: boolean
}

/** Lets the verb of a line act. Returns the exit code, unless a signal ended the verb: the process then dies by that signal. */
export async function actOnLine(host: Host, call: Call): Promise<number> {
  const messages = makeMessages(host, call.values)
  host.onWarning?.((text) => messages.warn(text))
  const signals = new Signals(host)
  const command: RunningCommand = { call, host, messages, signals, isPrinted: false }
  let code: number
  try {
    code = await signals.untilAborted(actAndPrint(command))
  } catch (thrown) {
    code = tellError(thrown, command)
  }
  await command.context?.close(command.isPrinted)
  signals.close()
  return signals.endProcess(code)
}

/** Lets the verb act and prints its output. Returns the exit code. */
async function actAndPrint(command: RunningCommand): Promise<number> {
  const { verb, arguments: words, values } = command.call
  const context = createContext(command)
  command.context = context
  const file = outFileOf(context)
  // The parser has read these values by the options and arguments from which the types of `act` follow.
  const output = await verb.act(context, words as never, values as never)
  return printOutput(output as Output<unknown>, command, context, file)
}

/** Makes the context of a verb. Throws a usage or config error for wrong options, variables and files. */
function createContext({ call, host, messages, signals }: RunningCommand) {
  const { line, verb } = call
  // The values have these types, because the parser read them by the same options.
  const { out, ...values } = call.values as TypedOptions
  const options = out === undefined || out === '-' ? values : { ...values, out }
  messages.quiet = options.quiet === true
  messages.verbose = options.verbose === true
  const configuration = memoize(async () => {
    const found = await readConfiguration(host, options)
    for (const secret of found.secrets) messages.redactor.addSecret(secret)
    return found
  })
  return makeContext({
    host,
    messages,
    signals,
    options,
    configuration,
    line,
    print: printOptions(verb, options, host),
    operation: loadOperation,
    help: (words) => helpOf(host, words),
  })
}

/** Prints the output of the verb to stdout or to a file. Returns the exit code. */
async function printOutput(
  output: Output<unknown>,
  command: RunningCommand,
  { host, messages, print, signals }: Context,
  file: string | undefined,
) {
  command.run = output.run
  const { columns, fileColumns, ids, isRead } = command.call.verb
  // If nothing listens yet, a signal ends the process at once. From here on, the output gets a moment to be written.
  signals.listen()
  const shown = { columns, fileColumns, ids } as Shown<unknown>
  const { bytes, exitCode, notes } = await render(output, shown, print, messages.redactor)
  let isReaderGone = false
  if (file === undefined)
    isReaderGone = (await writeBytes(host, host.stdout, bytes)) === 'closed'
  else await writeWhole(host, file, bytes)
  command.isPrinted = true
  for (const note of notes) messages.note(note)
  if (file !== undefined) messages.note(`wrote "${file}"`)
  // A read is done when its reader has seen enough. A change has its own code, even if nobody reads its output.
  return isReaderGone && isRead === true ? exitCodes.done : exitCode
}

/** Prints what was thrown. Returns its exit code. */
function tellError(
  thrown: unknown,
  { call, messages, signals, context, run }: RunningCommand,
): number {
  const hasSentChange = context?.hasSentChange() === true
  const error = withHelp(call.line.path, toSvcError(thrown, { run, hasSentChange }))
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

/** Runs a verb with everything that it needs. Only this file catches errors to print them. */
import { resolveSettings } from '../config/settings.ts'
import { exitCodes, usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import type { Shown } from '../output/render.ts'
import type { Output } from '../output/result.ts'
import { writeBytes } from '../output/sink.ts'
import type { Call } from './options.ts'
import { withHelp } from './mistakes.ts'
import { Context, once, type ContextParts, type TypedOptions } from '../cli/context.ts'
import { plainOptions, printOptions } from './print-options.ts'
import { hideTypedSecrets, messagesOf, toSvcError } from './report.ts'
import { Signals } from '../cli/signals.ts'
import { isRead, type Verb } from '../cli/verb.ts'

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
    const isAtQuestion = isInterrupted && signals.caught === undefined
    // The shown error has the exit code that the shell sees.
    const exitCode = isInterrupted ? signals.code(error.exitCode) : error.exitCode
    const shownError = error.with({ exitCode })
    code = shownError.exitCode
    await hideTypedSecrets(host, line, messages)
    // A signal needs no words, as the shell and the person know, unless a change may have been made.
    const isSignal = isInterrupted && signals.caught !== undefined
    const needsWords = !isSignal || error.details.ambiguous === true
    if (needsWords) messages.error(shownError)
    // Ctrl-C at a question comes as a key.
    if (isAtQuestion) signals.caught = 'SIGINT'
  }
  await reached.context?.close(reached.isPrinted === true)
  signals.close()
  return signals.end(code)
}

/** How far a command got, which decides about an error after it. */
interface Reached {
  context?: Context
  /** The id of the run that was recorded. */
  run?: string | undefined
  /** The output is where it was to go, or its reader went away. */
  isPrinted?: true
}

/** The parts of a context that need no settings. */
type FirstParts = Pick<ContextParts, 'host' | 'messages' | 'signals'>

/** Runs the verb and prints its output. Returns the exit code. */
async function execute(call: Call, parts: FirstParts, reached: Reached) {
  const { verb } = call
  const context = await prepare(call, parts)
  reached.context = context
  const file = await outFileOf(context, verb)
  // The parser made the values, and the types of a verb's definition ensure that its output fits its columns.
  const output = (await verb.run(
    context,
    call.arguments as never,
    call.options as never,
  )) as Output<unknown>
  // From here on a signal ends an output properly.
  context.signals.listen()
  reached.run = output.run
  const { render } = await import('../output/render.ts')
  const { messages, print } = context
  const { columns, ids } = verb
  const shown = { columns, ids } as Shown<unknown>
  const { bytes, exitCode, notes } = await render(output, shown, print, messages.redactor)
  await context.checkBeforePrint()
  const end = await write(context, file, bytes)
  reached.isPrinted = true
  for (const note of notes) messages.note(note)
  if (file !== undefined) messages.note(`wrote "${file.path}"`)
  // A read whose reader went away is done. A change has its own code, whoever reads its output.
  return end === 'closed' && isRead(verb) ? exitCodes.done : exitCode
}

/** Writes a whole output to its file or to stdout, whose reader may go away. */
async function write(
  { host }: Context,
  file: Awaited<ReturnType<typeof outFileOf>>,
  bytes: readonly Uint8Array[],
) {
  if (file === undefined) return writeBytes(host, host.stdout, bytes)
  const { writeWhole } = await import('../output/whole.ts')
  await writeWhole(host, file, bytes)
  return 'written'
}

/** The context of a verb. */
async function prepare({ line, verb, allOptions }: Call, first: FirstParts) {
  const { host, messages } = first
  const options = allOptions as TypedOptions
  messages.quiet = options.quiet === true
  messages.verbose = options.verbose === true
  const configuration = once(async () => {
    const { readConfiguration } = await import('../config/profile.ts')
    const found = await readConfiguration(host, options)
    for (const secret of found.secrets) messages.redactor.addSecret(secret)
    return found
  })
  const parts = { ...first, options, configuration, line }
  if (verb.plain === true) return new Context({ ...parts, print: plainOptions(options) })
  const settings = await configuration().then(
    (found) => found.settings,
    (error: unknown) => {
      if (verb.lenient !== true) throw error
      return resolveSettings(host, options)
    },
  )
  const print = printOptions(verb, options, settings, host)
  return new Context({ ...parts, print })
}

/**
 * The file of `--out`, which is created when its output begins. Throws exit 2 for a verb that prints no data, and if the
 * file cannot be written.
 */
async function outFileOf({ host, options: { out } }: Context, verb: Verb) {
  if (out === undefined) return undefined
  // The output of a change, and our own texts, are not data.
  if (verb.plain === true || !isRead(verb))
    throw usageError(
      '--out is only for commands that print data from the service or this machine',
    )
  const file = { path: out, what: 'the output' }
  const { checkPlace } = await import('../output/whole.ts')
  await checkPlace(host, file)
  return file
}

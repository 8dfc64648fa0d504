/** A command line that needs the framework: signals, the program, and the only catch that prints. */
import { setMaxListeners } from 'node:events'
import { failedFile, fileError } from '../errno.ts'
import { messageOf, SvcError, systemCode } from '../errors.ts'
import type { Host, Signal } from '../host.ts'
import { Messages, type MessageFormat } from '../output/stderr.ts'
import { Redactor } from '../output/redact.ts'
import { asksVersion, buildProgram, explainMistake, helpOf, isCommanderError, parserWords } from './program.ts'
import { createSession, type Session } from './context.ts'
import { version } from '../version.ts'

const signalNumbers: Record<Signal, number> = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 }
/** How long what is in flight may take to end after the first signal, in milliseconds. */
const patience: Record<Signal, number> = { SIGINT: 10_000, SIGTERM: 5_000, SIGHUP: 5_000 }

const interruption = new SvcError('interrupted', 'interrupted')

/** Runs a command line with everything that it may need. Never throws. */
export async function invoke(host: Host): Promise<number> {
  const redactor = new Redactor()
  const messages = new Messages(host, redactor, errorFormatOf(host), allowsColor(host))
  const soft = new AbortController()
  const hard = new AbortController()
  // Every request in flight listens; many of them are no leak.
  setMaxListeners(0, soft.signal, hard.signal)
  let caught: Signal | undefined
  const session = createSession(host, messages, redactor, soft.signal, hard.signal, () => caught)
  let grace: NodeJS.Timeout | undefined
  const stopListening = host.onSignal((signal) => {
    if (caught !== undefined) {
      hard.abort(interruption)
      return
    }
    caught = signal
    soft.abort(interruption)
    // Only a change under way is worth waiting for.
    if (session.critical === 0) hard.abort(interruption)
    else grace = setTimeout(() => hard.abort(interruption), patience[signal])
  })
  const ended = new Promise<never>((_resolve, reject) => {
    hard.signal.addEventListener('abort', () => {
      // What was aborted gets a moment to say what is known; a reader that does not read must not keep us.
      setTimeout(() => {
        reject(interruption)
      }, 500).unref()
    })
  })
  ended.catch(() => undefined)

  let code: number
  try {
    code = await Promise.race([command(host, session), ended])
  } catch (error) {
    code = report(error, messages, caught)
  } finally {
    clearTimeout(grace)
    await session.close()
    stopListening()
  }
  if (caught !== undefined) {
    code = 128 + signalNumbers[caught]
    host.raise(caught)
  }
  return code
}

/** An error of what was answered without the framework. Returns its exit code. */
export function reportAlone(host: Host, error: unknown): number {
  return report(error, new Messages(host, new Redactor(), errorFormatOf(host), allowsColor(host)), undefined)
}

async function command(host: Host, session: Session): Promise<number> {
  const words = host.argv
  const help: string[] = []
  const output = {
    writeOut: (text: string) => void help.push(text),
    writeErr: (text: string) => void help.push(text),
  }
  const program = await buildProgram(host, session.run, output, words)
  if (words.length === 0) {
    await session.write(helpOf(program))
    return 0
  }
  if (asksVersion(program, words)) {
    await session.write(`${version}\n`)
    return 0
  }
  try {
    await program.parseAsync(parserWords(program, words), { from: 'user' })
  } catch (error) {
    const code = isCommanderError(error) ? error.code : undefined
    if (code === 'commander.helpDisplayed') {
      await session.write(help.join(''))
      return 0
    }
    // A noun alone: its help, but as a mistake. Help is no JSON, which whoever asked for it gets.
    if (code === 'commander.help' && session.messages.format === 'text') return session.showHelpAsError(help.join(''))
    if (isCommanderError(error) || isBareUsageError(error)) throw await explainMistake(program, words, error)
    throw error
  }
  return session.exitCode
}

function isBareUsageError(error: unknown): error is SvcError {
  return error instanceof SvcError && error.category === 'usage' && error.details.hint === undefined
}

/** Found before parsing, so that usage errors follow it too. */
function errorFormatOf(host: Host): MessageFormat {
  let explicit: string | undefined
  let output = host.env['SVC_OUTPUT']
  const words = host.argv
  for (const [i, word] of words.entries()) {
    if (word === '--') break
    const next = words[i + 1]
    if (word === '--json') output = 'json'
    else if (word === '-o' || word === '--output') output = next
    else if (word.startsWith('--output=')) output = word.slice('--output='.length)
    else if (word === '--error-format') explicit = next
    else if (word.startsWith('--error-format=')) explicit = word.slice('--error-format='.length)
  }
  if (explicit === 'json' || explicit === 'text') return explicit
  return output === 'json' || output === 'ndjson' ? 'json' : 'text'
}

/** Found before parsing too. A file's `color: never` is known only later. */
function allowsColor({ argv, env }: Host): boolean {
  const at = argv.lastIndexOf('--color')
  const typed = at < 0 ? argv.findLast((word) => word.startsWith('--color='))?.slice('--color='.length) : argv[at + 1]
  return typed !== 'never' && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb'
}

/** The ladder from anything that was thrown to an exit code. */
function report(error: unknown, messages: Messages, caught: Signal | undefined): number {
  const known = toSvcError(error)
  // A signal that ended a read needs no words: the shell and the person know.
  if (caught !== undefined && known.category === 'interrupted' && known.details.ambiguous !== true)
    return known.exitCode
  const origin = known.cause instanceof Error ? known.cause : known
  messages.error(known, messages.verbose >= 2 ? origin.stack : undefined)
  return known.exitCode
}

function toSvcError(error: unknown): SvcError {
  if (error instanceof SvcError) return error
  // A file that nobody expected to fail is still no defect.
  const file = failedFile(error)
  if (file !== undefined) return fileError('local', file, error)
  // From bin/svc.js: a file of the build is not what was built.
  if (systemCode(error) === 'SVC_DAMAGED')
    return new SvcError('internal', messageOf(error), { cause: error, hint: 'install svc again' })
  return new SvcError('internal', `a defect in svc: ${messageOf(error)}`, {
    cause: error,
    hint: 'please report it with what -vv shows',
  })
}

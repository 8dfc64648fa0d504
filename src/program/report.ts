/**
 * How anything that was thrown is told, and the exit code that it becomes. `run.ts` tells the errors of verbs by it, and `main.ts` those
 * before one.
 */
import { failedFile, fileError, isFull } from '../errno.ts'
import { messageOf, SvcError } from '../errors.ts'
import type { Host } from '../host.ts'
import { type TypedLine, typedText, longFlag } from '../cli/options.ts'
import { OutputFailed } from '../output/sink.ts'
import { Messages } from '../output/stderr.ts'
import { Redactor, shortestSecret } from '../output/text/redact.ts'
import { allowsColor, errorFormatOf } from './look.ts'
import { delimiter, join } from 'node:path'
import { say, svc, type Message, type ShownCommand } from '../message.ts'
import { shellWord } from '../words.ts'

/** `line`: undefined where it could not be read. */
export function reportAlone(host: Host, line: TypedLine | undefined, error: unknown): number {
  const messages = messagesOf(host, line, redactorFor(host))
  return report(toSvcError(withAdvice(error, {})), messages, false)
}

/** An error of stdout with what to do now; any other as it is. */
export function withAdvice(
  error: unknown,
  done: { run?: unknown; hasChanged?: boolean },
): unknown {
  if (!(error instanceof OutputFailed)) return error
  const hint = afterFailedOutput(error.cause, done)
  const told = error.withHint(hint)
  const isUnrecordedChange = done.run === undefined && done.hasChanged === true
  return isUnrecordedChange ? told.with({ retry: false }) : told
}

/** `run`: the one that was recorded. `hasChanged`: a request was sent that changes something; such a command is not simply repeated. */
function afterFailedOutput(
  cause: unknown,
  { run, hasChanged }: { readonly run?: unknown; readonly hasChanged?: boolean },
): Message {
  if (typeof run === 'string') return say`the run is recorded:\n  ${svc`runs show ${run}`}`
  if (hasChanged === true)
    return 'the service has changed something: check what, before you run the command again'
  const way = isFull(cause) ? 'free some space' : 'send the output to a file'
  return `${way}, and run the command again`
}

/** Knows the secret of the environment from the start: it may be typed in the wrong place. Others are known once they were read. */
export function redactorFor({ env }: Host): Redactor {
  const redactor = new Redactor()
  const secret = (env['SVC_API_SECRET'] ?? '').trim()
  if (secret.length >= shortestSecret) redactor.hide(secret)
  return redactor
}

export function messagesOf(
  host: Host,
  line: TypedLine | undefined,
  redactor: Redactor,
): Messages {
  return new Messages(host, redactor, errorFormatOf(host, line), {
    color: allowsColor(host, line),
    write: commandWriter(host, line),
  })
}

/** The ladder from anything that was thrown to an exit code. */
export function report(known: SvcError, messages: Messages, wasCaught: boolean): number {
  // A signal that ended a read needs no words: the shell and the person know.
  const isInterrupted = known.category === 'interrupted'
  if (wasCaught && isInterrupted && known.details.ambiguous !== true) return known.exitCode
  const origin = known.cause instanceof Error ? known.cause : known
  messages.error(known, messages.verbose >= 2 ? origin.stack : undefined)
  return known.exitCode
}

export function toSvcError(error: unknown): SvcError {
  if (error instanceof SvcError) return error
  // A file that nobody expected to fail is still no defect.
  const file = failedFile(error)
  if (file !== undefined) return fileError('local', file, error)
  return new SvcError('internal', `a defect in svc: ${messageOf(error)}`, {
    cause: error,
    hint: 'please report it with what -vv shows',
  })
}

type WrittenLine = Pick<TypedLine, 'given' | 'options'>

type BegunHost = Pick<Host, 'env' | 'platform' | 'disk'>

/** Options that say which service and which data are meant, as they are written in a command. */
const places = { profile: '-p', config: '--config', stateDir: '--state-dir' } as const

/**
 * Writes the commands in messages as they can be typed: begun as this process was (`svc …`, or `npx svc …` where only that works), with
 * the profile, the configuration file and the state folder of this command line, and, where they continue its run, its files.
 * `line`: undefined where it could not be read.
 */
function commandWriter(
  host: BegunHost,
  line: WrittenLine | undefined,
): (command: ShownCommand) => string {
  let program: string | undefined
  return function write(command): string {
    program ??= needsNpx(host) ? 'npx svc' : 'svc'
    const words = [program, ...wordsWithOptions(command, line)]
    const { into } = command
    if (into !== undefined) words.push('|', write(into))
    return words.join(' ')
  }
}

/** The words of a command, with the files and places that it needs: behind them, but before `--`. */
function wordsWithOptions(command: ShownCommand, line: WrittenLine | undefined): string[] {
  const { text, needsPlaces, isContinuation = false, profile } = command
  if (!needsPlaces) return [text]
  const options = isContinuation && line !== undefined ? fileOptions(line) : []
  for (const [key, flag] of Object.entries(places)) {
    const typed = line && typedText(line, key)
    const value = key === 'profile' ? (profile ?? typed) : typed
    if (value !== undefined) options.push(`${flag} ${shellWord(value)}`)
  }
  const dashes = text.indexOf(' -- ')
  if (dashes < 0) return [text, ...options]
  const before = text.slice(0, dashes)
  const behind = text.slice(dashes + 1)
  return [before, ...options, behind]
}

function fileOptions({ given, options }: WrittenLine): string[] {
  return Object.entries(options).flatMap(([key, option]) => {
    const file = option.isCarried === true ? typedText({ given }, key) : undefined
    return file === undefined ? [] : [`${longFlag(key, option)} ${shellWord(file)}`]
  })
}

/** npx began this process, and the folders of PATH, but for those that npx put there, have no svc. */
function needsNpx({ env, platform, disk }: BegunHost): boolean {
  if (env['npm_command'] !== 'exec' && env['npm_lifecycle_event'] !== 'npx') return false
  const name = platform === 'win32' ? 'svc.cmd' : 'svc'
  const path = env['PATH'] ?? env['Path'] ?? ''
  return !path.split(delimiter).some((folder) => {
    const isOfNpx = /node_modules[/\\]\.bin$/.test(folder)
    if (folder === '' || isOfNpx) return false
    return disk.existsSync(join(folder, name))
  })
}

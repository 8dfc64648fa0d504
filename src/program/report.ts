/**
 * Errors and messages: what was thrown becomes an error with an exit code and is printed, secrets are hidden, and commands
 * are written as they can be typed.
 */
import { messageOf, SvcError, usageError } from '../errors.ts'
import { fileError, fileHeadline, systemCode } from '../system-errors.ts'
import type { Host } from '../host.ts'
import { OutputFailed } from '../output/sink.ts'
import { Messages } from '../output/stderr.ts'
import { hasColors } from '../world.ts'
import { Redactor, shortestSecret } from '../redactor.ts'
import { say, svc, type ShownCommand } from '../message.ts'
import { memberOf } from '../values.ts'
import { shellWord } from '../words.ts'
import { type TypedLine, typedText, longFlag } from '../options.ts'

/** The effects of a command whose output failed. */
interface Effects {
  /** The id of the run that was recorded, if there is one. */
  run?: string | undefined
  /** A request that changes something was sent and answered, so the command is not simply repeated. */
  hasSentChange?: boolean | undefined
}

/** Turns anything that was thrown into an error with an exit code, and says what to do now. */
export function toSvcError(error: unknown, done: Effects = {}): SvcError {
  if (error instanceof OutputFailed)
    return error.with({ hint: adviceOnOutput(error, done) })
  if (error instanceof SvcError) return error
  if (memberOf(error, 'syscall') === 'uv_cwd')
    return usageError('the current folder was deleted', 'go to another folder: cd ~')
  // An unexpected error of a file is not a defect of svc.
  const file = fileHeadline(error)
  if (file !== undefined) return fileError('local', file, error)
  return new SvcError('internal', `a defect in svc: ${messageOf(error)}`, {
    cause: error,
    hint: 'please report it, with the command that you typed',
  })
}

function adviceOnOutput({ cause }: OutputFailed, { run, hasSentChange }: Effects) {
  if (run !== undefined) return say`the run is recorded:\n  ${svc`runs show ${run}`}`
  if (hasSentChange === true)
    return 'the change was made: check it before you run the command again'
  const isFull = ['ENOSPC', 'EDQUOT'].includes(systemCode(cause) ?? '')
  const remedy = isFull ? 'free some space' : 'send the output to a file'
  return `${remedy}, and run the command again`
}

/**
 * The one writer of stderr. It hides the secret of the environment from the start, because somebody may type it in the wrong
 * place. Others are hidden once they are read.
 */
export function messagesOf(host: Host, line: TypedLine): Messages {
  const redactor = new Redactor()
  redactor.addSecret((host.env['SVC_API_SECRET'] ?? '').trim())
  return new Messages(host, redactor, {
    color: hasColors(host, host.isTerminal.stderr),
    write: (command) => writeCommand(command, line),
  })
}

/**
 * Hides the secrets of the configuration file before an error quotes words of the line. The command may have failed before
 * it read the file.
 */
export async function hideTypedSecrets(
  host: Host,
  line: TypedLine,
  { redactor }: Messages,
): Promise<void> {
  if (!line.words.some(({ length }) => length >= shortestSecret)) return
  try {
    const { readUserFile } = await import('../config/file.ts')
    const { content } = (await readUserFile(host)) ?? {}
    for (const { apiSecret = '' } of content?.profiles.values() ?? [])
      redactor.addSecret(apiSecret)
  } catch (error) {
    // A file that cannot be read must not replace the error that is reported.
    if (!(error instanceof SvcError)) throw error
  }
}

/**
 * Writes a command in a message as it can be typed: with the profile of this command line. A command that resumes the run of the line gets the line's options that name files, too.
 */
function writeCommand(command: ShownCommand, line: TypedLine): string {
  const { text, pipedInto } = command
  // The options stand before `--`: in `sandbox exec -- svc lists list` they would be words of the other command.
  const [before = '', ...after] = text.split(/ (?=-- )/)
  const own = ['svc', before, ...optionsFor(command, line), ...after].join(' ')
  return pipedInto === undefined ? own : `${own} | ${writeCommand(pipedInto, line)}`
}

/** The options that say which service and which data a command means, and the files that it writes. */
function optionsFor({ text, resumesThisRun, profile }: ShownCommand, line: TypedLine) {
  const values = new Map<string, string | undefined>()
  for (const [key, { isRepeatedOnResume }] of Object.entries(line.options)) {
    const isOwn = resumesThisRun === true && isRepeatedOnResume === true
    if (isOwn) values.set(longFlag(key, {}), typedText(line, key))
  }
  // A command on profiles names the one that it means.
  if (!text.startsWith('profiles ')) values.set('-p', profile ?? typedText(line, 'profile'))
  return [...values].flatMap(([flag, value]) =>
    value === undefined ? [] : [`${flag} ${shellWord(value)}`],
  )
}

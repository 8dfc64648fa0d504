/** Errors of a command line: turns what was thrown into an error with an exit code, and makes the writer of stderr. */
import {
  messageOf,
  SvcError,
  usageError,
  fileError,
  fileHeadline,
  systemCode,
} from '../errors.ts'
import { type Host, hasColors } from '../host.ts'
import { Messages } from '../output/stderr.ts'
import { OutputFailed } from '../output/streams.ts'
import { Redactor } from '../safe-text.ts'
import { memberOf } from '../json.ts'

/** The effects of a command whose output could not be written. */
interface Effects {
  /** The id of the run that it recorded. */
  run?: string | undefined
  /** Whether it sent a request that changes something. */
  hasSentChange?: boolean
}

/** Turns anything that was thrown into an error with an exit code and a hint. */
export function toSvcError(error: unknown, effects: Effects = {}): SvcError {
  if (error instanceof OutputFailed) return error.with({ hint: outputHint(error, effects) })
  if (error instanceof SvcError) return error
  if (memberOf(error, 'syscall') === 'uv_cwd')
    return usageError('the current folder was deleted', 'go to another folder: cd ~')
  // A file that cannot be used is not a defect of svc.
  const headline = fileHeadline(error)
  if (headline !== undefined) return fileError('local', headline, error)
  return new SvcError('internal', `a defect in svc: ${messageOf(error)}`, {
    cause: error,
    hint: 'please report it, with the command that you typed',
  })
}

/** Says what to do about the output. Never advises to repeat a change. */
function outputHint({ cause }: OutputFailed, { run, hasSentChange }: Effects): string {
  if (run !== undefined) return `the run is recorded:\n  svc runs show ${run}`
  if (hasSentChange === true)
    return 'the change was made: check it before you run the command again'
  const isFull = ['ENOSPC', 'EDQUOT'].includes(systemCode(cause) ?? '')
  const remedy = isFull ? 'free some space' : 'send the output to a file'
  return `${remedy}, and run the command again`
}

/**
 * Makes the writer of stderr. It hides the secret of the environment from the start, because somebody may type it in the
 * wrong place. It hides other secrets once they are read. `profile`: the option, if it was typed; it stands after each
 * command that is shown.
 */
export function makeMessages(
  host: Host,
  { profile }: Readonly<Record<string, unknown>> = {},
): Messages {
  const redactor = new Redactor()
  redactor.addSecret((host.env['SVC_API_SECRET'] ?? '').trim())
  return new Messages(host, redactor, {
    color: hasColors(host, host.isTerminal.stderr),
    width: () => (host.isTerminal.stderr ? (host.columns() ?? 80) : undefined),
    profile: typeof profile === 'string' ? profile : undefined,
  })
}

/** What was thrown, as an error with an exit code and a hint; and who prints it. */
import { SvcError, fileError, fileHeadline, messageOf } from '../errors.ts'
import type { Host } from '../host.ts'
import { Messages } from '../output/messages.ts'
import { OutputFailed } from '../output/streams.ts'
import { Redactor } from '../safe-text.ts'

/** Turns anything that was thrown into an error with an exit code and a hint, which never advises to repeat a change. */
export function toSvcError(
  error: unknown,
  {
    run,
    hasSentChange = false,
  }: { run?: string | undefined; hasSentChange?: boolean } = {},
): SvcError {
  if (error instanceof OutputFailed) {
    const look =
      run === undefined ? 'check it before you try again' : `svc runs show ${run}`
    const made = `the change was made:\n  ${look}`
    return error.with({ hint: hasSentChange ? made : 'run the command again' })
  }
  if (error instanceof SvcError) return error
  // A file that cannot be used is not a defect of svc.
  const headline = fileHeadline(error)
  if (headline !== undefined) return fileError('local', headline, error)
  const hint = 'please report it, with the command that you typed'
  return new SvcError('internal', `a defect in svc: ${messageOf(error)}`, {
    cause: error,
    hint,
  })
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
  return new Messages(host, redactor, typeof profile === 'string' ? profile : undefined)
}

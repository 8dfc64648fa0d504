/** How anything that was thrown is told, and the exit code that it becomes. */
import { failedFile, fileError } from '../errno.ts'
import { messageOf, SvcError } from '../errors.ts'
import type { Host } from '../host.ts'
import { asBegun } from '../cli/begun.ts'
import { OutputFailed } from '../output/sink.ts'
import { Messages } from '../output/stderr.ts'
import { Redactor, shortestSecret } from '../output/text/redact.ts'
import { allowsColor, errorFormatOf } from './before-parsing.ts'

export async function reportAlone(host: Host, error: unknown): Promise<number> {
  return report(
    toSvcError(await withAdvice(host, error, {})),
    messagesOf(host, redactorFor(host)),
    false,
  )
}

/** An error of stdout with what to do now; any other as it is. */
export async function withAdvice(
  host: Host,
  error: unknown,
  done: { run?: unknown; hasChanged?: boolean },
) {
  if (!(error instanceof OutputFailed)) return error
  const { afterFailedOutput } = await import('./lost-output.ts')
  const told = error.withHint(afterFailedOutput(host, error.cause, done))
  return done.run === undefined && done.hasChanged === true ? told.with({ retry: false }) : told
}

/** Knows the secret of the environment from the start: it may be typed in the wrong place. Others are known once they were read. */
export function redactorFor({ env }: Host): Redactor {
  const redactor = new Redactor()
  const secret = (env['SVC_API_SECRET'] ?? '').trim()
  if (secret.length >= shortestSecret) redactor.hide(secret)
  return redactor
}

export function messagesOf(host: Host, redactor: Redactor): Messages {
  return new Messages(host, redactor, errorFormatOf(host), {
    color: allowsColor(host),
    typable: (text) => asBegun(host, text),
  })
}

/** The ladder from anything that was thrown to an exit code. */
export function report(known: SvcError, messages: Messages, wasCaught: boolean): number {
  // A signal that ended a read needs no words: the shell and the person know.
  if (wasCaught && known.category === 'interrupted' && known.details.ambiguous !== true)
    return known.exitCode
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

/** How anything that was thrown is told, and the exit code that it becomes. */
import { failedFile, fileError } from '../errno.ts'
import { messageOf, SvcError } from '../errors.ts'
import type { Host } from '../host.ts'
import { commandWriter } from '../cli/begun.ts'
import type { TypedLine } from '../cli/line.ts'
import { OutputFailed } from '../output/sink.ts'
import { Messages } from '../output/stderr.ts'
import { Redactor, shortestSecret } from '../output/text/redact.ts'
import { allowsColor, errorFormatOf } from './before-parsing.ts'

/** `line`: undefined where it could not be read. */
export async function reportAlone(
  host: Host,
  line: TypedLine | undefined,
  error: unknown,
): Promise<number> {
  const messages = messagesOf(host, line, redactorFor(host))
  return report(toSvcError(await withAdvice(line, error, {})), messages, false)
}

/** An error of stdout with what to do now; any other as it is. */
export async function withAdvice(
  line: TypedLine | undefined,
  error: unknown,
  done: { run?: unknown; hasChanged?: boolean },
) {
  if (!(error instanceof OutputFailed) || line === undefined) return error
  const { afterFailedOutput } = await import('./lost-output.ts')
  const told = error.withHint(afterFailedOutput(line, error.cause, done))
  return done.run === undefined && done.hasChanged === true ? told.with({ retry: false }) : told
}

/** Knows the secret of the environment from the start: it may be typed in the wrong place. Others are known once they were read. */
export function redactorFor({ env }: Host): Redactor {
  const redactor = new Redactor()
  const secret = (env['SVC_API_SECRET'] ?? '').trim()
  if (secret.length >= shortestSecret) redactor.hide(secret)
  return redactor
}

export function messagesOf(host: Host, line: TypedLine | undefined, redactor: Redactor): Messages {
  return new Messages(host, redactor, errorFormatOf(host, line), {
    color: allowsColor(host, line),
    write: commandWriter(host, line),
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

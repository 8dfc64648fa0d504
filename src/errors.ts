/**
 * The error type, its categories and exit codes, and the system's errors about files and folders in words for the person at
 * the terminal. Any other error that reaches `main` is a defect of svc (exit 1).
 */

import type { Message } from './message.ts'

/** Exit codes, by what a script does next: `svc help exit-codes` explains them. */
export const exit = {
  done: 0,
  /** A person reads the message. */
  failed: 1,
  /** Not begun: a person corrects what was typed or configured. */
  usage: 2,
  /** Finished, but some ids are not done. */
  incomplete: 3,
  /** Not allowed: no credentials, 401, 403. */
  auth: 4,
  /** Not finished: the same command later. */
  unavailable: 7,
} as const

/** Exit codes that a shell sees when a signal ended the process. */
export const signalCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

const byCategory = {
  usage: exit.usage,
  config: exit.usage,
  /** A rule of the profile. */
  policy: exit.usage,
  /** No answer, or another than yes. */
  confirm: exit.usage,
  auth: exit.auth,
  forbidden: exit.auth,
  rejected: exit.failed,
  /** The same attempt would fail again: a certificate, an unknown host, an answer without sense. */
  final: exit.failed,
  /** A file or the memory of this machine, after the first request. */
  local: exit.failed,
  internal: exit.failed,
  unavailable: exit.unavailable,
  /** Another process is at it. */
  busy: exit.unavailable,
  interrupted: signalCodes.SIGINT,
} as const

export type Category = keyof typeof byCategory

/** Details of an error in addition to its message. */
export interface ErrorDetails {
  /** More of the message, each text on a line of its own. */
  lines?: readonly string[] | undefined
  /** Advice: what to do now, in words for the person at the terminal; may have several lines. */
  hint?: Message | undefined
  /** If it differs from that of the category. */
  exitCode?: number | undefined
  httpStatus?: number | undefined
  /** The service's own error code, for example 40121. */
  code?: number | undefined
  request?:
    | {
        method: string
        path: string
        attempts: number
      }
    | undefined
  cause?: unknown
  /** Milliseconds that the service asks to wait, when that is longer than allowed. */
  retryAfter?: number | undefined
  /** A file has only tickets, without their new assignees: svc then asks for one (runs/jobs/typed.ts). */
  lacksEmployees?: boolean | undefined
  /** True if an attempt may have changed something, and nothing later showed whether it did. */
  ambiguous?: boolean | undefined
}

/** An error in words for the person at the terminal, with its category, from which the exit code follows. */
export class SvcError extends Error {
  override readonly name = 'SvcError'
  readonly category: Category
  readonly exitCode: number
  readonly details: ErrorDetails
  /** The first line of the message. A line break in it comes from other people's text, so it is made visible. */
  readonly headline: string

  constructor(category: Category, headline: string, details: ErrorDetails = {}) {
    const { lines = [] } = details
    const message = [headline, ...lines].join('\n  ')
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.category = category
    this.headline = headline
    this.exitCode = details.exitCode ?? byCategory[category]
    this.details = details
  }

  /** The same error with more known about it. */
  with(more: ErrorDetails): SvcError {
    const { category, headline, details, exitCode, stack } = this
    const copy = new SvcError(category, headline, { ...details, exitCode, ...more })
    if (stack !== undefined) copy.stack = stack
    return copy
  }
}

/** A mistake in what was typed: exit code 2, nothing was sent. */
export function usageError(message: string, hint?: Message): SvcError {
  return new SvcError('usage', message, { hint })
}

/** The error for a configuration that cannot be used: exit code 2. */
export function configError(message: string, hint?: Message): SvcError {
  return new SvcError('config', message, { hint })
}

/** Sends a change. If its answer is lost, the error says how to check whether it was made. */
export async function withHintIfLost<T>(send: () => Promise<T>, hint: Message): Promise<T> {
  try {
    return await send()
  } catch (error) {
    if (!(error instanceof SvcError) || error.details.ambiguous !== true) throw error
    throw error.with({ hint })
  }
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The `code` of a Node system error such as ENOENT, or undefined. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EBADF: 'it is not open for reading',
  EBUSY: 'it is in use',
  EDQUOT: 'no space left',
  EEXIST: 'that name is already in use',
  EFBIG: 'it would be too large',
  EIO: 'the disk reports an error',
  EISDIR: 'it is a folder',
  ELOOP: 'it is a symbolic link, or one of a loop of links',
  EMFILE: 'too many open files (raise ulimit -n)',
  ENAMETOOLONG: 'the name is too long',
  ENFILE: 'too many open files on this machine',
  ENOENT: 'there is no such file or folder',
  ENOSPC: 'no space left',
  ENOTDIR: 'a part of the path is not a folder',
  ENXIO: 'it is a socket, or a device that cannot be read',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ESTALE: 'the network folder is gone',
  ERR_INVALID_ARG_VALUE: 'a file cannot have this name',
}

/** Why a file or folder cannot be used. */
export function fileProblem(error: unknown): string {
  if (error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd')
    return 'the current folder was deleted'
  // Node has words for rare errors: "EXDEV: cross-device link not permitted, rename 'a' -> 'b'".
  const rare = /^(?:E[A-Z\d_]+|UNKNOWN): (.+?), \w+/.exec(messageOf(error))?.[1]
  return reasons[systemCode(error) ?? ''] ?? rare ?? messageOf(error)
}

/**
 * The error of a file or folder. `category`: `local` (exit code 1) for failures during the work; `usage` or `config` (2)
 * before any work.
 */
export function fileError(
  category: Extract<Category, 'local' | 'usage' | 'config'>,
  what: string,
  cause: unknown,
  hint?: Message,
): SvcError {
  return cause instanceof SvcError
    ? cause
    : new SvcError(category, `${what}: ${fileProblem(cause)}`, { hint, cause })
}

/** Codes of system errors about files that may name neither a call nor a path. */
const otherFileCodes: ReadonlySet<string> = new Set(
  'EDQUOT EEXIST EFBIG EIO EMFILE ENFILE ENOSPC EROFS'.split(' '),
)

/** The words of a system error about a file; undefined for an error that is not about files. */
export function fileErrorWords(error: unknown): string | undefined {
  const code = systemCode(error)
  if (!(error instanceof Error) || code === undefined) return undefined
  if ('syscall' in error && 'path' in error && typeof error.path === 'string')
    return `${error.path} cannot be used`
  return otherFileCodes.has(code) ? 'a file could not be used' : undefined
}

/**
 * Messages to people and the error type of svc: its categories, the exit codes, and plain words for the system's errors
 * about files. Any other error that reaches `main` is a defect of svc (exit 1), unless `fileHeadline` knows it as one about a file.
 */
import { signalCodes } from './host.ts'

/** Exit codes. Each tells a script what to do next; `svc help exit-codes` explains them. */
export const exitCodes = {
  done: 0,
  /** A person must read the message. */
  failed: 1,
  /** svc did nothing. A person must correct what was typed or configured. */
  usage: 2,
  /** svc finished, but some ids are not done. */
  incomplete: 3,
  /** There are no credentials, or they do not allow it: 401 or 403. */
  auth: 4,
  /** svc did not finish: a run goes on with `svc runs resume`, and any other command may work later. */
  unavailable: 7,
} as const

/** The categories of errors, and the exit code of each. */
const exitCodeOf = {
  usage: exitCodes.usage,
  config: exitCodes.usage,
  /** A rule of the profile forbids it. */
  policy: exitCodes.usage,
  /** A confirmation was needed, and the answer was not yes. */
  confirm: exitCodes.usage,
  auth: exitCodes.auth,
  forbidden: exitCodes.auth,
  rejected: exitCodes.failed,
  /** The same request would fail again: for example a bad certificate, an unknown host or an answer that makes no sense. */
  final: exitCodes.failed,
  /** This machine failed: a file could not be used, or a connection not opened. */
  local: exitCodes.failed,
  /** A defect of svc. */
  internal: exitCodes.failed,
  unavailable: exitCodes.unavailable,
  /** Another process is doing the same. */
  busy: exitCodes.unavailable,
  interrupted: signalCodes.SIGINT,
} as const

export type Category = keyof typeof exitCodeOf

/** Details of an error in addition to its message. */
export interface ErrorDetails {
  /** More lines of the message. */
  lines?: readonly string[] | undefined
  /** Advice for the person at the terminal. It may have several lines. A command to type is a line that begins with `svc`. */
  hint?: string | undefined
  /** The exit code, if it is not that of the category. */
  exitCode?: number | undefined
  httpStatus?: number | undefined
  /** The service's own error code, for example 40121. */
  code?: number | undefined
  cause?: unknown
  /** How long the service asked svc to wait, in milliseconds, if that is longer than what is left of `--wait`. */
  retryAfter?: number | undefined
  /** Whether the request may have changed something, and no answer shows whether it did. */
  ambiguous?: boolean | undefined
}

/** An error with a message for the person at the terminal. Its category decides the exit code. */
export class SvcError extends Error {
  override readonly name = 'SvcError'
  readonly category: Category
  readonly exitCode: number
  readonly details: ErrorDetails
  /**
   * The message without `lines`. It is printed as one line: a line break in it comes from other people's text, and
   * `output/stderr.ts` makes it visible.
   */
  readonly headline: string

  constructor(category: Category, headline: string, details: ErrorDetails = {}) {
    const { lines = [] } = details
    const message = [headline, ...lines].join('\n  ')
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.category = category
    this.headline = headline
    this.exitCode = details.exitCode ?? exitCodeOf[category]
    this.details = details
  }

  /** A copy of the error with more details. */
  with(more: ErrorDetails): SvcError {
    const { category, headline, details, exitCode, stack } = this
    const copy = new SvcError(category, headline, { ...details, exitCode, ...more })
    if (stack !== undefined) copy.stack = stack
    return copy
  }
}

/** The error for a mistake in what was typed: exit code 2, nothing was sent. */
export function usageError(message: string, hint?: string): SvcError {
  return new SvcError('usage', message, { hint })
}

/** The error for a configuration that cannot be used: exit code 2. */
export function configError(message: string, hint?: string): SvcError {
  return new SvcError('config', message, { hint })
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The `code` of a Node system error such as ENOENT; undefined for anything else. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined
}

/** Why a file or folder cannot be used, by the code of the error. */
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

/** Why a file or folder cannot be used: `permission denied`. */
export function fileReason(error: unknown): string {
  if (error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd')
    return 'the current folder was deleted'
  const message = messageOf(error)
  // Node describes rare errors itself: "EXDEV: cross-device link not permitted, rename 'a' -> 'b'".
  const description = /^(?:E[A-Z\d_]+|UNKNOWN): (.+?), \w+/.exec(message)?.[1]
  return reasons[systemCode(error) ?? ''] ?? description ?? message
}

/**
 * The error for a file or folder that cannot be used. `category` is `local` (exit code 1) during the work, and `usage` or
 * `config` (exit code 2) before it. A cause that is an SvcError already explains itself and is returned as it is.
 */
export function fileError(
  category: Extract<Category, 'local' | 'usage' | 'config'>,
  headline: string,
  cause: unknown,
  hint?: string,
): SvcError {
  return cause instanceof SvcError
    ? cause
    : new SvcError(category, `${headline}: ${fileReason(cause)}`, { hint, cause })
}

/** Codes that always mean a file, even if an error has no path. */
const fileCodes: ReadonlySet<string> = new Set(
  'EDQUOT EEXIST EFBIG EIO EMFILE ENFILE ENOSPC EROFS'.split(' '),
)

/** The headline for an unexpected error, if it is a system error about a file; otherwise undefined. */
export function fileHeadline(error: unknown): string | undefined {
  const code = systemCode(error)
  if (!(error instanceof Error) || code === undefined) return undefined
  if ('syscall' in error && 'path' in error && typeof error.path === 'string')
    return `${error.path} cannot be used`
  return fileCodes.has(code) ? 'a file could not be used' : undefined
}

/** Errors of the system: their codes, and errors about files and folders in words for the person at the terminal. */
import { messageOf, SvcError, type Category } from './errors.ts'
import type { Message } from './message.ts'

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
  hint?: Message,
): SvcError {
  return cause instanceof SvcError
    ? cause
    : new SvcError(category, `${headline}: ${fileReason(cause)}`, { hint, cause })
}

/** Codes that only errors about files have, even if they name neither a system call nor a path. */
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

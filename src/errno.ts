/** Errors of the system about files and folders, in words for the person at the terminal. */
import type { Message } from './message.ts'
import { SvcError, messageOf, systemCode, type Category } from './errors.ts'

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
  // For what is rare Node has words of its own: "EXDEV: cross-device link not permitted, rename 'a' -> 'b'".
  const rare = /^(?:E[A-Z\d_]+|UNKNOWN): (.+?), \w+/.exec(messageOf(error))?.[1]
  return reasons[systemCode(error) ?? ''] ?? rare ?? messageOf(error)
}

/**
 * The error of a file or folder. `category`: `local` (exit code 10) for what svc keeps, and for whatever fails while working;
 * `usage` or `config` (2) for what a person named and nothing was done with yet.
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

/**
 * The error of a record or lock that svc keeps, before anything was sent: exit 10, but 2 where this user lacks the rights, which no
 * repetition gives.
 */
export function keptError(what: string, cause: unknown): SvcError {
  const code = systemCode(cause)
  if (code !== 'EACCES' && code !== 'EPERM') return fileError('local', what, cause)
  const hint = 'it must belong to this user, who must be able to read and write it'
  return fileError('config', what, cause, hint)
}

/** No space is left, on the disk or of what this user may take of it. */
export function isFull(error: unknown): boolean {
  return systemCode(error) === 'ENOSPC' || systemCode(error) === 'EDQUOT'
}

/** The creation of a file or folder under a name that nobody else has: a network disk lost the answer. The next one has another name. */
export function isLostCreation(error: unknown): boolean {
  return systemCode(error) === 'EEXIST'
}

/** Codes that are not about one file. */
const general: ReadonlySet<unknown> = new Set([
  'EDQUOT',
  'EFBIG',
  'EIO',
  'EMFILE',
  'ENFILE',
  'ENOSPC',
  'EROFS',
])

/** The error of a folder that svc keeps things in, before anything was sent: exit 10 only for what passes, since schedulers repeat on it. */
export function folderError(what: string, cause: unknown, hint: string): SvcError {
  const isGeneral = general.has(systemCode(cause)) && systemCode(cause) !== 'EROFS'
  const passes = isGeneral || isLostCreation(cause)
  return fileError(passes ? 'local' : 'config', what, cause, hint)
}

/** The file that a failure of the system is about, as words for an error; undefined for other failures. */
export function failedFile(error: unknown): string | undefined {
  const code = systemCode(error)
  if (!(error instanceof Error) || code === undefined) return undefined
  if ('syscall' in error && 'path' in error && typeof error.path === 'string')
    return `${error.path} cannot be used`
  return general.has(code) || isLostCreation(error) ? 'a file could not be used' : undefined
}

/**
 * Checks that nobody else can change what svc reads, and that nobody else can read a secret. Like ssh, svc looks at the owner and
 * mode of a file or folder itself, not of the folders above it.
 */
import type { Stats } from 'node:fs'
import { configError, fileError } from '../errors.ts'
import type { Host } from '../host.ts'
import { shellWord } from '../words.ts'

/** The disk, and the user who may write to the files. */
export type TrustHost = Pick<Host, 'userId' | 'disk'>

/**
 * Throws a config error if anybody but this user and root can write to a file or folder, or can do anything with one that has a
 * secret.
 */
export function checkTrust(
  { userId }: TrustHost,
  path: string,
  { uid, mode }: Stats,
  hasSecret = false,
) {
  if (uid !== userId && uid !== 0)
    throw configError(`${path} belongs to another user (owner id ${uid})`)
  const refuse = (what: string, change: string) =>
    configError(
      `others can ${what} ${path}`,
      `fix it with:\n  chmod ${change} ${shellWord(path)}`,
    )
  if ((mode & 0o022) !== 0) throw refuse('write to', 'go-w')
  if (hasSecret && (mode & 0o077) !== 0) throw refuse('read', 'go-rwx')
}

/** A file that is larger is no configuration and no secret: those have a few kilobytes. */
const maxBytes = 1024 * 1024

/**
 * Reads a regular file that nobody else can write to. Opens the file once, so that svc reads the same file that it checked.
 * Throws a config error if the file cannot be read or trusted.
 */
export function readTrusted(
  host: TrustHost,
  path: string,
): { stats: Stats; bytes: Buffer } {
  const { disk } = host
  // Without O_NONBLOCK, opening a named pipe would wait for somebody to write to it.
  const { O_RDONLY, O_NONBLOCK } = disk.constants
  let file: number | undefined
  try {
    file = disk.openSync(path, O_RDONLY | O_NONBLOCK)
    const stats = disk.fstatSync(file)
    if (!stats.isFile() || stats.size > maxBytes)
      throw configError(`${path} is not a regular file of at most 1 MB`)
    checkTrust(host, path, stats)
    return { stats, bytes: disk.readFileSync(file) }
  } catch (error) {
    // `fileError` returns the errors of these checks as they are.
    throw fileError('config', `${path} cannot be read`, error)
  } finally {
    if (file !== undefined) disk.closeSync(file)
  }
}

/**
 * Checks the state folder, or a folder of svc in it. Throws a config error if it is a link or a file, or if others own it or can
 * write to it. A missing folder is fine: svc creates it for this user alone.
 */
export function checkStateFolder(host: TrustHost, folder: string) {
  const hint = 'name another folder in SVC_STATE_DIR'
  try {
    const stats = host.disk.lstatSync(folder, { throwIfNoEntry: false })
    if (stats === undefined) return
    if (!stats.isDirectory())
      throw configError(`the state folder ${folder} is not a folder`, hint)
    checkTrust(host, folder, stats)
  } catch (error) {
    throw fileError('config', `the state folder ${folder} cannot be used`, error, hint)
  }
}

/**
 * Checks that nobody else can change the files and folders that svc relies on. Like ssh, svc looks at owner and mode of the
 * file itself, not of the folders above it.
 */
import type { Stats } from 'node:fs'
import { configError } from '../errors.ts'
import { fileError } from '../system-errors.ts'
import type { Host } from '../host.ts'
import { shellWord } from '../words.ts'

/** The disk, and the user who may write to the files. */
export type TrustHost = Pick<Host, 'userId' | 'disk'>

/** Throws a config error if anybody but this user and root can write to the file. Windows has no such modes. */
export function refuseWritable({ userId }: TrustHost, path: string, { uid, mode }: Stats) {
  if (userId === undefined) return
  if (uid !== userId && uid !== 0)
    throw configError(`${path} belongs to another user (owner id ${uid})`)
  if ((mode & 0o022) !== 0) throw openToOthersError('write to', 'go-w', path)
}

/**
 * Throws a config error if others can read a file of this user, which has a secret in it. A file of root may be readable:
 * containers mount secrets so.
 */
export function refuseReadable({ userId }: TrustHost, path: string, { uid, mode }: Stats) {
  if (uid === userId && (mode & 0o077) !== 0)
    throw openToOthersError('read', 'go-rwx', path)
}

function openToOthersError(verb: string, modeChange: string, path: string) {
  const hint = `fix it with:\n  chmod ${modeChange} ${shellWord(path)}`
  return configError(`others can ${verb} ${path}`, hint)
}

/** A configuration or a secret has a few kilobytes. Anything larger is the wrong file. */
const maxBytes = 1024 * 1024

/**
 * Reads a regular file that nobody else can write to. The file is opened once, so that svc reads the file that it checked.
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
    refuseWritable(host, path, stats)
    return { stats, bytes: disk.readFileSync(file) }
  } catch (error) {
    throw fileError('config', `${path} cannot be read`, error)
  } finally {
    if (file !== undefined) disk.closeSync(file)
  }
}

/**
 * Throws a config error if svc cannot use the state folder or one of its own folders in it: it is a link or a file, or
 * others own it or can write to it. A missing folder is fine: svc creates it for this user alone.
 */
export function checkStateFolder(host: TrustHost, folder: string) {
  const hint = 'name another folder in SVC_STATE_DIR'
  try {
    const stats = host.disk.lstatSync(folder, { throwIfNoEntry: false })
    if (stats === undefined) return
    if (!stats.isDirectory())
      throw configError(`the state folder ${folder} is not a folder`, hint)
    refuseWritable(host, folder, stats)
  } catch (error) {
    throw fileError('config', `the state folder ${folder} cannot be used`, error, hint)
  }
}

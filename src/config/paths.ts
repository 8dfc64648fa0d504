/**
 * svc's own files and folders: where the configuration, the records of runs and compiled code are, and that nobody else can change
 * what svc reads, or read a secret. Like ssh, svc looks at the owner and mode of a file or folder itself, not of the folders above it.
 */
import type { Stats } from 'node:fs'
import { isAbsolute, join, resolve, sep } from 'node:path'
import { makeFolders } from '../disk/folders.ts'
import { configError, fileError, systemCode, usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import { shellWord } from '../words.ts'

/** The value of an environment variable without the white space around it; undefined if it is empty or not set. */
export function variable({ env }: Pick<Host, 'env'>, name: string) {
  const value = env[name]?.trim()
  return value === '' ? undefined : value
}

/** The folder in a variable. A relative one is ignored, because it would depend on the current folder (XDG calls it invalid). */
function folderVariable(host: Host, name: string) {
  const value = variable(host, name)
  return value !== undefined && isAbsolute(value) ? value : undefined
}

/** svc's folder in the one that a variable of XDG names, or in its default below the home folder; undefined without a home folder. */
function ownFolder(host: Host, variableName: string, belowHome: string) {
  const named = folderVariable(host, variableName)
  if (named !== undefined) return join(named, 'svc')
  const home = folderVariable(host, 'HOME')
  return home === undefined ? undefined : join(home, belowHome, 'svc')
}

/** A path with the home folder in place of its `~`. */
export function expandHome(host: Host, path: string) {
  return path.replace(/^~(?=[/\\])/, () => folderVariable(host, 'HOME') ?? '~')
}

/** Makes a path absolute, with the home folder in place of its `~`. An absolute path needs no current folder, which may be deleted. */
export function absolute(host: Host, path: string) {
  const expanded = expandHome(host, path)
  return isAbsolute(expanded) ? expanded : join(host.cwd(), expanded)
}

/**
 * Finds the configuration file: the one that SVC_CONFIG names, or else the first of three names in the configuration folder. If
 * there is none, returns where svc would create it; undefined without a home folder, so that commands that need no file work there.
 */
export function findConfigPath(host: Host) {
  const named = variable(host, 'SVC_CONFIG')
  if (named !== undefined) {
    const path = absolute(host, named)
    return { path, exists: fileExists(host, path) }
  }
  const folder = ownFolder(host, 'XDG_CONFIG_HOME', '.config')
  if (folder === undefined) return undefined
  const paths = ['config.json', 'config.yaml', 'config.yml'].map((name) =>
    join(folder, name),
  )
  const existing = paths.find((path) => fileExists(host, path))
  return { path: existing ?? join(folder, 'config.json'), exists: existing !== undefined }
}

/** Whether there is a file. Throws a config error if svc cannot tell: the file that it overlooks could name the service to use. */
function fileExists({ disk }: Host, path: string) {
  try {
    return disk.lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    // The path leads through a file.
    if (systemCode(error) === 'ENOTDIR') return false
    throw fileError('config', `${path} cannot be read`, error)
  }
}

/** The folder of the records of runs, which may not exist yet. Throws a config error if svc has none, or cannot use it. */
export function stateFolder(host: Host) {
  const folder = statePath(host)
  if (folder === undefined) throw noHomeError('the records of runs', 'SVC_STATE_DIR')
  if (!isAbsolute(folder))
    throw configError(
      `SVC_STATE_DIR must be an absolute path, not "${folder}"`,
      'runs would be kept in another folder wherever a command is typed',
    )
  checkStateFolder(host, folder)
  return folder
}

/** The path of the state folder as it is set, which may be relative; undefined without a home folder. */
function statePath(host: Host) {
  const named = variable(host, 'SVC_STATE_DIR')
  return named === undefined
    ? ownFolder(host, 'XDG_STATE_HOME', '.local/state')
    : expandHome(host, named)
}

/** Throws exit 2 for a file that would lie in the state folder, among the records of runs. */
export function refuseInStateFolder(host: Host, path: string) {
  const folder = statePath(host)
  if (folder === undefined) return
  if (!`${resolve(path)}${sep}`.startsWith(`${resolve(folder)}${sep}`)) return
  throw usageError(
    `"${path}" is in the state folder, where svc keeps its runs`,
    'choose another place',
  )
}

/** The error for files that have no place without a home folder. The variable can name a place. */
export function noHomeError(contents: string, variableName: string) {
  return configError(
    `there is no home folder, and so no place for ${contents}`,
    `set HOME to an absolute path, or name a place in ${variableName}`,
  )
}

/**
 * Makes the folder in which Node (22.1 and later) keeps the compiled code of svc. `bin/svc.js` asks for it. Returns undefined if
 * there is no home folder, if the folder cannot be made, or if others can write to it and so have svc run their code.
 * Every command then compiles its code itself.
 */
export function makeCodeFolder(host: Host) {
  const cache = ownFolder(host, 'XDG_CACHE_HOME', '.cache')
  if (cache === undefined) return undefined
  const path = join(cache, 'code')
  try {
    // Node makes folders in `code` with wider rights. Nobody else gets through `code` (0700) to them.
    makeFolders(host, path)
    checkTrust(host, path, host.disk.lstatSync(path))
    return path
  } catch {
    return undefined
  }
}

/**
 * Throws a config error if anybody but this user and root can write to a file or folder, or can do anything with one that has a
 * secret.
 */
export function checkTrust(
  { userId }: Host,
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
export function readTrusted(host: Host, path: string) {
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
export function checkStateFolder(host: Host, folder: string) {
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

/**
 * The variables that svc reads, the paths of its files (the configuration, the records of runs, compiled code), and checks that
 * nobody else can change what svc relies on. Like ssh, svc looks at owner and mode of a file itself, not of the folders above it.
 */
import type { Stats } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { configError, fileError, systemCode } from '../errors.ts'
import type { Host } from '../host.ts'
import { missingFolders } from '../output/whole.ts'
import { shellWord } from '../words.ts'

/** The value of an environment variable; undefined if it is empty or not set. */
export function variable({ env }: Pick<Host, 'env'>, name: string): string | undefined {
  const value = env[name]
  return value === '' ? undefined : value
}

/** The home folder, or undefined if the environment has none. */
export function homeFolder(host: Host): string | undefined {
  return folderVariable(host, host.platform === 'win32' ? 'USERPROFILE' : 'HOME')
}

/** The absolute path in a variable. XDG: a relative path is invalid and ignored. It would depend on the current folder. */
function folderVariable(host: Host, name: string): string | undefined {
  const value = variable(host, name)
  return value !== undefined && isAbsolute(value) ? value : undefined
}

/** Where svc keeps each kind of file: the variable that names the folder, and its default below the home folder. */
const folders = {
  config: { xdg: 'XDG_CONFIG_HOME', windows: 'APPDATA', belowHome: '.config' },
  state: { xdg: 'XDG_STATE_HOME', windows: 'LOCALAPPDATA', belowHome: '.local/state' },
  cache: { xdg: 'XDG_CACHE_HOME', windows: 'LOCALAPPDATA', belowHome: '.cache' },
} as const

/** The folder of svc for a kind of file; undefined without a home folder. */
function platformFolder(host: Host, kind: keyof typeof folders): string | undefined {
  const { xdg, windows, belowHome } = folders[kind]
  const home = homeFolder(host)
  const folder =
    folderVariable(host, xdg) ??
    (host.platform === 'win32' ? folderVariable(host, windows) : undefined) ??
    (home && join(home, belowHome))
  return folder && join(folder, 'svc')
}

/** Makes a path absolute. It reads the current folder, which may have been deleted, only for a relative path. */
export function absolute(host: Pick<Host, 'cwd'>, path: string): string {
  return isAbsolute(path) ? path : join(host.cwd(), path)
}

/** Where the configuration file is, or where svc would create it. */
export interface ConfigPath {
  path: string
  exists: boolean
  isFromVariable: boolean
}

/**
 * Finds the configuration file: the one that SVC_CONFIG names, or else the first of three names in the configuration folder.
 * Returns undefined without a home folder, so that commands that need no file work there.
 */
export function findConfigPath(host: Host): ConfigPath | undefined {
  const named = variable(host, 'SVC_CONFIG')
  if (named !== undefined) {
    const path = absolute(host, named)
    return { path, exists: fileExists(host, path), isFromVariable: true }
  }
  const folder = platformFolder(host, 'config')
  if (folder === undefined) return undefined
  const candidates = ['config.json', 'config.yaml', 'config.yml']
  const existing = candidates.find((name) => fileExists(host, join(folder, name)))
  return {
    path: join(folder, existing ?? 'config.json'),
    exists: existing !== undefined,
    isFromVariable: false,
  }
}

/** Throws a config error if svc cannot tell: a file that it overlooked could name another service. */
function fileExists({ disk }: Host, path: string) {
  try {
    return disk.lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    if (systemCode(error) === 'ENOTDIR') return false
    throw fileError('config', `${path} cannot be read`, error)
  }
}

/** The folder of the records of runs, which may not exist yet. Throws a config error if svc has none, or cannot use it. */
export function stateFolder(host: Host): string {
  const named = variable(host, 'SVC_STATE_DIR')
  const folder = named === undefined ? platformFolder(host, 'state') : absolute(host, named)
  if (folder === undefined) throw noHomeError('the records of runs', 'SVC_STATE_DIR')
  checkStateFolder(host, folder)
  return folder
}

/** The error for a place that depends on the home folder, and that the variable can name instead. */
export function noHomeError(contents: string, variableName: string) {
  return configError(
    `there is no home folder, and so no place for ${contents}`,
    `set HOME to an absolute path, or name a place in ${variableName}`,
  )
}

/**
 * Makes the folder in which Node keeps the compiled code of svc. `bin/svc.js` asks for it at the start, where Node has a
 * compile cache (22.1 and later). Returns undefined if there is no home folder, if others can write to the folder (its code
 * is run), and if it cannot be made. Commands then compile their code each time.
 */
export function codeFolder(host: Host): string | undefined {
  const cache = platformFolder(host, 'cache')
  if (cache === undefined) return undefined
  const path = join(cache, 'code')
  try {
    // Node makes its own folder below this one with the umask, which may let others write.
    for (const folder of missingFolders(host, path))
      host.disk.mkdirSync(folder, { mode: 0o700 })
    refuseWritable(host, path, host.disk.lstatSync(path))
    return path
  } catch {
    return undefined
  }
}

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

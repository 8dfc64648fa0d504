/**
 * Finds svc's own files and folders. The places are those of env-paths (without a suffix), but computed here from the host's
 * environment, because env-paths reads the environment and the home folder only once, when it is loaded.
 */
import { isAbsolute, join } from 'node:path'
import { SvcError, systemCode, usageError, fileError } from '../errors.ts'
import type { Host } from '../host.ts'
import type { Message } from '../message.ts'
import {
  folderVariable,
  homeVariable,
  platformFolder,
  type Sourced,
} from './environment.ts'
import { fromOptionOrVariable, type TypedSettings } from './settings.ts'

/** The absolute form of a typed path. Throws exit 2 if it is relative to a folder that no longer exists. */
export function resolvePath(host: Host, path: string, what: string): string {
  if (isAbsolute(path)) return path
  try {
    return join(host.cwd(), path)
  } catch (error) {
    throw configError(
      `${what} names a file in the current folder, which no longer exists`,
      'go to another folder, or give an absolute path',
      error,
    )
  }
}

/** Where the user's file is, or would be. */
export interface ConfigPlace {
  path: string
  /** Whether --config or SVC_CONFIG named it: then it can be anywhere, not only in svc's own folder. */
  named: boolean
  exists: boolean
}

const userFileNames = ['config.json', 'config.yaml', 'config.yml'] as const

/** The configuration file to use; undefined if none is named and there is no home folder. Throws exit 2 if there are two. */
export function userFilePlace(
  host: Host,
  options: Pick<TypedSettings, 'config'>,
): ConfigPlace | undefined {
  const named = namedPlace(host, 'config', options)
  if (named !== undefined)
    return { path: named.value, named: true, exists: entryExists(host, named.value) }
  const folder = platformFolder(host, 'config')
  if (folder === undefined) return undefined
  const paths = userFileNames.map((name) => join(folder, name))
  const [found, another] = paths.filter((path) => entryExists(host, path))
  if (another !== undefined)
    throw configError(
      `there are two configuration files: ${found} and ${another}`,
      'keep one of them',
    )
  const path = found ?? join(folder, userFileNames[0])
  return { path, named: false, exists: found !== undefined }
}

/** The absolute place that an option or a variable names. Throws exit 2. */
function namedPlace(
  host: Host,
  key: 'config' | 'stateDir',
  options: TypedSettings,
): Sourced<string> | undefined {
  const found = fromOptionOrVariable(key, host, options)
  if (found?.value === undefined) return undefined
  const { value, source } = found
  const kind = key === 'config' ? 'file' : 'folder'
  if (value === '') throw usageError(`${source} needs the name of a ${kind}`)
  return { value: resolvePath(host, value, source), source }
}

/** Whether a file exists. Throws exit 2 if svc cannot tell: a file that it overlooked could name another service. */
function entryExists({ disk }: Host, path: string) {
  try {
    return disk.lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    if (systemCode(error) === 'ENOTDIR') return false
    throw fileError('config', `${path} cannot be read`, error)
  }
}

/**
 * The folder for records of runs: from the option, the variable, XDG_STATE_HOME or the platform. Throws exit 2 without a
 * home folder.
 */
export function stateDir(
  host: Host,
  options: Pick<TypedSettings, 'stateDir'>,
): Sourced<string> {
  const named = namedPlace(host, 'stateDir', options)
  if (named !== undefined) return named
  const xdg = folderVariable(host, 'XDG_STATE_HOME')
  if (xdg !== undefined) return { value: join(xdg, 'svc'), source: 'XDG_STATE_HOME' }
  const value = platformFolder(host, 'state')
  if (value !== undefined) return { value, source: 'built-in' }
  const wayOut = 'a folder with --state-dir or SVC_STATE_DIR'
  throw noHomeError(host, 'the records of bulk runs', wayOut)
}

/** The error for a configuration that cannot be used: exit 2. */
export function configError(message: string, hint?: Message, cause?: unknown): SvcError {
  return new SvcError('config', message, { hint, cause })
}

/** The error for a place in the home folder, if there is no home folder. */
export function noHomeError(host: Host, what: string, wayOut: string): SvcError {
  const name = homeVariable(host)
  const problem = `${name} is not set to an absolute path, so there is no place for ${what}`
  return configError(problem, `set ${name}, or name ${wayOut}`)
}

/** The configuration file and the state folder: their paths, and the errors when there is none. */
import { isAbsolute, join } from 'node:path'
import { SvcError, systemCode, fileError } from '../errors.ts'
import type { Host } from '../host.ts'
import type { Message } from '../message.ts'
import { homeVariable, platformFolder, variable } from './environment.ts'

/** The error for a configuration that cannot be used: exit 2. */
export function configError(message: string, hint?: Message, cause?: unknown): SvcError {
  return new SvcError('config', message, { hint, cause })
}

/** Asks for the current folder, which may be deleted, only if it is needed. */
export function absolute(host: Pick<Host, 'cwd'>, path: string): string {
  return isAbsolute(path) ? path : join(host.cwd(), path)
}

/** Where the configuration file is, or would be. */
export interface ConfigPath {
  path: string
  /** Named by SVC_CONFIG: it must exist. */
  isNamed: boolean
  exists: boolean
}

const fileNames = ['config.json', 'config.yaml', 'config.yml'] as const

/** Undefined if none is named and there is no home folder. Throws exit 2 if there are two. */
export function findConfigPath(host: Host): ConfigPath | undefined {
  const named = variable(host, 'SVC_CONFIG')
  if (named !== undefined) {
    const path = absolute(host, named)
    return { path, isNamed: true, exists: fileExists(host, path) }
  }
  const folder = platformFolder(host, 'config')
  if (folder === undefined) return undefined
  const paths = fileNames.map((name) => join(folder, name))
  const [found, another] = paths.filter((path) => fileExists(host, path))
  if (another !== undefined)
    throw configError(
      `there are two configuration files: ${found} and ${another}`,
      'keep one of them',
    )
  const path = found ?? join(folder, fileNames[0])
  return { path, isNamed: false, exists: found !== undefined }
}

/** Throws exit 2 if svc cannot tell: a file that it overlooked could name another service. */
function fileExists({ disk }: Host, path: string) {
  try {
    return disk.lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    if (systemCode(error) === 'ENOTDIR') return false
    throw fileError('config', `${path} cannot be read`, error)
  }
}

/** The folder in which runs are kept, which may not exist yet. Throws exit 2 without a home folder. */
export function stateFolder(host: Host): string {
  const named = variable(host, 'SVC_STATE_DIR')
  if (named !== undefined) return absolute(host, named)
  const folder = platformFolder(host, 'state')
  if (folder !== undefined) return folder
  throw noHomeError(host, 'the records of bulk runs', 'a folder in SVC_STATE_DIR')
}

/** The error if there is no home folder. `wayOut`: what to name instead. */
export function noHomeError(host: Host, what: string, wayOut: string): SvcError {
  const name = homeVariable(host)
  const problem = `${name} is not set to an absolute path, so there is no place for ${what}`
  return configError(problem, `set ${name}, or name ${wayOut}`)
}

/** The configuration file and the state folder: their paths, and the errors when there is none. */
import { isAbsolute, join } from 'node:path'
import { SvcError, systemCode, fileError } from '../errors.ts'
import type { Host } from '../host.ts'
import type { Message } from '../message.ts'
import { platformFolder, variable } from './environment.ts'

/** The error for a configuration that cannot be used: exit 2. */
export function configError(message: string, hint?: Message): SvcError {
  return new SvcError('config', message, { hint })
}

/** Asks for the current folder, which may be deleted, only if it is needed. */
export function absolute(host: Pick<Host, 'cwd'>, path: string): string {
  return isAbsolute(path) ? path : join(host.cwd(), path)
}

/** Where the configuration file is, or would be. */
export interface ConfigPath {
  path: string
  /** Named by SVC_CONFIG. */
  isNamed: boolean
  exists: boolean
}

/**
 * The file of SVC_CONFIG, or else the first of these names in the configuration folder. Undefined without a home folder, so
 * that commands that need no file work there.
 */
export function findConfigPath(host: Host): ConfigPath | undefined {
  const named = variable(host, 'SVC_CONFIG')
  const folder = platformFolder(host, 'config')
  const usual = ['config.json', 'config.yaml', 'config.yml'].flatMap((name) =>
    folder === undefined ? [] : [join(folder, name)],
  )
  const places = named === undefined ? usual : [absolute(host, named)]
  const found = places.find((path) => fileExists(host, path))
  const [path = found] = places
  if (path === undefined) return undefined
  const isNamed = named !== undefined
  return { path: found ?? path, isNamed, exists: found !== undefined }
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
  return (
    platformFolder(host, 'state') ?? refuseNoHome('the records of runs', 'SVC_STATE_DIR')
  )
}

/** Throws exit 2. `instead`: the variable that names a place. */
export function refuseNoHome(what: string, instead: string): never {
  throw configError(
    `there is no home folder, and so no place for ${what}`,
    `set HOME to an absolute path, or name a place in ${instead}`,
  )
}

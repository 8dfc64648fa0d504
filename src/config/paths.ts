/**
 * Where svc's own folders are. The places are those of env-paths (without a suffix), worked out here from the host's
 * environment, because env-paths reads the environment and the home folder once, when it is loaded.
 */
import { isAbsolute, join } from 'node:path'
import { SvcError } from '../errors.ts'
import type { Host } from '../host.ts'

/** The part of the host that tells places. */
export type Surroundings = Pick<Host, 'env' | 'platform' | 'cwd'>

/** A variable of the environment; one that is set to nothing counts as not set. */
export function variable(host: Pick<Host, 'env'>, name: string): string | undefined {
  const value = host.env[name]
  return value === undefined || value === '' ? undefined : value
}

/** A folder named by a variable. XDG: a relative path is invalid and ignored; it would mean the current folder. */
function folderVariable(host: Surroundings, name: string): string | undefined {
  const value = variable(host, name)
  return value !== undefined && isAbsolute(value) ? value : undefined
}

/** The home folder, or undefined when the environment names none. */
export function homeFolder(host: Surroundings): string | undefined {
  return folderVariable(host, host.platform === 'win32' ? 'USERPROFILE' : 'HOME')
}

function inHome(host: Surroundings, ...parts: string[]): string | undefined {
  const home = homeFolder(host)
  return home === undefined ? undefined : join(home, ...parts)
}

/** The user's configuration folder, or undefined without a home. */
export function configFolder(host: Surroundings): string | undefined {
  if (host.platform === 'darwin') return inHome(host, 'Library', 'Preferences', 'svc')
  if (host.platform === 'win32') {
    const roaming = folderVariable(host, 'APPDATA') ?? inHome(host, 'AppData', 'Roaming')
    return roaming === undefined ? undefined : join(roaming, 'svc', 'Config')
  }
  const base = folderVariable(host, 'XDG_CONFIG_HOME') ?? inHome(host, '.config')
  return base === undefined ? undefined : join(base, 'svc')
}

/** The platform's folder for journals, and the words for where it comes from. Throws exit 2 without a home. */
export function stateFolder(host: Surroundings): { value: string; source: string } {
  const xdg = folderVariable(host, 'XDG_STATE_HOME')
  if (xdg !== undefined) return { value: join(xdg, 'svc'), source: 'XDG_STATE_HOME' }
  const value = platformStateFolder(host)
  if (value !== undefined) return { value, source: 'built-in' }
  throw new SvcError('config', `${homeVariable(host)} is not set, so there is no place for the journals of bulk runs`, {
    hint: `set ${homeVariable(host)}, or name a folder with --state-dir or SVC_STATE_DIR`,
  })
}

function platformStateFolder(host: Surroundings): string | undefined {
  if (host.platform === 'darwin') return inHome(host, 'Library', 'Application Support', 'svc')
  if (host.platform === 'win32') {
    const local = folderVariable(host, 'LOCALAPPDATA') ?? inHome(host, 'AppData', 'Local')
    return local === undefined ? undefined : join(local, 'svc', 'Data')
  }
  return inHome(host, '.local', 'state', 'svc')
}

export function homeVariable(host: Surroundings): string {
  return host.platform === 'win32' ? 'USERPROFILE' : 'HOME'
}

/** The current folder, or undefined when it was deleted. */
export function currentFolder(host: Surroundings): string | undefined {
  try {
    return host.cwd()
  } catch {
    return undefined
  }
}

/** An absolute path from one that was typed. Throws exit 2 when it is relative to a folder that is gone. */
export function resolvePath(host: Surroundings, path: string, what: string): string {
  if (isAbsolute(path)) return path
  const folder = currentFolder(host)
  if (folder !== undefined) return join(folder, path)
  throw new SvcError('config', `${what} names a file in the current folder, which no longer exists`, {
    hint: 'go to another folder, or give an absolute path',
  })
}

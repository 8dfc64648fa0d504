/** Variables, and the folders that they name. Nothing here takes long to load. */
import { isAbsolute, join } from 'node:path'
import type { Host } from '../host.ts'

/** A variable of the environment; one that is set to nothing counts as not set. */
export function variable({ env }: Pick<Host, 'env'>, name: string): string | undefined {
  const value = env[name]
  return value === '' ? undefined : value
}

export function homeVariable({ platform }: Host) {
  return platform === 'win32' ? 'USERPROFILE' : 'HOME'
}

/** The home folder, or undefined when the environment names none. */
export function homeFolder(host: Host): string | undefined {
  return folderVariable(host, homeVariable(host))
}

/** XDG: a relative path is invalid and ignored; it would mean the current folder. */
function folderVariable(host: Host, name: string): string | undefined {
  const value = variable(host, name)
  return value !== undefined && isAbsolute(value) ? value : undefined
}

/** Folders below the home folder, unless a variable names another one. On Windows each has a name of its own inside svc's. */
const folders = {
  config: {
    mac: 'Preferences',
    windows: ['APPDATA', 'AppData/Roaming', 'Config'],
    xdg: ['XDG_CONFIG_HOME', '.config'],
  },
  state: {
    mac: 'Application Support',
    windows: ['LOCALAPPDATA', 'AppData/Local', 'Data'],
    xdg: ['XDG_STATE_HOME', '.local/state'],
  },
  cache: {
    mac: 'Caches',
    windows: ['LOCALAPPDATA', 'AppData/Local', 'Cache'],
    xdg: ['XDG_CACHE_HOME', '.cache'],
  },
} as const

/**
 * svc's own folder of a kind; undefined without a home. env-paths has the same folders, but reads the environment only once,
 * when it is loaded.
 */
export function platformFolder(host: Host, kind: keyof typeof folders): string | undefined {
  const { mac, windows, xdg } = folders[kind]
  const home = homeFolder(host)
  if (host.platform === 'darwin') return home && join(home, 'Library', mac, 'svc')
  const [variableName, below, own = ''] = host.platform === 'win32' ? windows : xdg
  const base = folderVariable(host, variableName) ?? (home && join(home, below))
  return base && join(base, 'svc', own)
}

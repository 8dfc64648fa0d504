/** Variables, and the folders that they name. Nothing here takes long to load. */
import type { Host } from '../host.ts'
import { isAbsolute, join } from 'node:path'

/** A value and where it came from, in words for `svc doctor`. */
export interface Sourced<T> {
  value: T
  source: string
}

/** A variable of the environment; one that is set to nothing counts as not set. */
export function variable({ env }: Host, name: string): string | undefined {
  const value = env[name]
  return value === '' ? undefined : value
}

/** A folder named by a variable. XDG: a relative path is invalid and ignored; it would mean the current folder. */
export function folderVariable(host: Host, name: string): string | undefined {
  const value = variable(host, name)
  return value !== undefined && isAbsolute(value) ? value : undefined
}

export function homeVariable({ platform }: Host) {
  return platform === 'win32' ? 'USERPROFILE' : 'HOME'
}

/** The home folder, or undefined when the environment names none. */
export function homeFolder(host: Host): string | undefined {
  return folderVariable(host, homeVariable(host))
}

/** Below the home folder, unless a variable names another place; on Windows each has a name of its own in svc's folder. */
const places = {
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

/** Undefined without a home. */
export function platformFolder(host: Host, what: keyof typeof places): string | undefined {
  const { mac, windows, xdg } = places[what]
  const home = homeFolder(host)
  if (host.platform === 'darwin') return home && join(home, 'Library', mac, 'svc')
  const [variable, below, own = ''] = host.platform === 'win32' ? windows : xdg
  const base = folderVariable(host, variable) ?? (home && join(home, below))
  return base && join(base, 'svc', own)
}

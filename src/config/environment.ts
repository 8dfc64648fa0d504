/** Variables, and the folders that they name. Nothing here takes long to load. */
import { isAbsolute, join } from 'node:path'
import type { Host } from '../host.ts'

/** A variable of the environment; one that is set to nothing counts as not set. */
export function variable({ env }: Pick<Host, 'env'>, name: string): string | undefined {
  const value = env[name]
  return value === '' ? undefined : value
}

/** The home folder, or undefined when the environment names none. */
export function homeFolder(host: Host): string | undefined {
  return folderVariable(host, host.platform === 'win32' ? 'USERPROFILE' : 'HOME')
}

/** XDG: a relative path is invalid and ignored; it would mean the current folder. */
function folderVariable(host: Host, name: string): string | undefined {
  const value = variable(host, name)
  return value !== undefined && isAbsolute(value) ? value : undefined
}

/** The variable that names the folder of a kind, and the folder below the home folder if it is not set. */
const folders = {
  config: { variable: 'XDG_CONFIG_HOME', usual: '.config', windows: 'APPDATA' },
  state: { variable: 'XDG_STATE_HOME', usual: '.local/state', windows: 'LOCALAPPDATA' },
  cache: { variable: 'XDG_CACHE_HOME', usual: '.cache', windows: 'LOCALAPPDATA' },
} as const

/** svc's own folder of a kind, where gh has its own; undefined without a home. */
export function platformFolder(host: Host, kind: keyof typeof folders): string | undefined {
  const { variable: xdg, usual, windows } = folders[kind]
  const named = host.platform === 'win32' ? folderVariable(host, windows) : undefined
  const home = homeFolder(host)
  const base = folderVariable(host, xdg) ?? named ?? (home && join(home, usual))
  return base && join(base, 'svc')
}

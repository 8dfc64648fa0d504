/**
 * Variables that are no setting, read once, each value with the variable that it came from, and the folders that they name: with nothing
 * that takes long to load. `settings.ts`, `profile.ts` and `paths.ts` read them here, and `code-folder.ts` the cache folder.
 */
import type { Host } from '../host.ts'
import { isAbsolute, join } from 'node:path'

/** A value and where it came from, in words for `svc profiles show`. */
export interface Sourced<T> {
  readonly value: T
  readonly source: string
}

/** A variable of the environment; one that is set to nothing counts as not set. */
export function variable({ env }: Pick<Host, 'env'>, name: string): string | undefined {
  const value = env[name]
  return value === '' ? undefined : value
}

const names = {
  baseUrl: 'SVC_BASE_URL',
  apiKey: 'SVC_API_KEY',
  apiSecret: 'SVC_API_SECRET',
  apiSecretFile: 'SVC_API_SECRET_FILE',
  /** The only origin that may be reached in the sandbox's shell. */
  sandbox: 'SVC_SANDBOX',
  sandboxDir: 'SVC_SANDBOX_DIR',
  /** No compiled code is kept. */
  noCache: 'SVC_NO_CACHE',
} as const

export type Environment = Readonly<Partial<Record<keyof typeof names, Sourced<string>>>>

/** Unchecked: a wrong value is an error only where nothing comes before it. */
export function readEnvironment(host: Pick<Host, 'env'>): Environment {
  const found = Object.entries(names).flatMap(([key, source]) => {
    const value = variable(host, source)
    return value === undefined ? [] : [[key, { value, source }] as const]
  })
  return Object.fromEntries(found)
}

/**
 * The sandbox's shell. SVC_SANDBOX is the only origin that svc speaks to there, whatever options, files and other variables
 * say; SVC_SANDBOX_DIR is the folder in which its configuration and state lie, and nowhere else.
 */
export type Sandbox = Pick<Environment, 'sandbox' | 'sandboxDir'>

/** A folder of the sandbox's own; undefined outside its shell, and where SVC_SANDBOX_DIR is not set. */
export function sandboxFolder(
  { sandbox, sandboxDir }: Sandbox,
  name: 'config' | 'state' | 'cache',
) {
  return sandbox === undefined || sandboxDir === undefined
    ? undefined
    : join(sandboxDir.value, name)
}

/** The part of the host that tells folders. */
export type FolderHost = Pick<Host, 'env' | 'platform'>

/** A folder named by a variable. XDG: a relative path is invalid and ignored; it would mean the current folder. */
export function folderVariable(host: FolderHost, name: string): string | undefined {
  const value = variable(host, name)
  return value !== undefined && isAbsolute(value) ? value : undefined
}

/** The home folder, or undefined when the environment names none. */
export function homeFolder(host: FolderHost): string | undefined {
  return folderVariable(host, host.platform === 'win32' ? 'USERPROFILE' : 'HOME')
}

export function homeVariable(host: FolderHost): string {
  return host.platform === 'win32' ? 'USERPROFILE' : 'HOME'
}

function inHome(host: FolderHost, ...parts: string[]): string | undefined {
  const home = homeFolder(host)
  return home === undefined ? undefined : join(home, ...parts)
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
export function platformFolder(
  host: FolderHost,
  what: keyof typeof places,
): string | undefined {
  const { mac, windows, xdg } = places[what]
  if (host.platform === 'darwin') return inHome(host, 'Library', mac, 'svc')
  const [variable, below, own = ''] = host.platform === 'win32' ? windows : xdg
  const base = folderVariable(host, variable) ?? inHome(host, below)
  return base === undefined ? undefined : join(base, 'svc', own)
}

/** Where what can be lost is kept; undefined without a home, and where SVC_NO_CACHE is set. */
export function cacheFolder(host: FolderHost): string | undefined {
  const env = readEnvironment(host)
  if (env.noCache !== undefined) return undefined
  return sandboxFolder(env, 'cache') ?? platformFolder(host, 'cache')
}

/**
 * Where svc's own files and folders are. The places are those of env-paths (without a suffix), worked out here from the host's environment,
 * because env-paths reads the environment and the home folder once, when it is loaded. `load.ts`, `profile.ts` and the record of runs ask
 * it; `svc doctor` prints the answers.
 */
import { isAbsolute, join, relative } from 'node:path'
import { fileError } from '../errno.ts'
import { SvcError, systemCode, usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import {
  folderVariable,
  homeFolder,
  homeVariable,
  platformFolder,
  readEnvironment,
  sandboxFolder,
  type Environment,
  type Sandbox,
  type Sourced,
} from './environment.ts'
import { withoutFiles, type TypedSettings } from './settings.ts'

/** The part of the host that tells places. */
export type PathHost = Pick<Host, 'env' | 'platform' | 'cwd' | 'disk'>

/** A text with paths, for people: `~` for the home folder. */
export function withTilde(host: PathHost, text: string): string {
  const home = homeFolder(host)
  return home === undefined ? text : text.replaceAll(join(home, '/'), join('~', '/'))
}

/** The platform's folder for journals, and the words for where it comes from. Throws exit 2 without a home. */
function stateFolder(host: PathHost): Sourced<string> {
  const xdg = folderVariable(host, 'XDG_STATE_HOME')
  if (xdg !== undefined) return { value: join(xdg, 'svc'), source: 'XDG_STATE_HOME' }
  const value = platformFolder(host, 'state')
  if (value !== undefined) return { value, source: 'built-in' }
  throw new SvcError(
    'config',
    `${homeProblem(host)}, so there is no place for the journals of bulk runs`,
    {
      hint: `set ${homeVariable(host)}, or name a folder with --state-dir or SVC_STATE_DIR`,
    },
  )
}

/** Why there is no home, in words. */
export function homeProblem(host: PathHost): string {
  const variable = homeVariable(host)
  const value = host.env[variable]
  if (value === undefined || value === '') return `${variable} is not set`
  return `${variable} is ${JSON.stringify(value)}, which is not a whole path`
}

/** The current folder, or undefined when it was deleted. */
export function currentFolder(host: PathHost): string | undefined {
  try {
    return host.cwd()
  } catch {
    return undefined
  }
}

/** An absolute path from one that was typed. Throws exit 2 when it is relative to a folder that is gone. */
export function resolvePath(host: PathHost, path: string, what: string): string {
  if (isAbsolute(path)) return path
  const folder = currentFolder(host)
  if (folder !== undefined) return join(folder, path)
  throw new SvcError(
    'config',
    `${what} names a file in the current folder, which no longer exists`,
    {
      hint: 'go to another folder, or give an absolute path',
    },
  )
}

/** Where the user's file is, or would be. */
export interface ConfigPlace {
  readonly path: string
  /** Why this one, in words. */
  readonly source: string
  /** Named by --config or SVC_CONFIG: anywhere, rather than in a folder of svc's own. */
  readonly named: boolean
  readonly exists: boolean
}

const userNames = ['config.json', 'config.yaml', 'config.yml'] as const
const projectNames = ['.svcrc.json', '.svcrc.yaml'] as const
const sandboxOwn = "the sandbox's own folder"

/** The configuration file that counts; undefined without a home and a name. Throws when there are two. */
export function userFilePlace(
  host: PathHost,
  options: Pick<TypedSettings, 'config'>,
  env = readEnvironment(host),
): ConfigPlace | undefined {
  const named = namedPlace(host, env, 'config', options)
  if (named !== undefined)
    return {
      path: named.value,
      source: named.source,
      named: true,
      exists: entryExists(host, named.value),
    }
  const own = sandboxFolder(env, 'config')
  const folder = own ?? platformFolder(host, 'config')
  if (folder === undefined) return undefined
  const found = onlyOne(host, folder, userNames)
  return {
    path: found ?? join(folder, userNames[0]),
    source: own === undefined ? 'the configuration folder' : sandboxOwn,
    named: false,
    exists: found !== undefined,
  }
}

/** The place that an option names, or a variable outside the sandbox's shell; absolute. Throws exit 2, and 4 outside the sandbox's folder. */
function namedPlace(
  host: PathHost,
  env: Environment,
  key: 'config' | 'stateDir',
  options: TypedSettings,
) {
  const inSandbox = env.sandbox !== undefined && env.sandboxDir !== undefined
  const found = withoutFiles(key, inSandbox ? { env: {} } : host, options)
  if (found?.value === undefined) return undefined
  const { value, source } = found
  if (value === '')
    throw usageError(`${source} needs the name of a ${key === 'config' ? 'file' : 'folder'}`)
  const path = resolvePath(host, value, source)
  if (options[key] !== undefined) checkSandboxPath(env, path, source)
  return { value: path, source, ...(isAbsolute(value) ? {} : { relative: value }) }
}

/** The current folder's project file; undefined if there is none, or --config names it. No other is looked at. */
export function projectFilePath(host: PathHost, user: ConfigPlace | undefined): string | undefined {
  const folder = currentFolder(host)
  const path = folder === undefined ? undefined : onlyOne(host, folder, projectNames)
  return path !== undefined && user?.named === true && sameFile(host, path, user.path)
    ? undefined
    : path
}

function onlyOne(
  host: PathHost,
  folder: string,
  candidates: readonly string[],
): string | undefined {
  const found = candidates
    .map((name) => join(folder, name))
    .filter((path) => entryExists(host, path))
  if (found.length > 1) {
    throw new SvcError('config', `there are two configuration files: ${found.join(' and ')}`, {
      hint: 'keep one of them',
    })
  }
  return found[0]
}

/** Whether a folder has an entry. One that may not be looked into is an error: its file would decide who is meant. */
function entryExists({ disk }: PathHost, path: string): boolean {
  try {
    return disk.lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    if (systemCode(error) === 'ENOTDIR') return false
    throw fileError('config', `${path} cannot be read`, error)
  }
}

function sameFile({ disk }: PathHost, left: string, right: string): boolean {
  try {
    return disk.realpathSync(left) === disk.realpathSync(right)
  } catch {
    return left === right
  }
}

export interface StateDir extends Sourced<string> {
  /** Where it was named relative to the current folder: what was typed. */
  readonly relative?: string
}

/** The folder for journals: option, the sandbox's own in its shell, variable, XDG_STATE_HOME, the platform's. */
export function stateDir(
  host: PathHost,
  options: Pick<TypedSettings, 'stateDir'>,
  env = readEnvironment(host),
): StateDir {
  const own = sandboxFolder(env, 'state')
  const usual = () => (own === undefined ? stateFolder(host) : { value: own, source: sandboxOwn })
  return namedPlace(host, env, 'stateDir', options) ?? usual()
}

function refusal(message: string): SvcError {
  const hint = 'this shell can reach only its sandbox; type exit to leave it first'
  return new SvcError('auth', message, { hint })
}

/** Throws exit 4 when this is the sandbox's shell and the base URL is of another origin. `source`: where it is written. */
export function checkSandboxOrigin({ sandbox }: Sandbox, baseUrl: string, source: string): void {
  if (sandbox === undefined) return
  const { origin } = new URL(baseUrl)
  if (URL.canParse(sandbox.value) && new URL(sandbox.value).origin === origin) return
  throw refusal(`${source} leads to ${origin}, but SVC_SANDBOX allows only ${sandbox.value}`)
}

/** Throws exit 4 when this is the sandbox's shell and an option names a place outside the sandbox's folder. */
export function checkSandboxPath(
  { sandbox, sandboxDir }: Sandbox,
  path: string,
  option: string,
): void {
  if (sandbox === undefined) return
  if (sandboxDir !== undefined) {
    const way = relative(sandboxDir.value, path)
    if (way !== '..' && !way.startsWith('../') && !way.startsWith('..\\') && !isAbsolute(way))
      return
  }
  throw refusal(`${option} names ${path}, which is outside the sandbox's folder`)
}

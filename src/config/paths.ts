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
  /** Named by --config or SVC_CONFIG: anywhere, rather than in a folder of svc's own. */
  readonly named: boolean
  readonly exists: boolean
}

const userNames = ['config.json', 'config.yaml', 'config.yml'] as const

/** The configuration file that counts; undefined without a home and a name. Throws when there are two. */
export function userFilePlace(
  host: PathHost,
  options: Pick<TypedSettings, 'config'>,
  env = readEnvironment(host),
): ConfigPlace | undefined {
  const named = namedPlace(host, env, 'config', options)
  if (named !== undefined)
    return { path: named.value, named: true, exists: entryExists(host, named.value) }
  const folder = sandboxFolder(env, 'config') ?? platformFolder(host, 'config')
  if (folder === undefined) return undefined
  const found = fileIn(host, folder)
  const path = found ?? join(folder, userNames[0])
  return { path, named: false, exists: found !== undefined }
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
    throw usageError(
      `${source} needs the name of a ${key === 'config' ? 'file' : 'folder'}`,
    )
  const path = resolvePath(host, value, source)
  if (options[key] !== undefined) checkSandboxPath(env, path, source)
  return { value: path, source, ...(isAbsolute(value) ? {} : { relative: value }) }
}

/** A file of the current folder with which 3.1 chose a profile. It is not opened. */
export function projectFile(host: PathHost): string | undefined {
  const folder = currentFolder(host) ?? ''
  const paths = ['.svcrc.json', '.svcrc.yaml'].map((name) => join(folder, name))
  return paths.find((path) => folder !== '' && entryExists(host, path))
}

/** The user's file in its folder. Throws exit 2 when there are two. */
function fileIn(host: PathHost, folder: string): string | undefined {
  const paths = userNames.map((name) => join(folder, name))
  const [found, another] = paths.filter((path) => entryExists(host, path))
  if (another === undefined) return found
  throw new SvcError(
    'config',
    `there are two configuration files: ${found} and ${another}`,
    {
      hint: 'keep one of them',
    },
  )
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
  const named = namedPlace(host, env, 'stateDir', options)
  if (named !== undefined || own === undefined) return named ?? stateFolder(host)
  return { value: own, source: "the sandbox's own folder" }
}

function refusal(message: string): SvcError {
  const hint = 'this shell can reach only its sandbox; type exit to leave it first'
  return new SvcError('auth', message, { hint })
}

/** Throws exit 4 when this is the sandbox's shell and the base URL is of another origin. `source`: where it is written. */
export function checkSandboxOrigin(
  { sandbox }: Sandbox,
  baseUrl: string,
  source: string,
): void {
  if (sandbox === undefined) return
  const { origin } = new URL(baseUrl)
  if (URL.canParse(sandbox.value) && new URL(sandbox.value).origin === origin) return
  throw refusal(
    `${source} leads to ${origin}, but SVC_SANDBOX allows only ${sandbox.value}`,
  )
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
    if (
      way !== '..' &&
      !way.startsWith('../') &&
      !way.startsWith('..\\') &&
      !isAbsolute(way)
    )
      return
  }
  throw refusal(`${option} names ${path}, which is outside the sandbox's folder`)
}

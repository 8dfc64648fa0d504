/** Variables that are no setting, read once, each value with the variable that it came from. */
import type { Host } from '../host.ts'
import { isAbsolute, join, relative } from 'node:path'
import { SvcError } from '../errors.ts'

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
  /** Names for completion are neither kept nor offered; no compiled code is kept. */
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
type Sandbox = Pick<Environment, 'sandbox' | 'sandboxDir'>

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

/** A folder of the sandbox's own; undefined outside its shell, and where SVC_SANDBOX_DIR is not set. */
export function sandboxFolder(
  { sandbox, sandboxDir }: Sandbox,
  name: 'config' | 'state' | 'cache',
) {
  return sandbox === undefined || sandboxDir === undefined
    ? undefined
    : join(sandboxDir.value, name)
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

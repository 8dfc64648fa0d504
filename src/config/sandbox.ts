/**
 * The sandbox's shell. SVC_SANDBOX is the only origin that svc speaks to there, whatever options, files and other variables
 * say; SVC_SANDBOX_DIR is the folder in which its configuration and state lie, and nowhere else.
 */
import { isAbsolute, join, relative } from 'node:path'
import { SvcError } from '../errors.ts'
import type { Environment } from './environment.ts'

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

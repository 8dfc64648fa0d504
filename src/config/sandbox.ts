/**
 * The sandbox's shell. SVC_SANDBOX is the only origin that svc speaks to there, whatever options, files and other variables
 * say; SVC_SANDBOX_DIR is the folder in which its configuration and state lie, and nowhere else.
 */
import { isAbsolute, join, relative } from 'node:path'
import { SvcError } from '../errors.ts'
import type { Host } from '../host.ts'
import { variable } from './paths.ts'

type Environment = Pick<Host, 'env'>

function refused(message: string): SvcError {
  const hint = 'this shell can reach only its sandbox; type exit to leave it first'
  return new SvcError('auth', message, { hint })
}

/** Throws exit 4 when this is the sandbox's shell and the base URL is of another origin. `source`: where it is written. */
export function checkSandboxOrigin(host: Environment, baseUrl: string, source: string): void {
  const sandbox = variable(host, 'SVC_SANDBOX')
  if (sandbox === undefined) return
  const { origin } = new URL(baseUrl)
  if (URL.canParse(sandbox) && new URL(sandbox).origin === origin) return
  throw refused(`${source} leads to ${origin}, but SVC_SANDBOX allows only ${sandbox}`)
}

/** A folder of the sandbox's own; undefined outside its shell, and where SVC_SANDBOX_DIR is not set. */
export function sandboxFolder(host: Environment, name: 'config' | 'state'): string | undefined {
  const folder = variable(host, 'SVC_SANDBOX') === undefined ? undefined : variable(host, 'SVC_SANDBOX_DIR')
  return folder === undefined ? undefined : join(folder, name)
}

/** Throws exit 4 when this is the sandbox's shell and an option names a place outside the sandbox's folder. */
export function checkSandboxPath(host: Environment, path: string, option: string): void {
  if (variable(host, 'SVC_SANDBOX') === undefined) return
  const folder = variable(host, 'SVC_SANDBOX_DIR')
  if (folder !== undefined) {
    const way = relative(folder, path)
    if (way !== '..' && !way.startsWith('../') && !way.startsWith('..\\') && !isAbsolute(way)) return
  }
  throw refused(`${option} names ${path}, which is outside the sandbox's folder`)
}

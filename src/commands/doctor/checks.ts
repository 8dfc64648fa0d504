/** What `svc doctor` checks. Each check does what other commands do, and returns what it shows, or throws what they throw. */
import { join } from 'node:path'
import { createApi } from '../../api/api.ts'
import type { Context } from '../../cli/context.ts'
import { findConfigPath, stateFolder } from '../../config/paths.ts'
import { makeFolders } from '../../disk/folders.ts'
import { SvcError, fileError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { clockProblem } from '../../http/failures.ts'
import { endpointOf, proxyFor, wrongExceptions } from '../../http/proxy.ts'
import { quoteAll } from '../../safe-text.ts'

/** Reads the configuration file. */
export async function checkFile({ host, configuration }: Context) {
  await configuration()
  const found = findConfigPath(host)
  if (found === undefined) return 'no file'
  return found.exists ? found.path : `no file (it would be ${found.path})`
}

/** Sends one read, without retries, so that a problem is reported at once. Shows service, clock and proxy. */
export async function checkRequest(context: Context) {
  const { host, warn } = context
  const profile = await context.profile()
  const wrong = wrongExceptions(host.env)
  if (wrong.length > 0)
    warn(`NO_PROXY has entries that are no name, address or network: ${quoteAll(wrong)}`)
  const client = await context.openClient(profile, { wait: 0 })
  await createApi(client).lists.all({ limit: 1 })
  const { clockOffset } = client
  const problem = clockProblem(clockOffset, host.now())
  if (problem !== undefined)
    throw new SvcError('auth', problem.message, { hint: problem.hint })
  const proxy = proxyFor(endpointOf(new URL(profile.baseUrl)), host.env)
  const way = proxy && ` through ${proxy.hostname}:${proxy.port} (${proxy.variable})`
  const clocks = clockOffset === undefined ? '' : "; its clock and this machine's agree"
  return `${profile.baseUrl} answers${way ?? ''}${clocks}`
}

/** Creates the state folder as a run would, and writes a file in it. */
export function checkStateFolder(host: Host) {
  const folder = stateFolder(host)
  try {
    makeFolders(host, folder)
    writeProbe(host, folder)
  } catch (error) {
    const hint = 'free space, or name another folder in SVC_STATE_DIR'
    throw fileError('config', `the state folder ${folder} cannot be written`, error, hint)
  }
  return folder
}

function writeProbe({ disk }: Host, folder: string) {
  const probe = disk.mkdtempSync(join(folder, '.doctor-'))
  try {
    disk.writeFileSync(join(probe, 'probe'), Buffer.alloc(4096), { flush: true })
  } finally {
    disk.rmSync(probe, { recursive: true })
  }
}

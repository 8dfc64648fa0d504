/** The checks, in the order in which one builds on the other. What builds on a failed one is left out. */
import { SvcError } from '../../errors.ts'
import type { Profile } from '../../config/profile.ts'
import { userFilePlace } from '../../config/paths.ts'
import type { Tools } from '../../cli/verb.ts'
import { fail, ok, skip, warn, type Finding } from './finding.ts'
import { checkConnection, checkProxy } from './network.ts'
import { askService } from './service.ts'
import { checkCompletion, checkFiles, checkStateFolder } from './local.ts'

export async function* findings(tools: Tools, checkWrite: boolean): AsyncGenerator<Finding> {
  yield checkNode(tools.host.nodeVersion)
  const configuration = await checkConfiguration(tools)
  yield configuration
  const files = configuration.state === 'fail' ? undefined : await checkFiles(tools)
  yield files ?? skip('files', 'the configuration cannot be read')
  const profile = configuration.state === 'fail' ? undefined : await chosenProfile(tools)
  if (profile === undefined) yield skip('profile', 'the configuration cannot be read')
  else yield profile.finding
  yield* remote(tools, profile?.usable, checkWrite)
  yield await checkStateFolder(tools)
  yield await checkCompletion(tools)
}

/** `engines` of the package: ^20.19.0 || ^22.13 || >=24. */
export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const supported = (major === 20 && minor >= 19) || (major === 22 && minor >= 13) || major >= 24
  if (supported) return ok('node', version)
  return warn('node', `${version} is not supported`, 'install Node 20.19, 22.13, 24 or a later one')
}

async function checkConfiguration({ host, options, configuration }: Tools): Promise<Finding> {
  try {
    const place = userFilePlace(host, options)
    const { notes } = await configuration()
    const file =
      place?.exists === true ? place.path : `no file${place === undefined ? '' : ` (it would be ${place.path})`}`
    return ok('configuration', [file, ...notes].join('; '))
  } catch (error) {
    return failed('configuration', error)
  }
}

/** A failure in the error's own words. */
export function failed(check: string, error: unknown, exitCode?: number): Finding {
  if (!(error instanceof SvcError)) throw error
  if (error.category === 'interrupted') throw error
  return fail(check, error.message, error.details.hint ?? null, exitCode ?? error.exitCode)
}

async function chosenProfile({ configuration }: Tools): Promise<{ finding: Finding; usable?: Profile }> {
  try {
    const profile = (await configuration()).profile()
    await profile.secret()
    const { keyEnding } = await import('../../config/profile.ts')
    const { name, source, baseUrl, apiKey, sources } = profile
    const who = name === undefined ? `credentials from ${source}` : `"${name}" (${source})`
    const finding = ok('profile', `${who}: ${baseUrl}, key ${keyEnding(apiKey)}, secret from ${sources.secret}`)
    return { finding, usable: profile }
  } catch (error) {
    return { finding: failed('profile', error) }
  }
}

async function* remote(tools: Tools, profile: Profile | undefined, checkWrite: boolean): AsyncGenerator<Finding> {
  const later = ['connection', 'service', 'clock', 'credentials', 'plan', 'write access']
  if (profile === undefined) {
    for (const check of ['proxy', ...later]) yield skip(check, 'there are no usable credentials')
    return
  }
  const proxy = checkProxy(tools.host.env, profile.baseUrl)
  yield proxy.finding
  if (proxy.finding.state === 'fail') {
    for (const check of later) yield skip(check, 'the setting of the proxy is broken')
    return
  }
  const connection = await checkConnection(tools, profile.baseUrl, proxy.proxy)
  yield connection
  if (connection.state === 'fail') {
    for (const check of later.slice(1)) yield skip(check, 'the service cannot be reached')
    return
  }
  yield* askService(tools, profile, checkWrite)
}

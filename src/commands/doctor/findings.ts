/** The checks, in the order in which one builds on the other. The ones that build on a failed one are not made. */
import { partsOf, say, svc } from '../../message.ts'
import { SvcError, exit } from '../../errors.ts'
import { showProfile } from '../../http/errors.ts'
import { readAuthorities, namedProxy } from '../../config/network.ts'
import { userFilePlace } from '../../config/paths.ts'
import { keyEnding, type Profile } from '../../config/profile.ts'
import { clockIsOff, describeOffset, explainsRefusal } from '../../http/clock.ts'
import type { Settings } from '../../config/settings.ts'
import { createApi, type Api } from '../../api/client.ts'
import type { Host } from '../../host.ts'
import { readPolicy } from '../../plans/policy-files.ts'
import type { Client } from '../../http/client.ts'
import { proxyFor, proxyVariables, refuseDisabledVerification, targetOf } from '../../http/proxy.ts'
import type { Context } from '../../cli/context.ts'
import {
  checkCompletion,
  checkFiles,
  checkStateFolder,
  failure,
  lookAt,
  ok,
  skip,
  warn,
  type ToldFinding,
} from './local.ts'

export async function* findings(
  context: Context,
  checkWrite: boolean,
): AsyncGenerator<ToldFinding> {
  yield checkNode(context.host)
  const configuration = await checkConfiguration(context)
  yield configuration
  if (configuration.state !== 'fail') {
    yield await checkFiles(context)
    yield* checkProfile(context, checkWrite)
  }
  yield await checkStateFolder(context)
  yield await checkCompletion(context)
}

/** The last day on which a version of Node gets fixes; from its release schedule. */
const lastDays: Readonly<Record<number, string>> = {
  20: '2026-04-30',
  22: '2027-04-30',
  24: '2028-04-30',
  26: '2029-04-30',
}

/** `engines` of the package: ^20.19.0 || ^22.13 || >=24. An executable brings its Node along. */
export function checkNode(host: Pick<Host, 'nodeVersion' | 'self' | 'now'>): ToldFinding {
  const version = host.nodeVersion
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const supported = (major === 20 && minor >= 19) || (major === 22 && minor >= 13) || major >= 24
  const isExecutable = host.self.length === 1
  if (!supported)
    return warn('node', `${version} is not supported`, 'install Node 22.13, 24 or a later one')
  const lastDay = lastDays[major]
  if (lastDay === undefined || host.now() < Date.parse(lastDay) + 24 * 3_600_000)
    return ok('node', isExecutable ? `${version}, part of this executable` : version)
  const remedy = isExecutable
    ? 'install a newer version of svc'
    : `install Node ${newestKnown} or a later one; svc still works with this one`
  return warn('node', `${version} has had no security fixes since ${lastDay}`, remedy)
}

const newestKnown = Math.max(...Object.keys(lastDays).map(Number))

const checkConfiguration = ({ host, options, configuration }: Context): Promise<ToldFinding> =>
  lookAt('configuration', async () => {
    const place = userFilePlace(host, options)
    const { notes } = await configuration()
    const wouldBe = place === undefined ? '' : ` (it would be ${place.path})`
    return [place?.exists === true ? place.path : `no file${wouldBe}`, ...notes].join('; ')
  })

async function* checkProfile(context: Context, checkWrite: boolean): AsyncGenerator<ToldFinding> {
  let profile: Profile
  try {
    profile = (await context.configuration()).profile()
    await profile.secret()
  } catch (error) {
    return yield failure('profile', error)
  }
  const { name, source, baseUrl, apiKey, sources } = profile
  const who = name === undefined ? `credentials from ${source}` : `"${name}" (${source})`
  yield ok('profile', `${who}: ${baseUrl}, key ${keyEnding(apiKey)}, secret from ${sources.secret}`)
  yield await checkPolicy(context.host, profile)
  const { settings } = await context.configuration()
  const proxy = await checkProxy(context.host.env, baseUrl, settings)
  yield proxy
  const certificates = await checkCertificates(context.host, settings)
  yield certificates
  if (proxy.state !== 'fail' && certificates.state !== 'fail')
    yield* askService(context, profile, checkWrite)
}

const checkPolicy = (host: Host, profile: Profile): Promise<ToldFinding> =>
  lookAt('policy', () => {
    const words = readPolicy(host, profile).map(
      ({ source, rules }) => `${Object.keys(rules).join(', ')} (${source})`,
    )
    return words.join('; ') || 'none'
  })

const checkProxy = (
  env: Host['env'],
  baseUrl: string,
  { proxy: setting }: Settings,
): Promise<ToldFinding> =>
  lookAt('proxy', () => {
    const target = targetOf(new URL(baseUrl))
    refuseDisabledVerification(env)
    const named = namedProxy(setting)
    const proxy = proxyFor(target, env, named)
    if (proxy !== undefined) return `${proxy.hostname}:${proxy.port} (${proxy.source})`
    const variable = proxyVariables.find((name) => (env[name] ?? '').trim() !== '')
    const unused = named?.source ?? variable
    return unused === undefined ? 'none' : `${unused} is set, but not used for ${target.hostname}`
  })

/** Which certificates are trusted besides Node's own; fails with the file that could not be read. */
const checkCertificates = (host: Host, { caFile }: Settings): Promise<ToldFinding> =>
  lookAt('certificates', () => {
    const files = readAuthorities(host, caFile).map(
      ({ certificates, path, source }) => `${certificates.length} of ${path} (${source})`,
    )
    return ["Node's own", ...files].join(', and ')
  })

/** Findings of one signed read, and one write, when asked for. */
async function* askService(
  context: Context,
  profile: Profile,
  checkWrite: boolean,
): AsyncGenerator<ToldFinding> {
  // A problem with the connection is told at once, not after three more attempts.
  const client = await context.open(profile, 0)
  const api = createApi(client)
  try {
    const error = await refusal(() => api.lists.page({ limit: 1 }))
    if (error !== undefined && error.details.httpStatus === undefined) {
      const { hint = '' } = error.details
      const isShown = partsOf(hint).includes(showProfile)
      const more = isShown ? '' : say`\nthe base URL may be wrong:\n  ${showProfile}`
      return yield failure('connection', error.withHint(say`${hint}${more}`))
    }
    const { host, protocol } = new URL(profile.baseUrl)
    yield ok(
      'connection',
      `${protocol === 'https:' ? 'a verified TLS connection' : 'a connection'} to ${host}`,
    )
    yield checkAnswer(error)
    const clock = checkClock(client)
    yield clock
    const credentials = checkCredentials(error, clock, profile.apiKey)
    yield credentials
    yield checkPlan(error)
    if (credentials.state !== 'ok')
      yield skip('write access', 'not tried, since the credentials may be wrong')
    else if (checkWrite) yield await tryToWrite(context, api)
    else {
      const why = 'not tried; only a write shows whether the key may write:'
      yield skip('write access', why, say`  ${svc`doctor --check-write`}`)
    }
  } finally {
    client.close()
  }
}

async function refusal(send: () => Promise<unknown>): Promise<SvcError | undefined> {
  try {
    await send()
    return undefined
  } catch (error) {
    if (!(error instanceof SvcError) || error.category === 'interrupted') throw error
    return error
  }
}

function checkAnswer(error: SvcError | undefined): ToldFinding {
  // The first page of lists is always there: an address that has none is not the service's.
  const isElsewhere = error?.details.httpStatus === 404
  if (
    error === undefined ||
    error.category === 'auth' ||
    (error.details.code !== undefined && !isElsewhere)
  ) {
    return ok('service', 'it responds as expected')
  }
  return failure(
    'service',
    error,
    error.category === 'forbidden' ? exit.forbidden : exit.unavailable,
  )
}

function checkClock({ clock: { offset } }: Client): ToldFinding {
  if (offset === undefined) return skip('clock', 'the service does not send its time')
  if (Math.abs(offset) < 1500) return ok('clock', "this machine's clock agrees with the service's")
  const message = `this machine's clock is ${describeOffset(offset)}`
  if (!clockIsOff(offset)) return ok('clock', message)
  const hint = 'set the clock; a request is valid for 5 minutes'
  return explainsRefusal(offset)
    ? failure('clock', new SvcError('auth', message, { hint }))
    : warn('clock', message, hint)
}

function checkCredentials(
  error: SvcError | undefined,
  clock: ToldFinding,
  apiKey: string,
): ToldFinding {
  // Scope and plan are looked at when the key was accepted.
  if (error === undefined || error.category === 'forbidden') {
    return ok('credentials', `the service accepts key ${keyEnding(apiKey)}`)
  }
  if (error.category !== 'auth') return skip('credentials', 'the service gave no clear answer')
  if (clock.state === 'fail')
    return skip('credentials', 'they cannot be checked while the clock is wrong')
  return failure('credentials', error)
}

function checkPlan(error: SvcError | undefined): ToldFinding {
  if (error?.category === 'forbidden') return failure('plan', error)
  if (error !== undefined) return skip('plan', 'the service gave no clear answer')
  return ok(
    'plan',
    'it includes API access; whether old tickets can be read shows only when one is read',
  )
}

/** Neither the list nor the contact exists: a key that may write is told so, with whatever 4xx. */
async function tryToWrite(context: Context, api: Api): Promise<ToldFinding> {
  const nobody = '0'.repeat(24)
  const forbidden = await refusal(() => context.permit({ operation: 'lists.add-contacts', ids: 1 }))
  if (forbidden !== undefined) return failure('write access', forbidden)
  await context.confirmProtected(`Try to add contact ${nobody} to list ${nobody}`)
  const error = await refusal(() =>
    api.send('lists.add-contacts', { path: { listId: nobody }, body: { contactIds: [nobody] } }),
  )
  if (error === undefined || error.category === 'rejected')
    return ok('write access', 'the key may write')
  return failure('write access', error)
}

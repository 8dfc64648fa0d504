/** `svc doctor`: who you are, and seven checks, each by what every command itself calls, with how to fix what is wrong. */
import type { Message } from '../message.ts'
import { createApi } from '../api/client.ts'
import type { Context } from '../cli/context.ts'
import { defineVerb } from '../cli/verb.ts'
import { findConfigPath, stateFolder } from '../config/paths.ts'
import { keyEnding, type Profile } from '../config/profile.ts'
import { checkStateFolder } from '../config/trust.ts'
import { makeFolders } from '../output/whole.ts'
import { exitCodes, SvcError } from '../errors.ts'
import { fileError } from '../system-errors.ts'
import type { Host } from '../host.ts'
import { clockProblem } from '../http/clock.ts'
import { endpointOf, proxyFor } from '../http/proxy.ts'
import { cellText } from '../output/columns.ts'
import { rows, text } from '../output/result.ts'
import { wrap } from '../output/text/width.ts'
import { safe } from '../safe-text.ts'
import { version } from '../version.ts'
import { join } from 'node:path'

interface DoctorCheck {
  check: string
  state: 'ok' | 'fail'
  message: string
  /** The advice, with commands on lines of their own. */
  remedy: string | null
}

export const verb = defineVerb({
  description:
    'Show the profile, host and key in use and where each comes from, never the secret. Then check versions,\n' +
    'configuration file, proxy, connection, clock, credentials and state folder, and say how to fix each problem. It sends one\n' +
    'read request.',
  notes: 'The exit code is 1 if something failed.',
  examples: ['svc doctor', 'svc doctor -p prod --json'],
  effect: 'reads',
  columns: { STATE: 'state', CHECK: 'check', RESULT: 'message', REMEDY: 'remedy' },
  worksWithoutConfiguration: true,
  run: async (context) => {
    const checks: DoctorCheck[] = []
    for await (const { remedy, ...finding } of findings(context))
      checks.push({ ...finding, remedy: remedy && context.messages.textOf(remedy) })
    const hasFailed = checks.some(({ state }) => state === 'fail')
    const exitCode = hasFailed ? exitCodes.failed : exitCodes.done
    const status = exitCode === 0 ? 'ok' : 'failed'
    const identity = await identityOf(context)
    const { format, fields, width = 100 } = context.print
    if (format !== 'table' || fields !== undefined) {
      const document = () => ({ status, exitCode, identity, checks })
      return rows(checks, { document, ending: { exitCode } })
    }
    const lines = checks.map((finding) => lineOf(finding, width))
    return text([...identityLines(identity ?? {}), ...lines].join(''), exitCode)
  },
})

type Identity = Readonly<Record<string, { value?: unknown; source: string }>>

/** The profile and its rules, each with its source; null where a check says that there are none. */
async function identityOf({ profile: findProfile }: Context) {
  try {
    const {
      name,
      chosenBy,
      baseUrl,
      apiKey,
      place: source,
      ...profile
    } = await findProfile()
    const facts: Record<string, Identity[string]> = {
      profile: { value: name ?? null, source: chosenBy },
      baseUrl: { value: baseUrl, source },
      apiKey: { value: keyEnding(apiKey), source },
      secret: { source: profile.secretPlace },
    }
    const rules = { protected: profile.protected, ...profile.rules }
    for (const [key, value] of Object.entries(rules))
      if (value !== undefined && value !== false) facts[key] = { value, source }
    return facts
  } catch (error) {
    if (error instanceof SvcError) return null
    throw error
  }
}

/** `apiKey              …a1b2 (SVC_API_KEY)`. */
function identityLines(identity: Identity) {
  const lines = Object.entries(identity).map(([key, { value, source }]) => {
    const shown = value === null ? 'none' : cellText(value ?? 'not shown')
    return `${key.padEnd(20)}${safe(shown)} (${source})\n`
  })
  return lines.length === 0 ? [] : [...lines, '\n']
}

/** `ok    clock          0s off`, with the remedy below it. A command on its own line is not cut. */
function lineOf({ state, check, message, remedy }: DoctorCheck, width: number) {
  const head = `${(state === 'fail' ? 'FAIL' : state).padEnd(6)}${check.padEnd(14)}`
  const lines = [message, ...(remedy ?? '').split('\n')]
    .filter((line) => line !== '')
    .flatMap((line) =>
      line.startsWith('  ') ? [line] : wrap(line, Math.max(20, width - head.length)),
    )
  return `${head}${lines.join(`\n${' '.repeat(head.length)}`)}\n`
}

/** A finding whose remedy has its commands as parts. */
type ToldFinding = Omit<DoctorCheck, 'remedy'> & { remedy: Message | null }

/** The checks, in the order in which one builds on the other. Checks that build on a failed one are left out. */
async function* findings(context: Context): AsyncGenerator<ToldFinding> {
  yield ok('versions', `svc ${version}, Node ${context.host.nodeVersion}`)
  const file = await lookAt('file', () => describeFile(context))
  yield file
  if (file.state === 'ok') yield* checkProfile(context)
  yield await lookAt('state folder', () => tryStateFolder(context))
}

async function describeFile({ host, configuration }: Context) {
  await configuration()
  const place = findConfigPath(host)
  if (place?.exists === true) return place.path
  return `no file${place === undefined ? '' : ` (it would be ${place.path})`}`
}

async function* checkProfile(context: Context): AsyncGenerator<ToldFinding> {
  let profile: Profile
  try {
    profile = await context.profile()
    await profile.secret()
  } catch (error) {
    return yield failure('credentials', error)
  }
  const proxy = await lookAt('proxy', () => describeProxy(context.host, profile))
  yield proxy
  if (proxy.state === 'ok') yield* askService(context, profile)
}

/** The proxy on the way to the service. */
async function describeProxy({ env }: Host, { baseUrl }: Profile) {
  const proxy = proxyFor(endpointOf(new URL(baseUrl)), env)
  return proxy === undefined
    ? 'none'
    : `${proxy.hostname}:${proxy.port} (${proxy.variable})`
}

/** Findings of one signed read. */
async function* askService(
  context: Context,
  profile: Profile,
): AsyncGenerator<ToldFinding> {
  const { name, chosenBy, baseUrl, apiKey, secretPlace } = profile
  // A problem with the connection is reported at once, and not after more attempts.
  const client = await context.openClient(profile, { wait: 0 })
  const error = await createApi(client).check()
  if (error !== undefined && error.exitCode !== exitCodes.auth)
    return yield failure('service', error)
  yield ok('service', `${baseUrl} answers`)
  yield clockFinding(client.clockOffset, context.host.now())
  const who = name === undefined ? chosenBy : `profile "${name}" (${chosenBy})`
  const words = `${who}: key ${keyEnding(apiKey)} is accepted, with the secret of ${secretPlace}`
  yield error === undefined ? ok('credentials', words) : failure('credentials', error)
}

function clockFinding(offset: number | undefined, now: number): ToldFinding {
  const problem = clockProblem(offset, now)
  if (problem !== undefined)
    return failure('clock', new SvcError('auth', problem.message, { hint: problem.hint }))
  const agrees = "this machine's clock agrees with the service's"
  return ok('clock', offset === undefined ? 'the service does not send its time' : agrees)
}

/** Makes the folder as a run would, and something in it. */
async function tryStateFolder({ host }: Context) {
  const folder = stateFolder(host)
  checkStateFolder(host, folder)
  try {
    await makeFolders(host, folder)
    host.disk.rmdirSync(host.disk.mkdtempSync(join(folder, '.doctor-')))
  } catch (error) {
    const hint = 'name another folder in SVC_STATE_DIR'
    throw fileError('config', `the state folder ${folder} cannot be written`, error, hint)
  }
  return folder
}

function ok(check: string, message: string): ToldFinding {
  return { check, state: 'ok', message, remedy: null }
}

/** A check that returns what is well, or throws what is wrong. */
async function lookAt(check: string, look: () => Promise<string>): Promise<ToldFinding> {
  try {
    return ok(check, await look())
  } catch (error) {
    return failure(check, error)
  }
}

/** A failure in the error's own words. Throws what is not a finding. */
function failure(check: string, error: unknown): ToldFinding {
  if (!(error instanceof SvcError) || error.category === 'interrupted') throw error
  const { message, details } = error
  return { check, state: 'fail', message, remedy: details.hint ?? null }
}

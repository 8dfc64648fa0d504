/** `svc doctor`: who you are, and seven checks. Each calls what the other commands call, and says how to fix a problem. */
import { join } from 'node:path'
import { createApi } from '../api/client.ts'
import type { Context } from '../cli/context.ts'
import { defineVerb } from '../cli/verb.ts'
import { findConfigPath, stateFolder } from '../config/paths.ts'
import { keyEnding, type Profile } from '../config/profile.ts'
import { makeFolders } from '../disk/folders.ts'
import { exitCodes, SvcError, fileError } from '../errors.ts'
import { type Host, version } from '../host.ts'
import { clockProblem } from '../http/errors.ts'
import { endpointOf, proxyFor, wrongExceptions } from '../http/proxy.ts'
import { cellText, plainText, rows, text } from '../output/result.ts'
import { wrap } from '../output/text.ts'
import { quoteAll, safe } from '../safe-text.ts'

/** The result of a check. */
interface CheckResult {
  check: string
  state: 'ok' | 'fail'
  message: string
  remedy: string | null
}

/** A result as it is shown: the commands of the remedy can be typed, and stand on lines of their own. */
type ShownResult = Omit<CheckResult, 'remedy'> & { remedy: string | null }

export const verb = defineVerb({
  description:
    'Show the profile, host and key in use and where each comes from, never the secret. Then check versions, ' +
    'configuration file, proxy, connection, clock, credentials and state folder, and say how to fix each problem. ' +
    'It sends one read request.',
  notes: 'The exit code is 1 if something failed.',
  examples: ['svc doctor', 'svc doctor -p prod --json'],
  effect: 'reads',
  columns: {
    STATE: text('state'),
    CHECK: text('check'),
    RESULT: text('message'),
    REMEDY: text('remedy'),
  },
  run: async (context) => {
    const checks: ShownResult[] = []
    for await (const { remedy, ...result } of checkAll(context))
      checks.push({ ...result, remedy: remedy && context.messages.withProfile(remedy) })
    const hasFailed = checks.some(({ state }) => state === 'fail')
    const exitCode = hasFailed ? exitCodes.failed : exitCodes.done
    const identity = await identityOf(context)
    const { format, fields, width = 100 } = context.print
    const isPage = format === 'table' && fields === undefined
    if (!isPage) {
      const status = hasFailed ? 'failed' : 'ok'
      const document = { status, exitCode, identity, checks }
      return rows(checks, { document, exitCode })
    }
    const lines = checks.map((result) => resultText(result, width))
    return plainText(identityText(identity ?? {}) + lines.join(''), exitCode)
  },
})

/** Facts about the profile by their names. A secret has no value here. */
type Identity = Readonly<Record<string, { value?: unknown; source: string }>>

/** The profile and its rules, each with its source. Null if there is no profile, as a check says. */
async function identityOf(context: Context): Promise<Identity | null> {
  let profile: Profile
  try {
    profile = await context.profile()
  } catch (error) {
    if (error instanceof SvcError) return null
    throw error
  }
  const { name = null, chosenBy, baseUrl, apiKey, place: source } = profile
  const facts: Record<string, Identity[string]> = {
    profile: { value: name, source: chosenBy },
    baseUrl: { value: baseUrl, source },
    apiKey: { value: keyEnding(apiKey), source },
    secret: { source: profile.secretPlace },
  }
  const rules = { protected: profile.protected, ...profile.rules }
  for (const [rule, value] of Object.entries(rules)) {
    const isSet = value !== undefined && value !== false
    if (isSet) facts[rule] = { value, source }
  }
  return facts
}

/** A line for each fact: `apiKey              …a1b2 (the environment)`. */
function identityText(identity: Identity) {
  const lines = Object.entries(identity).map(([name, { value, source }]) => {
    const shown = value === null ? 'none' : cellText(value ?? 'not shown')
    return `${name.padEnd(20)}${safe(shown)} (${source})\n`
  })
  return lines.length === 0 ? '' : `${lines.join('')}\n`
}

/** A result as lines: `ok    clock         …`, and the remedy below. Lines of commands are not wrapped. */
function resultText({ state, check, message, remedy }: ShownResult, width: number) {
  const label = `${(state === 'fail' ? 'FAIL' : state).padEnd(6)}${check.padEnd(14)}`
  const textWidth = Math.max(20, width - label.length)
  const lines = [message, ...(remedy ?? '').split('\n')]
    .filter((line) => line !== '')
    .flatMap((line) => (line.startsWith('  ') ? [line] : wrap(line, textWidth)))
  return `${label}${lines.join(`\n${' '.repeat(label.length)}`)}\n`
}

/** Makes the checks in order. If one fails, those that need its result are left out. */
async function* checkAll(context: Context): AsyncGenerator<CheckResult> {
  yield ok('versions', `svc ${version}, Node ${context.host.nodeVersion}`)
  const file = await resultOf('file', () => describeFile(context))
  yield file
  if (file.state === 'ok') yield* checkProfile(context)
  yield await resultOf('state folder', () => tryStateFolder(context))
}

async function describeFile({ host, configuration }: Context) {
  await configuration()
  const found = findConfigPath(host)
  if (found === undefined) return 'no file'
  return found.exists ? found.path : `no file (it would be ${found.path})`
}

async function* checkProfile(context: Context): AsyncGenerator<CheckResult> {
  let profile: Profile
  try {
    profile = await context.profile()
    await profile.secret()
  } catch (error) {
    yield failure('credentials', error)
    return
  }
  const proxy = await resultOf('proxy', () => describeProxy(context.host, profile))
  yield proxy
  if (proxy.state === 'ok') yield* checkService(context, profile)
}

/** The proxy between this machine and the service, and the entries of NO_PROXY that have no effect. */
async function describeProxy({ env }: Host, { baseUrl }: Profile) {
  const proxy = proxyFor(endpointOf(new URL(baseUrl)), env)
  const name =
    proxy === undefined ? 'none' : `${proxy.hostname}:${proxy.port} (${proxy.variable})`
  const wrong = wrongExceptions(env)
  if (wrong.length === 0) return name
  return `${name}; NO_PROXY has entries that are no name, address or network: ${quoteAll(wrong)}`
}

/** Reports what one signed read shows about the service, the clock and the credentials. */
async function* checkService(
  context: Context,
  profile: Profile,
): AsyncGenerator<CheckResult> {
  const { name, chosenBy, baseUrl, apiKey, secretPlace } = profile
  // Without retries, so that a problem with the connection is reported at once.
  const client = await context.openClient(profile, { wait: 0 })
  const error = await createApi(client).check()
  const isAnswered = error === undefined || error.exitCode === exitCodes.auth
  if (!isAnswered) {
    yield failure('service', error)
    return
  }
  yield ok('service', `${baseUrl} answers`)
  yield clockResult(client.clockOffset, context.host.now())
  if (error !== undefined) {
    yield failure('credentials', error)
    return
  }
  const who = name === undefined ? chosenBy : `profile "${name}" (${chosenBy})`
  const key = `key ${keyEnding(apiKey)} is accepted, with the secret of ${secretPlace}`
  yield ok('credentials', `${who}: ${key}`)
}

function clockResult(offset: number | undefined, now: number): CheckResult {
  const problem = clockProblem(offset, now)
  if (problem !== undefined)
    return failure('clock', new SvcError('auth', problem.message, { hint: problem.hint }))
  const agrees = "this machine's clock agrees with the service's"
  return ok('clock', offset === undefined ? 'the service does not send its time' : agrees)
}

/** Creates the state folder as a run would, and a folder in it. */
async function tryStateFolder({ host }: Context) {
  const folder = stateFolder(host)
  try {
    makeFolders(host, folder)
    host.disk.rmdirSync(host.disk.mkdtempSync(join(folder, '.doctor-')))
  } catch (error) {
    const hint = 'name another folder in SVC_STATE_DIR'
    throw fileError('config', `the state folder ${folder} cannot be written`, error, hint)
  }
  return folder
}

/** A check that passed. */
function ok(check: string, message: string): CheckResult {
  return { check, state: 'ok', message, remedy: null }
}

/** Makes a check, which returns what it found or throws what is wrong. */
async function resultOf(check: string, find: () => Promise<string>): Promise<CheckResult> {
  try {
    return ok(check, await find())
  } catch (error) {
    return failure(check, error)
  }
}

/** A check that failed, in the words of the error. Throws a defect or an interruption. */
function failure(check: string, error: unknown): CheckResult {
  if (!(error instanceof SvcError) || error.category === 'interrupted') throw error
  const { message, details } = error
  return { check, state: 'fail', message, remedy: details.hint ?? null }
}

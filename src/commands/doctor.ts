/** `svc doctor`: who you are, and five checks with their remedies. */
import { join } from 'node:path'
import { createApi } from '../api/api.ts'
import type { Context } from '../cli/context.ts'
import { defineVerb } from '../cli/verb.ts'
import { findConfigPath, stateFolder } from '../config/paths.ts'
import { keyEnding, type Profile } from '../config/profile.ts'
import { makeFolders } from '../disk/folders.ts'
import { exitCodes, SvcError, fileError } from '../errors.ts'
import { version, type Host } from '../host.ts'
import { clockProblem } from '../http/failures.ts'
import { endpointOf, proxyFor, wrongExceptions } from '../http/proxy.ts'
import { plainText, rows, text } from '../output/result.ts'
import { wrap } from '../output/text.ts'
import { quoteAll, safe } from '../safe-text.ts'
import { joinPresent } from '../words.ts'

/** A check that was made, or a fact about who you are. */
interface DoctorFinding {
  state: 'info' | 'ok' | 'fail'
  check: string
  message: string
  remedy: string | null
}

export const verb = defineVerb({
  summary: 'show who you are, and check everything that svc needs',
  description:
    'Show the profile, host and key in use and where each comes from, never the secret. Then check configuration file, ' +
    'credentials, one request (service, clock and proxy), state folder and versions, and say how to fix each problem.',
  notes: 'The exit code is 1 if something failed.',
  examples: ['svc doctor', 'svc doctor -p prod --json'],
  isRead: true,
  columns: {
    STATE: text('state'),
    CHECK: text('check'),
    RESULT: text('message'),
    REMEDY: text('remedy'),
  },
  act: async (context) => {
    const findings = await findingsOf(context)
    const hasFailed = findings.some(({ state }) => state === 'fail')
    const exitCode = hasFailed ? exitCodes.failed : exitCodes.done
    const { format, fields, width = 100 } = context.print
    if (format !== 'table' || fields !== undefined) return rows(findings, { exitCode })
    return plainText(findings.map((each) => textOf(each, width)).join(''), exitCode)
  },
})

/** Returns facts about who you are, and then the checks in order. If one fails, those that need its result are left out. */
async function findingsOf(context: Context): Promise<DoctorFinding[]> {
  const { host } = context
  const facts: DoctorFinding[] = []
  const checks: DoctorFinding[] = []
  /** Makes a check, and returns whether it passed. */
  const passes = async (check: string, find: () => Promise<string> | string) => {
    const finding = await findingOf(context, check, find)
    checks.push(finding)
    return finding.state === 'ok'
  }
  const checkCredentials = async () => {
    const profile = await context.profile()
    // First, so that the facts are shown even if the secret cannot be read.
    facts.push(...factsOf(profile))
    await profile.secret()
    return `key ${keyEnding(profile.apiKey)}, with the secret of ${profile.secretPlace}`
  }
  const isReady =
    (await passes('file', () => checkFile(context))) &&
    (await passes('credentials', checkCredentials))
  if (isReady) await passes('request', () => checkRequest(context))
  await passes('state folder', () => checkStateFolder(host))
  await passes('versions', () => `svc ${version}, Node ${host.nodeVersion}`)
  return [...facts, ...checks]
}

/** Makes a check. An error that svc understands becomes a finding. */
async function findingOf(
  { messages }: Context,
  check: string,
  find: () => Promise<string> | string,
): Promise<DoctorFinding> {
  try {
    return { state: 'ok', check, message: safe(await find()), remedy: null }
  } catch (error) {
    if (!(error instanceof SvcError) || error.category === 'interrupted') throw error
    // Without a hint to run this command.
    const advice = error.details.hint?.replace(/:\n {2}svc doctor$/m, '')
    const remedy = advice === undefined ? null : messages.withProfile(advice)
    const { headline, details } = error
    // A line break in one of these is other people's text, and would look like a finding.
    const message = [headline, ...(details.lines ?? [])]
      .map((line) => safe(line))
      .join('\n  ')
    return { state: 'fail', check, message, remedy }
  }
}

/** Who you are: the profile and its rules, each with where it comes from. A secret is not shown. */
function factsOf(profile: Profile): DoctorFinding[] {
  const { name = 'none', chosenBy, place } = profile
  const { readOnly, maxDelete } = profile.rules
  const facts = {
    profile: `${name} (${chosenBy})`,
    'base URL': `${profile.baseUrl} (${place})`,
    key: `${keyEnding(profile.apiKey)} (${place})`,
    secret: `not shown (${profile.secretPlace})`,
    ...(profile.protected && { protected: `true (${place})` }),
    ...(readOnly === true && { readOnly: `true (${place})` }),
    ...(maxDelete !== undefined && { maxDelete: `${maxDelete} (${place})` }),
  }
  return Object.entries(facts).map(([check, message]) => ({
    state: 'info',
    check,
    message,
    remedy: null,
  }))
}

/** Reads the configuration file. */
async function checkFile({ host, configuration }: Context) {
  await configuration()
  const found = findConfigPath(host)
  if (found === undefined) return 'no file'
  return found.exists ? found.path : `no file (it would be ${found.path})`
}

/** Sends one read, without retries, so that a problem is reported at once. Shows service, clock and proxy. */
async function checkRequest(context: Context) {
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
  const way =
    proxy === undefined
      ? ''
      : ` through ${proxy.hostname}:${proxy.port} (${proxy.variable})`
  const clocks = clockOffset === undefined ? '' : "; its clock and this machine's agree"
  return `${profile.baseUrl} answers${way}${clocks}`
}

/** Creates the state folder as a run would, and writes a file in it. */
function checkStateFolder(host: Host) {
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

/** A finding as text: `ok    file          …`, and the remedy below. Lines of commands are not wrapped. */
function textOf({ state, check, message, remedy }: DoctorFinding, width: number) {
  const label = `${(state === 'fail' ? 'FAIL' : state).padEnd(6)}${check.padEnd(14)}`
  const textWidth = Math.max(20, width - label.length)
  const lines = joinPresent([message, remedy], '\n')
    .split('\n')
    .flatMap((line) => (line.startsWith('  ') ? [line] : wrap(line, textWidth)))
  return `${label}${lines.join(`\n${' '.repeat(label.length)}`)}\n`
}

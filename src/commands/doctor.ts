/** `svc doctor`: who you are, and five checks with their remedies. */
import type { Context } from '../cli/context.ts'
import { defineVerb } from '../cli/verb.ts'
import { keyEnding, type Profile } from '../config/profile.ts'
import { exitCodes, SvcError } from '../errors.ts'
import { version } from '../host.ts'
import { plainText, rows, text } from '../output/result.ts'
import { wrap } from '../output/text.ts'
import { checkFile, checkRequest, checkStateFolder } from './doctor/checks.ts'

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
  effect: 'reads',
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
  const passes = async (check: string, find: () => Promise<string> | string) => {
    const finding = await findingOf(context, check, find)
    checks.push(finding)
    return finding.state === 'ok'
  }
  const checkCredentials = async () => {
    const profile = await context.profile()
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
    return { state: 'ok', check, message: await find(), remedy: null }
  } catch (error) {
    if (!(error instanceof SvcError) || error.category === 'interrupted') throw error
    // Without a hint to run this command.
    const advice = error.details.hint?.replace(/:\n {2}svc doctor$/m, '')
    const remedy = advice === undefined ? null : messages.withProfile(advice)
    return { state: 'fail', check, message: error.message, remedy }
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

/** A finding as text: `ok    file          …`, and the remedy below. Lines of commands are not wrapped. */
function textOf({ state, check, message, remedy }: DoctorFinding, width: number) {
  const label = `${(state === 'fail' ? 'FAIL' : state).padEnd(6)}${check.padEnd(14)}`
  const textWidth = Math.max(20, width - label.length)
  const lines = [message, ...(remedy?.split('\n') ?? [])].flatMap((line) =>
    line.startsWith('  ') ? [line] : wrap(line, textWidth),
  )
  return `${label}${lines.join(`\n${' '.repeat(label.length)}`)}\n`
}

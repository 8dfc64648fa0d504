/** What one signed read shows: the service, the clock, the credentials, the plan; and one write, when asked for. */
import { SvcError, exit } from '../../errors.ts'
import { clockIsOff, describeOffset, judgeClock } from '../../http/clock.ts'
import { doubledVersion } from '../../http/errors.ts'
import { createApi } from '../../api/client.ts'
import type { Client } from '../../http/client.ts'
import { keyEnding, type Profile } from '../../config/profile.ts'
import type { Tools } from '../../cli/verb.ts'
import { fail, ok, skip, warn, type Finding } from './finding.ts'

/** No contact and no list has it. */
const nobody = '0'.repeat(24)

export async function* askService(tools: Tools, profile: Profile, checkWrite: boolean): AsyncGenerator<Finding> {
  const client = await tools.open(profile)
  const { lists } = createApi(client)
  try {
    const error = await refusal(() => lists.page({ limit: 1 }))
    yield serviceFinding(error)
    const clock = clockFinding(client, tools.host.platform)
    yield clock
    const credentials = credentialsFinding(error, clock, profile)
    yield credentials
    yield planFinding(error)
    if (credentials.state !== 'ok') {
      yield skip('write access', 'not tried, since the credentials are not known to be right')
    } else if (checkWrite) {
      await tools.confirmProtected(`Try to add contact ${nobody} to list ${nobody}`)
      yield writeFinding(await refusal(() => lists.addContacts(nobody, [nobody])))
    } else {
      yield skip(
        'write access',
        'not tried: whether a key may write shows only in a refused write',
        '  svc doctor --check-write',
      )
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

function serviceFinding(error: SvcError | undefined): Finding {
  // The first page of lists is always there: an address that has none is not the service's.
  const isElsewhere = error?.details.httpStatus === 404
  if (error === undefined || error.category === 'auth' || (error.details.code !== undefined && !isElsewhere)) {
    return ok('service', 'it answers as its description says')
  }
  const remedy =
    error.category === 'rejected' && error.details.hint !== doubledVersion
      ? 'the base URL may be wrong:\n  svc profiles show'
      : (error.details.hint ?? null)
  return fail('service', error.message, remedy, error.category === 'forbidden' ? exit.forbidden : exit.unavailable)
}

const setClock: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'sudo timedatectl set-ntp true',
  darwin: 'sudo sntp -sS time.apple.com',
  win32: 'w32tm /resync',
}

function clockFinding({ clockOffset }: Client, platform: NodeJS.Platform): Finding {
  if (clockOffset === undefined) return skip('clock', 'the service does not tell its time')
  if (Math.abs(clockOffset) < 1500) return ok('clock', "this machine's clock agrees with the service's")
  if (!clockIsOff(clockOffset)) return ok('clock', `this machine's clock is ${describeOffset(clockOffset)}`)
  const message = `this machine's clock is ${describeOffset(clockOffset)}`
  const command = setClock[platform]
  const remedy = `set the clock; a request is valid for 5 minutes${command === undefined ? '' : `:\n  ${command}`}`
  return judgeClock(clockOffset, true) === 'credentials' && Math.abs(clockOffset) < 240_000
    ? warn('clock', message, remedy)
    : fail('clock', message, remedy, exit.auth)
}

function credentialsFinding(error: SvcError | undefined, clock: Finding, { name, apiKey, sources }: Profile): Finding {
  const key = `key ${keyEnding(apiKey)}`
  // Scope and plan are looked at when the key was accepted.
  if (error === undefined || error.category === 'forbidden') return ok('credentials', `the service accepts ${key}`)
  if (error.category !== 'auth') return skip('credentials', 'the service gave no clear answer')
  if (clock.state === 'fail') return skip('credentials', 'they cannot be judged while the clock is wrong')
  return fail(
    'credentials',
    `the service does not accept ${key} with its secret (${error.message})`,
    `the key or the secret (${sources.secret}) is wrong, or they belong to another host; to enter them again:\n  ${name === undefined ? 'export SVC_API_KEY and SVC_API_SECRET' : `svc profiles add ${name} --replace`}`,
    exit.auth,
  )
}

function planFinding(error: SvcError | undefined): Finding {
  if (error === undefined)
    return ok('plan', 'API access is part of it; whether old tickets can be read shows only in them')
  if (error.category !== 'forbidden') return skip('plan', 'the service gave no clear answer')
  return fail('plan', error.message, error.details.hint ?? null, exit.forbidden)
}

/** Neither the list nor the contact exists: a key that may write is told so, with whatever 4xx. */
function writeFinding(error: SvcError | undefined): Finding {
  if (error === undefined || error.category === 'rejected') return ok('write access', 'the key may write')
  return fail('write access', error.message, error.details.hint ?? null, error.exitCode)
}

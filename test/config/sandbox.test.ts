/** In the sandbox's shell no option, file or variable leads svc to another service. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { ownFolder } from '../ending.ts'
import { createSandboxWorld, noCredentials } from '../svc.ts'

const world = await createSandboxWorld()
const other = await createSandboxWorld()
const { svc, sandbox } = world

let own = ''
beforeEach(() => {
  own = ownFolder('own')
  mkdirSync(join(own, 'config'), { mode: 0o700 })
  writeFileSync(join(own, 'config/config.json'), '{}', { mode: 0o600 })
})

/** The variables that `sandbox exec` sets. */
const shell = (): Record<string, string> => ({
  ...world.as('read-write'),
  SVC_SANDBOX: sandbox.baseUrl,
  SVC_CONFIG: join(own, 'config/config.json'),
  SVC_STATE_DIR: join(own, 'state'),
})

/** A configuration whose current profile is the other service. */
function otherConfiguration(path: string): string {
  const [key] = other.sandbox.keys
  const profile = { baseUrl: other.sandbox.baseUrl, apiKey: key?.apiKey, apiSecret: key?.apiSecret }
  mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 })
  writeFileSync(path, JSON.stringify({ current: 'prod', profiles: { prod: profile } }), {
    mode: 0o600,
  })
  return path
}

const elsewhere = other.as('read-write')

describe('another service is refused with exit 4, and gets no request', () => {
  const [contact = ''] = sandbox.examples.contactsWithoutChats
  const leading: [string, string, () => Record<string, string | undefined>][] = [
    ['variables', 'lists list', () => elsewhere],
    ['a host of https', 'lists list', () => ({ SVC_BASE_URL: 'https://api.example.com' })],
    [
      'another port',
      'lists list',
      () => ({ SVC_BASE_URL: `http://127.0.0.1:${other.sandbox.port}` }),
    ],
    [
      'another name of this machine',
      'lists list',
      () => ({ SVC_BASE_URL: `http://localhost:${sandbox.port}` }),
    ],
    [
      '--base-url',
      `lists list --base-url ${other.sandbox.baseUrl}`,
      () => ({ ...elsewhere, SVC_BASE_URL: undefined }),
    ],
    ['a profile', 'lists list -p prod', () => ({})],
    ['SVC_PROFILE', 'lists list', () => ({ ...noCredentials, SVC_PROFILE: 'prod' })],
    ['the current profile', 'lists list', () => noCredentials],
    ['a change', `contacts delete ${contact} --yes`, () => elsewhere],
    ['api', 'api /v1/lists', () => elsewhere],
    ['a sandbox that is no address', 'lists list', () => ({ SVC_SANDBOX: 'yes' })],
  ]
  test.each(leading)('%s', async (_, line, env) => {
    otherConfiguration(join(own, 'config/config.json'))
    const before = other.sandbox.requests.length
    const result = await svc(line, { env: { ...shell(), ...env() } })
    expect(result).toMatchObject({ code: 4, stdout: '' })
    expect(result.stderr).toContain('SVC_SANDBOX')
    expect(other.sandbox.requests.length).toBe(before)
  })

  test('the check of a new profile', async () => {
    const before = other.sandbox.requests.length
    const { apiKey } = other.sandbox.keys[0] ?? { apiKey: '' }
    const line = `profiles add other --url ${other.sandbox.baseUrl} --key ${apiKey} --secret-env SVC_API_SECRET`
    const result = await svc(line, { env: shell() })
    expect(result.stderr).toContain('SVC_SANDBOX allows only')
    expect(other.sandbox.requests.length).toBe(before)
    expect(readdirSync(join(own, 'config'))).toEqual(['config.json'])
  })
})

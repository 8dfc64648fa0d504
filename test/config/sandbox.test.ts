/** In the sandbox's shell no option, file or variable leads svc to another service, or to files outside the sandbox's folder. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { ownFolder } from '../ending.ts'
import { createSandboxWorld } from '../svc.ts'
import { cacheFolder } from '../../src/config/environment.ts'

const world = await createSandboxWorld()
const other = await createSandboxWorld()
const { svc, sandbox, folder } = world

let own = ''
beforeEach(() => {
  own = ownFolder('own')
})

/** The variables that `sandbox exec` sets. */
const shell = (): Record<string, string> => ({
  ...world.as('read-write'),
  SVC_SANDBOX: sandbox.baseUrl,
  SVC_SANDBOX_DIR: own,
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
const noCredentials = { SVC_BASE_URL: undefined, SVC_API_KEY: undefined, SVC_API_SECRET: undefined }

test('the sandbox itself is spoken to', async () => {
  const result = await svc('whoami --json', { env: shell() })
  expect(result).toMatchObject({ code: 0, stderr: '' })
  expect(result.stdout).toContain(sandbox.baseUrl)
})

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

describe('configuration and state are the sandbox’s own', () => {
  test('whatever variables say', async () => {
    const config = otherConfiguration(join(folder, 'person/svc/config.json'))
    const env = {
      ...shell(),
      SVC_CONFIG: config,
      XDG_CONFIG_HOME: join(folder, 'person'),
      SVC_STATE_DIR: join(folder, 'person/state'),
      XDG_STATE_HOME: join(folder, 'person/state'),
    }
    const { stdout } = await svc('profiles show --json', { env })
    expect(JSON.parse(stdout)).toMatchObject({ stateDir: { value: join(own, 'state') } })
    expect((await svc('doctor', { env })).stdout).toContain(join(own, 'config/config.json'))
    const [contact = ''] = sandbox.examples.contactsWithoutChats
    expect((await svc(`contacts delete ${contact} --yes`, { env })).code).toBe(0)
    expect(readdirSync(join(own, 'state/runs'))).toHaveLength(1)
    expect(existsSync(join(folder, 'person/state'))).toBe(false)
  })

  test.each([
    [
      '--config outside',
      () => `--config ${otherConfiguration(join(folder, 'outside.json'))} lists list`,
    ],
    ['--config outside by a way back', () => `--config ${own}/../outside.json lists list`],
    ['--config beside it', () => `--config ${own}-beside/config.json lists list`],
    ['--config that does not exist', () => `--config ${folder}/none.json lists list`],
    ['--state-dir outside', () => `--state-dir ${folder} lists list`],
    ['--state-dir outside, for a run', () => `--state-dir ${folder} runs list`],
    ['a relative --state-dir', () => '--state-dir state lists list'],
  ])('%s is refused', async (_, line) => {
    const result = await svc(line(), { env: shell() })
    expect(result).toMatchObject({ code: 4, stdout: '' })
    expect(result.stderr).toContain("outside the sandbox's folder")
  })

  test('inside it they may be named', async () => {
    const config = join(own, 'mine.json')
    writeFileSync(config, '{}', { mode: 0o600 })
    const line = `--config ${config} --state-dir ${own}/other-state profiles show --json`
    const { code, stdout } = await svc(line, { env: shell() })
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      { stateDir: { value: join(own, 'other-state') } },
    ])
  })

  test('SVC_SANDBOX alone fixes the address, and no other folder can be named', async () => {
    const env = { ...shell(), SVC_SANDBOX_DIR: undefined }
    expect((await svc('whoami', { env })).code).toBe(0)
    expect((await svc('whoami', { env: { ...env, ...elsewhere } })).code).toBe(4)
    expect((await svc(`whoami --state-dir ${own}`, { env })).code).toBe(4)
    expect((await svc(`whoami --config ${own}/c.json`, { env })).code).toBe(4)
  })

  test('SVC_SANDBOX_DIR alone means nothing', async () => {
    const env = { ...elsewhere, SVC_SANDBOX_DIR: own }
    const { code, stdout } = await svc('whoami --json', { env })
    expect([code, stdout.includes(other.sandbox.baseUrl)]).toEqual([0, true])
  })
})

test('the cache of a sandbox is in its own folder, and there is none with SVC_NO_CACHE', () => {
  const env = { HOME: '/home/ann', XDG_CACHE_HOME: '/cache' }
  const inSandbox = { ...env, SVC_SANDBOX: 'http://127.0.0.1:4010', SVC_SANDBOX_DIR: '/tmp/own' }
  const folderOf = (env: Record<string, string>) => cacheFolder({ env, platform: 'linux' })
  expect(folderOf(inSandbox)).toBe('/tmp/own/cache')
  expect(folderOf(env)).toBe('/cache/svc')
  expect(folderOf({ HOME: '/home/ann' })).toBe('/home/ann/.cache/svc')
  expect(folderOf({ ...inSandbox, SVC_NO_CACHE: '1' })).toBeUndefined()
})

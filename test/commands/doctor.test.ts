/** `svc doctor`: what it looks at, what it finds wrong, and what to do about it. */
import { execFile } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { checkNode } from '../../src/commands/doctor/findings.ts'
import { ownFolder } from '../ending.ts'
import {
  createSandboxWorld,
  createWorld,
  nobody,
  programForAnyone,
  type Options,
  type World,
} from '../svc.ts'

const world = await createSandboxWorld()
const { sandbox, as } = world
const { SVC_API_KEY: apiKey, SVC_API_SECRET: apiSecret = '' } = as('read-write')

interface Check {
  readonly check: string
  readonly state: 'ok' | 'warn' | 'fail' | 'skip'
  readonly message: string
  readonly remedy: string | null
}

async function doctor(words: string, options: Options = {}, where: World = world) {
  const { code, stdout } = await where.svc(`doctor --json ${words}`, { fast: true, ...options })
  const { status, exitCode, checks } = JSON.parse(stdout) as {
    status: string
    exitCode: number
    checks: Check[]
  }
  expect([exitCode, status]).toEqual([code, code === 0 ? 'ok' : 'failed'])
  return {
    code,
    checks,
    // Without that of Node: it depends on the day.
    in: (state: Check['state']) =>
      checks
        .filter((each) => each.state === state && each.check !== 'node')
        .map(({ check }) => check),
    text: checks
      .map(({ check, state, message, remedy }) => `${check} ${state}: ${message}; ${remedy ?? ''}`)
      .join('\n'),
  }
}

test('when all is well every check has a line, one request is made, and no folder is left', async () => {
  const where = createWorld(as('read-write'))
  const before = sandbox.requests.length
  const { code, stdout, stderr } = await where.svc('doctor')
  expect([code, stderr]).toEqual([0, ''])
  expect(
    stdout
      .match(/^(?:ok|warn|FAIL|skip) +\S+(?: \S+)?(?=  )/gm)
      ?.map((line) => line.slice(6).trim()),
  ).toEqual([
    ...[
      'node',
      'configuration',
      'files',
      'profile',
      'policy',
      'proxy',
      'certificates',
      'connection',
      'service',
      'clock',
    ],
    ...['credentials', 'plan', 'write access', 'state folder', 'completion'],
  ])
  expect(stdout).toMatch(/^ok {4}credentials {4}the service accepts key …x_rw$/m)
  for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100)
  const sent = sandbox.requests.slice(before).map(({ method, url }) => `${method} ${url}`)
  expect([sent, existsSync(join(where.folder, '.local'))]).toEqual([
    ['GET /v1/lists?limit=1'],
    false,
  ])
})

/** A proxy that gives this answer. */
async function proxy(answer: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const away = { SVC_BASE_URL: 'https://api.example.com' }
const refusing = await proxy('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
const captive = await createSandboxWorld({ faults: 'lists.list=html' })
const aFile = join(world.folder, 'a-file')
writeFileSync(aFile, '')
const looksFine = join(world.folder, 'looks-fine')
mkdirSync(looksFine, { mode: 0o700 })
writeFileSync(join(looksFine, 'runs'), '')

describe('it names what is wrong, and how to fix it', () => {
  const wrong = { SVC_API_SECRET: 'another-secret' }
  const underV1 = { SVC_BASE_URL: `${sandbox.baseUrl}/v1` }
  const [unused, socks] = [
    { HTTPS_PROXY: 'http://127.0.0.1:1' },
    { ...away, HTTPS_PROXY: 'socks5://127.0.0.1:1' },
  ]
  const tooLong = join(world.folder, 'x'.repeat(300))
  test.each<
    [what: string, words: string, env: World['env'], code: number, failed: string, said: RegExp]
  >([
    [
      'a wrong secret',
      '',
      wrong,
      4,
      'credentials',
      /key …x_rw, .*SVC_API_SECRET;.*the secret is wrong/s,
    ],
    [
      'a URL that ends in /v1',
      '',
      underV1,
      7,
      'service',
      /the base URL ends in \/v1.*: leave it out/,
    ],
    [
      'a proxy that refuses',
      '',
      { ...away, HTTPS_PROXY: refusing },
      7,
      'connection',
      /407 to CONNECT.*NO_PROXY/,
    ],
    ['a proxy that is none', '', socks, 2, 'proxy', /HTTPS_PROXY is not the URL of a proxy/],
    [
      'a proxy that is not used',
      '',
      unused,
      0,
      '',
      /HTTPS_PROXY is set, but not used for 127.0.0.1/,
    ],
    [
      'a page of a proxy',
      '--retries 0',
      captive.env,
      7,
      'service',
      /a proxy or a login page.*credentials skip/s,
    ],
    ['a plan without the API', '', as('no-plan'), 5, 'plan', /credentials ok.*company's plan/s],
    [
      'a key that may only read',
      '',
      as('read'),
      0,
      '',
      /write access skip: .*svc doctor --check-write/,
    ],
    ['the same, tried', '--check-write', as('read'), 5, 'write access', /"read-write"/],
    [
      'a folder below a file',
      `--state-dir ${aFile}/x`,
      {},
      2,
      'state folder',
      /a part.*--state-dir or SVC_STATE_DIR/,
    ],
    [
      'a folder no run could use',
      `--state-dir ${looksFine}`,
      {},
      2,
      'state folder',
      /state folder fail/,
    ],
    [
      'one that cannot be made',
      '--state-dir /proc/svc-cannot',
      {},
      2,
      'state folder',
      /state folder fail/,
    ],
    [
      'a name that is too long',
      `--state-dir ${tooLong}`,
      {},
      2,
      'state folder',
      /state folder fail/,
    ],
    // The first failure decides the exit code.
    ['two of them', `--state-dir ${aFile}/x`, wrong, 4, 'credentials, state folder', /fail/],
    ['no completion', '', { SHELL: '/bin/zsh' }, 0, '', /completion skip: .*svc completion --help/],
  ])('%s', async (_what, words, env, code, failed, said) => {
    const report = await doctor(words, { env })
    expect([report.code, report.in('fail').join(', '), report.text]).toEqual([
      ...[code, failed],
      expect.stringMatching(said),
    ])
  })

  test.each([
    [-7, /^(?:7m0s|6m59s) behind$/],
    [7, /^(?:7m0s|6m59s|7m1s) ahead of$/],
    [3 * 24 * 60, /^3d0h ahead of$/],
  ])('a clock %i minutes off', async (minutes, words) => {
    const report = await doctor('', { clockOffset: minutes * 60_000 })
    expect([report.code, report.in('fail')]).toEqual([4, ['clock']])
    const [, off = ''] =
      /this machine's clock is (.*) the service; .*set the clock/.exec(report.text) ?? []
    expect(off).toMatch(words)
    expect(report.text).toContain('credentials skip: ')
  })

  test('no profile: what does not need one is still looked at', async () => {
    const report = await doctor('', {}, createWorld())
    expect([report.code, report.in('fail')]).toEqual([4, ['profile']])
    expect(report.text).toMatch(/there are no credentials; .*svc profiles add <name>/s)
    expect(report.in('ok')).toEqual(['configuration', 'files', 'state folder'])
  })

  test('a try at writing adds a contact that does not exist to a list that does not exist', async () => {
    const before = sandbox.requests.length
    expect((await doctor('--check-write')).text).toContain('write access ok')
    const [write, ...more] = sandbox.requests
      .slice(before)
      .filter(({ method }) => method === 'POST')
    const none = '0'.repeat(24)
    expect([write?.url, write?.body, more]).toEqual([
      `/v1/lists/${none}/contacts`,
      `{"contactIds":["${none}"]}`,
      [],
    ])
  })

  test('completion is looked for where the help says to put it', async () => {
    writeFileSync(join(world.folder, '.zshrc'), 'source <(svc completion zsh)\n')
    expect((await doctor('', { env: { SHELL: '/usr/bin/zsh' } })).text).toContain('completion ok')
  })
})

describe('files', () => {
  /** A world whose configuration has one profile. */
  function configured(profile: object, mode = 0o600) {
    const where = createWorld()
    const path = join(where.folder, '.config/svc/config.json')
    mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 })
    const prod = { baseUrl: sandbox.baseUrl, apiKey, ...profile }
    writeFileSync(path, JSON.stringify({ current: 'prod', profiles: { prod } }))
    chmodSync(path, mode)
    return { where, path }
  }

  test('a configuration with a secret that others can read, and its remedy', async () => {
    const { where, path } = configured({ apiSecret }, 0o644)
    const report = await doctor('', {}, where)
    expect([report.code, report.in('fail')]).toEqual([2, ['configuration']])
    expect(report.text).toContain('can be read by others (mode 0644)')
    expect(report.text).toContain(`chmod 600 ${path}`)
    chmodSync(path, 0o600)
    expect((await doctor('', {}, where)).code).toBe(0)
  })

  test('a secret file that everybody can read, and its remedy', async () => {
    const secretFile = join(ownFolder('secret'), 'secret')
    writeFileSync(secretFile, apiSecret)
    chmodSync(secretFile, 0o604)
    const { where } = configured({ secretFile })
    const report = await doctor('', {}, where)
    expect([report.code, report.in('warn')]).toEqual([0, ['files']])
    expect(report.text).toMatch(`;   chmod 600 ${secretFile}`)
    // A group may be meant to read it.
    for (const mode of [0o600, 0o640]) {
      chmodSync(secretFile, mode)
      expect((await doctor('', {}, where)).in('warn')).toEqual([])
    }
  })

  test('a broken configuration file, with its place', async () => {
    const { where, path } = configured({})
    writeFileSync(path, '{ "current": }')
    const report = await doctor('', {}, where)
    expect([report.code, report.in('fail')]).toEqual([2, ['configuration']])
    expect(report.text).toMatch(/config\.json:1:\d+: malformed JSON/)
    expect(report.checks.map(({ check }) => check)).toEqual([
      'node',
      'configuration',
      'state folder',
      'completion',
    ])
  })

  test('a secret that cannot be had', async () => {
    const report = await doctor('', {}, configured({ secretEnv: 'NOT_SET_ANYWHERE' }).where)
    expect([report.code, report.in('fail')]).toEqual([4, ['profile']])
    expect(report.text).toContain('NOT_SET_ANYWHERE is not set')
  })

  test('on a protected profile the try at writing asks first', async () => {
    const { where } = configured({ apiSecret, protected: true })
    const { code, stderr } = await where.svc('doctor --check-write')
    expect([code, stderr]).toEqual([9, expect.stringContaining('confirmation needed')])
    expect((await doctor('--check-write --yes', {}, where)).code).toBe(0)
  })

  test('a read-only state folder', async () => {
    const home = ownFolder('nobody')
    chmodSync(home, 0o555)
    if (nobody.uid !== undefined) chownSync(home, nobody.uid, nobody.gid)
    const program = programForAnyone()
    for (const path of [home, join(home, 'below')]) {
      const words = [program, 'doctor', '--json', '--state-dir', path]
      const run = promisify(execFile)(process.execPath, words, {
        ...nobody,
        env: { ...world.env, HOME: home },
        cwd: '/',
      })
      const ended = await run.then(
        ({ stdout }) => ({ code: 0, stdout }),
        ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
      )
      const { checks } = JSON.parse(ended.stdout) as {
        checks: { check: string; state: string; message: string }[]
      }
      const failed = checks.filter(({ state }) => state === 'fail')
      expect([ended.code, failed.map(({ check }) => check)]).toEqual([2, ['state folder']])
      expect(failed[0]?.message).toContain('permission denied')
    }
    rmSync(home, { recursive: true })
  })
})

describe('Node', () => {
  test('a Node that is too old', () => {
    const on = (nodeVersion: string) =>
      checkNode({
        nodeVersion,
        self: ['/usr/bin/node', 'svc.js'],
        now: () => Date.UTC(2026, 3, 30, 12),
      })
    for (const version of ['20.19.0', '20.20.2', '22.13.1', '24.0.0', '26.1.0'])
      expect(on(version).state).toBe('ok')
    for (const version of ['18.20.0', '20.18.1', '21.7.0', '22.12.0', '23.11.0'])
      expect(on(version).state).toBe('warn')
  })

  test.each([
    ['20.20.2', Date.UTC(2026, 4, 1)],
    ['22.23.3', Date.UTC(2027, 4, 1)],
    ['24.21.0', Date.UTC(2028, 4, 1)],
    ['26.10.0', Date.UTC(2029, 4, 1)],
  ])('a Node %s that gets no fixes any more', (nodeVersion, end) => {
    const at = (now: number, ...self: [string, ...string[]]) =>
      checkNode({ nodeVersion, self, now: () => now })
    expect(at(end - 1, 'node', 'svc.js')).toMatchObject({ state: 'ok', message: nodeVersion })
    expect(at(end, 'node', 'svc.js')).toMatchObject({
      state: 'warn',
      message: `${nodeVersion} has had no security fixes since ${new Date(end - 1).toISOString().slice(0, 10)}`,
      remedy: 'install Node 26 or a later one; svc still works with this one',
    })
    expect(at(end - 1, '/usr/bin/svc').message).toBe(`${nodeVersion}, part of this executable`)
    expect(at(end, '/usr/bin/svc').remedy).toBe('install a newer version of svc')
  })
})

import { execFile } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { ownFolder } from '../ending.ts'
import {
  createSandboxWorld,
  createWorld,
  guardSecret,
  type Options,
  type World,
  nobody,
  programForAnyone,
} from '../svc.ts'

const world = await createSandboxWorld()
const { svc, sandbox, as } = world

interface Check {
  readonly check: string
  readonly state: 'ok' | 'warn' | 'fail' | 'skip'
  readonly message: string
  readonly remedy: string | null
}

interface Report {
  readonly code: number
  readonly stderr: string
  readonly checks: readonly Check[]
  /** The checks in this state, without that of Node: it depends on the day. */
  in(state: Check['state']): string[]
  of(check: string): Check
}

async function doctor(words: string, options: Options = {}, where: World = world): Promise<Report> {
  const { code, stdout, stderr } = await where.svc(`doctor --json ${words}`, { fast: true, ...options })
  const { status, exitCode, checks } = JSON.parse(stdout) as { status: string; exitCode: number; checks: Check[] }
  expect(exitCode).toBe(code)
  expect(status).toBe(code === 0 ? 'ok' : 'failed')
  return {
    code,
    stderr,
    checks,
    in: (state) => checks.filter((each) => each.state === state && each.check !== 'node').map(({ check }) => check),
    of: (check) =>
      checks.find((each) => each.check === check) ?? { check, state: 'skip', message: 'no such check', remedy: null },
  }
}

const everyCheck = [
  ...['node', 'configuration', 'files', 'profile', 'policy', 'proxy', 'connection', 'service', 'clock', 'credentials'],
  ...['plan', 'write access', 'state folder', 'completion'],
]

describe('when all is well', () => {
  test('every check has a line, and the exit code is 0', async () => {
    const before = sandbox.requests.length
    const { code, stdout, stderr } = await svc('doctor')
    expect([code, stderr]).toEqual([0, ''])
    const checks = stdout
      .split('\n')
      .flatMap((line) => /^(?:ok|warn|FAIL|skip) +(\S+(?: \S+)?)  /.exec(line)?.[1] ?? [])
    expect(checks).toEqual(everyCheck)
    expect(stdout).toMatch(/^ok {4}credentials {4}the service accepts key …x_rw$/m)
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100)
    expect(sandbox.requests.slice(before).map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /v1/lists?limit=1',
    ])
  })

  test('nothing is left behind in the state folder, which is not even made', async () => {
    const where = createWorld(as('read-write'))
    await doctor('', {}, where)
    expect(existsSync(join(where.folder, '.local'))).toBe(false)
  })
})

describe('it names and fixes', () => {
  test('no profile', async () => {
    const report = await doctor('', {}, createWorld())
    expect([report.code, report.in('fail')]).toEqual([4, ['profile']])
    expect(report.of('profile').message).toBe('there is no profile and there are no credentials')
    expect(report.of('profile').remedy).toContain('svc profiles add <name>')
    // What does not need a profile is still looked at.
    expect(report.in('ok')).toEqual(['configuration', 'files', 'state folder'])
  })

  test('a wrong secret', async () => {
    const report = await doctor('', { env: { SVC_API_SECRET: 'another-secret' } })
    expect([report.code, report.in('fail')]).toEqual([4, ['credentials']])
    expect(report.of('credentials').message).toBe('Invalid API credentials')
    expect(report.of('credentials').remedy).toContain('the key or the secret is wrong')
    expect(report.of('profile').message).toContain('key …x_rw, secret from the variable SVC_API_SECRET')
    expect(report.of('clock').state).toBe('ok')
  })

  test.each([
    [-7, 'behind'],
    [7, 'ahead of'],
  ])('a clock %i minutes off', async (minutes, words) => {
    const report = await doctor('', { clockOffset: minutes * 60_000 })
    expect([report.code, report.in('fail')]).toEqual([4, ['clock']])
    expect(report.of('clock').message).toMatch(
      new RegExp(`^this machine's clock is (?:7m0s|6m59s|7m1s) ${words} the service$`),
    )
    expect(report.of('clock').remedy).toContain('set the clock')
    // The credentials were tried with the service's time.
    expect(report.of('credentials').state).toBe('ok')
  })

  test('a clock three days off, where the credentials cannot be judged', async () => {
    const report = await doctor('', { clockOffset: 3 * 24 * 3_600_000 })
    expect([report.code, report.in('fail')]).toEqual([4, ['clock']])
    expect(report.of('credentials').state).toBe('skip')
  })

  describe('files', () => {
    let where: World
    let config: string
    beforeEach(() => {
      where = createWorld()
      config = join(where.folder, '.config/svc')
      mkdirSync(config, { recursive: true, mode: 0o700 })
    })
    function write(secret: Record<string, string>, mode = 0o600): string {
      const path = join(config, 'config.json')
      const profile = { baseUrl: sandbox.baseUrl, apiKey: as('read-write')['SVC_API_KEY'], ...secret }
      writeFileSync(path, JSON.stringify({ current: 'prod', profiles: { prod: profile } }))
      chmodSync(path, mode)
      return path
    }

    test('a configuration with a secret that others can read', async () => {
      const path = write({ apiSecret: as('read-write')['SVC_API_SECRET'] ?? '' }, 0o644)
      const report = await doctor('', {}, where)
      expect([report.code, report.in('fail')]).toEqual([2, ['configuration']])
      expect(report.of('configuration').message).toContain('can be read by others (mode 0644)')
      expect(report.of('configuration').remedy).toContain(`chmod 600 ${path}`)
      // The remedy fixes it.
      chmodSync(path, 0o600)
      expect((await doctor('', {}, where)).code).toBe(0)
    })

    test('a secret file that everybody can read', async () => {
      const secret = join(where.folder, 'secret')
      writeFileSync(secret, as('read-write')['SVC_API_SECRET'] ?? '')
      chmodSync(secret, 0o644)
      write({ secretFile: secret })
      const report = await doctor('', {}, where)
      expect([report.code, report.in('warn')]).toEqual([0, ['files']])
      expect(report.of('files').remedy).toBe(`  chmod 600 ${secret}`)
      chmodSync(secret, 0o600)
      expect((await doctor('', {}, where)).in('warn')).toEqual([])
    })

    test('a broken configuration file, with its place', async () => {
      writeFileSync(join(config, 'config.json'), '{ "current": }', { mode: 0o600 })
      const report = await doctor('', {}, where)
      expect([report.code, report.in('fail')]).toEqual([2, ['configuration']])
      expect(report.of('configuration').message).toMatch(/config\.json:1:\d+: malformed JSON/)
      expect(report.checks.map(({ check }) => check)).toEqual(['node', 'configuration', 'state folder', 'completion'])
    })

    test('a secret that cannot be had', async () => {
      write({ secretEnv: 'NOT_SET_ANYWHERE' })
      const report = await doctor('', {}, where)
      expect([report.code, report.in('fail')]).toEqual([4, ['profile']])
      expect(report.of('profile').message).toContain('NOT_SET_ANYWHERE is not set')
    })
  })

  test('a base URL that ends in /v1', async () => {
    const report = await doctor('', { env: { SVC_BASE_URL: `${sandbox.baseUrl}/v1` } })
    expect(report.in('fail')).toEqual(['service'])
    expect(report.of('service').remedy).toBe('the base URL ends in /v1, which svc adds itself: leave it out')
  })

  describe('a proxy in the way', () => {
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

    test('that refuses', async () => {
      const url = await proxy('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
      const report = await doctor('', { env: { ...away, HTTPS_PROXY: url } })
      expect([report.code, report.in('fail')]).toEqual([7, ['connection']])
      expect(report.of('proxy').message).toBe(`${new URL(url).host} (HTTPS_PROXY)`)
      expect(report.of('connection').message).toContain('the proxy (HTTPS_PROXY) answered 407 to CONNECT')
      expect(report.of('connection').remedy).toContain('NO_PROXY')
    })

    test('whose variable is broken', async () => {
      const report = await doctor('', { env: { ...away, HTTPS_PROXY: 'socks5://127.0.0.1:1' } })
      expect([report.code, report.in('fail')]).toEqual([2, ['proxy']])
      expect(report.of('proxy').message).toContain('HTTPS_PROXY is not the URL of a proxy')
    })

    test('that is not used for this machine', async () => {
      const report = await doctor('', { env: { HTTPS_PROXY: 'http://127.0.0.1:1' } })
      expect(report.code).toBe(0)
      expect(report.of('proxy').message).toBe('HTTPS_PROXY is set, but not used for 127.0.0.1')
    })

    test('that answers with a page of its own', async () => {
      const captive = await createSandboxWorld({ faults: 'lists.list=html' })
      const report = await doctor('--retries 0', {}, captive)
      expect([report.code, report.in('fail')]).toEqual([7, ['service']])
      expect(report.of('service').message).toContain('answered with a web page')
      expect(report.of('service').remedy).toContain('a proxy or a login page')
      expect(report.of('credentials').state).toBe('skip')
    })
  })

  test('a state folder that cannot be written', async () => {
    const file = join(world.folder, 'a-file')
    writeFileSync(file, '')
    const report = await doctor(`--state-dir ${file}/state`)
    expect([report.code, report.in('fail')]).toEqual([2, ['state folder']])
    expect(report.of('state folder').message).toBe(
      `${file}/state cannot be written: a part of the path is not a folder`,
    )
    expect(report.of('state folder').remedy).toContain('--state-dir or SVC_STATE_DIR')
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
      const { checks } = JSON.parse(ended.stdout) as { checks: { check: string; state: string; message: string }[] }
      const failed = checks.filter(({ state }) => state === 'fail')
      expect([ended.code, failed.map(({ check }) => check)]).toEqual([2, ['state folder']])
      expect(failed[0]?.message).toContain('permission denied')
    }
    rmSync(home, { recursive: true })
  })

  test('a state folder that a run could not use, though it looks as if', async () => {
    const folder = join(world.folder, 'looks-fine')
    mkdirSync(folder, { mode: 0o700 })
    writeFileSync(join(folder, 'runs'), '')
    for (const path of [folder, '/proc/svc-cannot-make-this', join(world.folder, 'x'.repeat(300))]) {
      const report = await doctor(`--state-dir ${path}`)
      expect([report.code, report.in('fail')]).toEqual([2, ['state folder']])
    }
  })

  test('a plan without API access', async () => {
    const report = await doctor('', { env: as('no-plan') })
    expect([report.code, report.in('fail')]).toEqual([5, ['plan']])
    expect(report.of('plan').remedy).toContain("company's plan")
    expect(report.of('credentials').state).toBe('ok')
  })

  test('a key that may only read shows with --check-write alone', async () => {
    const quiet = await doctor('', { env: as('read') })
    expect([quiet.code, quiet.of('write access').state]).toEqual([0, 'skip'])
    expect(quiet.of('write access').remedy).toContain('svc doctor --check-write')
    const before = sandbox.requests.length
    const report = await doctor('--check-write', { env: as('read') })
    expect([report.code, report.in('fail')]).toEqual([5, ['write access']])
    expect(report.of('write access').remedy).toContain('"read-write"')
    const write = sandbox.requests.slice(before).find(({ method }) => method === 'POST')
    expect([write?.url, write?.body]).toEqual([
      `/v1/lists/${'0'.repeat(24)}/contacts`,
      `{"contactIds":["${'0'.repeat(24)}"]}`,
    ])
  })

  test('a Node that is too old', async () => {
    const { checkNode } = await import('../../src/commands/doctor/findings.ts')
    const on = (nodeVersion: string) =>
      checkNode({ nodeVersion, self: ['/usr/bin/node', 'svc.js'], now: () => Date.UTC(2026, 3, 30, 12) })
    for (const version of ['20.19.0', '20.20.2', '22.13.1', '24.0.0', '26.1.0']) expect(on(version).state).toBe('ok')
    for (const version of ['18.20.0', '20.18.1', '21.7.0', '22.12.0', '23.11.0']) expect(on(version).state).toBe('warn')
  })

  test.each([
    ['20.20.2', Date.UTC(2026, 4, 1)],
    ['22.23.3', Date.UTC(2027, 4, 1)],
    ['24.21.0', Date.UTC(2028, 4, 1)],
    ['26.10.0', Date.UTC(2029, 4, 1)],
  ])('a Node %s that gets no fixes any more', async (nodeVersion, end) => {
    const { checkNode } = await import('../../src/commands/doctor/findings.ts')
    const at = (now: number, ...self: [string, ...string[]]) => checkNode({ nodeVersion, self, now: () => now })
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

describe('completion', () => {
  test('is looked for where the help says to put it', async () => {
    const where = createWorld(as('read-write'))
    const env = { SHELL: '/usr/bin/zsh' }
    expect((await doctor('', { env }, where)).of('completion')).toMatchObject({
      state: 'skip',
      remedy: '  svc completion --help',
    })
    writeFileSync(join(where.folder, '.zshrc'), 'source <(svc completion zsh)\n')
    expect((await doctor('', { env }, where)).of('completion')).toMatchObject({ state: 'ok' })
  })
})

test('the first failure decides the exit code, and the others are named too', async () => {
  const report = await doctor('--state-dir /dev/null/state', { env: { SVC_API_SECRET: 'another-secret' } })
  expect([report.code, report.in('fail')]).toEqual([4, ['credentials', 'state folder']])
})

test('on a protected profile the try at writing asks first', async () => {
  const where = createWorld()
  const config = join(where.folder, '.config/svc')
  mkdirSync(config, { recursive: true, mode: 0o700 })
  const { SVC_API_KEY: apiKey, SVC_API_SECRET: apiSecret = '' } = as('read-write')
  guardSecret(apiSecret)
  const content = {
    current: 'prod',
    profiles: { prod: { baseUrl: sandbox.baseUrl, apiKey, apiSecret, protected: true } },
  }
  writeFileSync(join(config, 'config.json'), JSON.stringify(content), { mode: 0o600 })
  const { code, stderr } = await where.svc('doctor --check-write')
  expect(code).toBe(9)
  expect(stderr).toContain('confirmation needed')
  expect((await doctor('--check-write --yes', {}, where)).code).toBe(0)
})

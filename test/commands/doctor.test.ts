/** `svc doctor`: what it looks at, what it finds wrong, and what to do about it. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createSandboxWorld, createWorld, type Options, type World } from '../svc.ts'

const world = await createSandboxWorld()
const { sandbox, as } = world

interface Check {
  readonly check: string
  readonly state: 'ok' | 'warn' | 'fail'
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
  const names = (state: Check['state']) =>
    checks.flatMap((each) => (each.state === state ? [each.check] : []))
  const lines = checks.map(
    ({ check, state, message, remedy }) => `${check} ${state}: ${message}; ${remedy ?? ''}`,
  )
  return { code, names, text: lines.join('\n') }
}

test('when all is well every check has a line, and one request is made', async () => {
  const where = createWorld(as('read-write'))
  const before = sandbox.requests.length
  const { code, stdout, stderr } = await where.svc('doctor')
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout.match(/^(?:ok|warn|FAIL) +\S+(?: \S+)?(?=  )/gm)).toEqual(
    [...['versions', 'file', 'proxy', 'service', 'clock', 'credentials', 'state folder']].map(
      (check) => `ok    ${check}`,
    ),
  )
  expect(stdout).toMatch(/^ok {4}credentials {3}the environment: key …x_rw is accepted/m)
  for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100)
  const sent = sandbox.requests.slice(before).map(({ method, url }) => `${method} ${url}`)
  expect(sent).toEqual(['GET /v1/lists?limit=1'])
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
const refusing = {
  ...away,
  HTTPS_PROXY: await proxy('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'),
}
const socks = { ...away, HTTPS_PROXY: 'socks5://127.0.0.1:1' }
const captive = await createSandboxWorld({ faults: 'lists.list=html' })
const aFile = join(world.folder, 'a-file')
writeFileSync(aFile, '')
const wrong = { SVC_API_SECRET: 'another-secret' }
const underV1 = { SVC_BASE_URL: `${sandbox.baseUrl}/v1` }
const noAuthority = { SVC_CA_FILE: '/nonesuch.pem' }

test.each<
  [what: string, words: string, env: World['env'], code: number, failed: string, said: RegExp]
>([
  ['a wrong secret', '', wrong, 4, 'credentials', /the secret is wrong/],
  ['no secret', '', { SVC_API_SECRET: '' }, 4, 'credentials', /but not SVC_API_SECRET/],
  [
    'a URL that ends in /v1',
    '',
    underV1,
    7,
    'service',
    /the base URL ends in \/v1.*: leave it out/,
  ],
  ['a proxy that refuses', '', refusing, 7, 'service', /407 to CONNECT.*NO_PROXY/],
  ['a proxy that is none', '', socks, 2, 'proxy', /HTTPS_PROXY is not the URL of a proxy/],
  ['no certificates', '', noAuthority, 2, 'proxy', /nonesuch.pem cannot be read.*PEM file/],
  ['a page of a proxy', '', captive.env, 7, 'service', /a proxy or a login page/],
  ['a plan without the API', '', as('no-plan'), 5, 'credentials', /company's subscription/],
  [
    'a folder below a file',
    `--state-dir ${aFile}/x`,
    {},
    2,
    'state folder',
    /a part.*--state-dir or SVC_STATE_DIR/,
  ],
  ['one that cannot be made', '--state-dir /proc/svc-cannot', {}, 2, 'state folder', /cannot be/],
  // The first failure decides the exit code.
  ['two of them', `--state-dir ${aFile}/x`, wrong, 4, 'credentials, state folder', /fail/],
])('it names %s, and how to fix it', async (_what, words, env, code, failed, said) => {
  const report = await doctor(words, { env })
  expect([report.code, report.names('fail').join(', '), report.text]).toEqual([
    ...[code, failed],
    expect.stringMatching(said),
  ])
})

test.each([
  [-7, /(?:7m0s|6m59s) behind/],
  [7, /(?:7m0s|6m59s|7m1s) ahead of/],
  [3 * 24 * 60, /3d0h ahead of/],
])('a clock %i minutes off', async (minutes, words) => {
  const report = await doctor('', { clockOffset: minutes * 60_000 })
  expect([report.code, report.names('fail')]).toEqual([4, ['clock', 'credentials']])
  const [, off] =
    /clock fail: this machine's clock is (.*) the service; .*set the clock/.exec(report.text) ?? []
  expect(off).toMatch(words)
})

test.each([0, 400, -400])('a clock %i ms off agrees with the service', async (clockOffset) => {
  const { text } = await doctor('', { clockOffset })
  expect(text).toContain("clock ok: this machine's clock agrees with the service's")
})

test('a clock that will soon be too far off is a warning', async () => {
  expect((await doctor('', { clockOffset: 120_000 })).names('warn')).toEqual(['clock'])
})

test('no profile: what does not need one is still looked at', async () => {
  const report = await doctor('', {}, createWorld())
  expect([report.code, report.names('fail')]).toEqual([4, ['credentials']])
  expect(report.text).toMatch(/no profile or credentials are set up; .*svc profiles add <name>/s)
  expect(report.names('ok')).toEqual(['versions', 'file', 'state folder'])
})

test('a configuration that is broken, or that others can read, and its remedy', async () => {
  const where = createWorld()
  const path = join(where.folder, '.config/svc/config.json')
  mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 })
  const { SVC_API_KEY: apiKey, SVC_API_SECRET: apiSecret } = as('read-write')
  const prod = { baseUrl: sandbox.baseUrl, apiKey, apiSecret }
  for (const [text, mode, said] of [
    [
      JSON.stringify({ current: 'prod', profiles: { prod } }),
      0o600,
      /^file ok: .*config\.json; $/m,
    ],
    ['{ "current": }', 0o600, /config\.json: malformed JSON/],
    [JSON.stringify({ profiles: { prod } }), 0o644, /mode 0644.*chmod 600 \S*config\.json/s],
  ] as const) {
    writeFileSync(path, text)
    chmodSync(path, mode)
    const report = await doctor('', {}, where)
    const isWell = said.source.includes('ok')
    const failed = [2, ['file'], ['versions', 'state folder']]
    const ended = [report.code, report.names('fail'), report.names('ok').slice(0, 2)]
    expect(ended).toEqual(isWell ? [0, [], ['versions', 'file']] : failed)
    expect(report.text).toMatch(said)
  }
})

/** Whose credentials they are, and which secrets are taken. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, test } from 'vitest'
import { createSandboxWorld, createWorld } from '../svc.ts'

const { svc, sandbox, as } = await createSandboxWorld()

const host = new URL(sandbox.baseUrl).host

describe('whoami', () => {
  test('shows profile, host and the end of the key, and asks the service with one request', async () => {
    const before = sandbox.requests.length
    const { code, stdout, stderr } = await svc('whoami --json')
    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toEqual({
      profile: null,
      source: 'the environment',
      baseUrl: sandbox.baseUrl,
      host,
      apiKey: '…x_rw',
      protected: false,
      credentials: 'accepted',
    })
    const sent = sandbox.requests.slice(before).map(({ method, url }) => `${method} ${url}`)
    expect(sent).toEqual(['GET /v1/lists?limit=1'])
  })

  test('--offline sends nothing', async () => {
    const before = sandbox.requests.length
    const { code, stdout } = await svc('whoami --offline --json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ credentials: 'not asked', host })
    expect(sandbox.requests.length).toBe(before)
  })

  test('as a table', async () => {
    const { stdout } = await svc('whoami')
    expect(stdout).toMatch(/^FROM +the environment$/m)
    expect(stdout).toMatch(/^KEY +…x_rw$/m)
    expect(stdout).toMatch(/^CREDENTIALS +accepted$/m)
  })

  test('no credentials: exit 4', async () => {
    const { code, stdout, stderr } = await createWorld().svc('whoami')
    expect([code, stdout]).toEqual([4, ''])
    expect(stderr).toContain('there is no profile and there are no credentials')
  })

  test('a wrong secret: exit 4, and who it was about', async () => {
    const { code, stdout, stderr } = await svc('whoami', { env: { SVC_API_SECRET: 'another-secret' } })
    expect([code, stdout]).toEqual([4, ''])
    expect(stderr).toContain(`note: credentials of the environment, ${host}, key …x_rw\n`)
    expect(stderr).toContain('the key or the secret is wrong')
  })

  test('no plan: exit 5', async () => {
    const { code, stderr } = await svc('whoami', { env: as('no-plan') })
    expect(code).toBe(5)
    expect(stderr).toContain("API access is not part of the company's plan")
  })

  test('a service that is not there: exit 7', async () => {
    const { code } = await svc('whoami --retries 0', { env: { SVC_BASE_URL: 'http://127.0.0.1:1' } })
    expect(code).toBe(7)
  })

  test('something else at that address tells nothing about the credentials: exit 7', async () => {
    const server = createServer((_, response) => response.writeHead(404).end('no'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    afterAll(() => server.close())
    const { port } = server.address() as AddressInfo
    const { code, stderr } = await svc('whoami --error-format json', {
      env: { SVC_BASE_URL: `http://127.0.0.1:${port}` },
    })
    expect(code).toBe(7)
    expect(JSON.parse(stderr.split('\n').at(-2) ?? '')).toMatchObject({ error: { exitCode: 7, httpStatus: 404 } })
  })
})

// Which secrets are taken, and where one is hidden: in what came from outside, never in words of ours.
const unknownTicket = '0123456789abcdef01234567'

describe('a secret of fewer than 8 characters', () => {
  test.each([
    'lists list',
    'lists create --name x',
    'contacts delete 0123456789abcdef01234567 --yes',
    `tickets get ${unknownTicket}`,
    'employees list',
    'api /v1/lists',
    'whoami',
    'doctor',
  ])('%s: exit 4, nothing is sent, and no word of ours is hidden', async (line) => {
    for (const secret of ['a', 'categor', '🔑🔑🔑🔑🔑🔑🔑']) {
      const before = sandbox.requests.length
      const { code, stdout, stderr } = await svc(`${line} --json`, { env: { SVC_API_SECRET: secret } })
      expect([code, sandbox.requests.length - before]).toEqual([4, 0])
      expect(stderr + stdout).toContain('the secret from the variable SVC_API_SECRET has fewer than 8 characters')
      expect(stderr + stdout).not.toContain('[hidden]')
    }
  })
})

describe('a secret that is a word of ours', () => {
  test.each(['category', 'exitCode', 'httpStatus', 'attempts', 'SVC_API_SECRET'])('%s', async (secret) => {
    const { code, stderr } = await svc(['lists', 'list', '--search', `${secret}s`, '--json'], {
      env: { SVC_API_SECRET: secret },
    })
    expect(code).toBe(4)
    const { type, error } = JSON.parse(stderr) as { type: string; error: Record<string, unknown> }
    expect([type, error['category'], error['exitCode']]).toEqual(['error', 'auth', 4])
    expect(Object.keys(error)).toEqual(
      'category exitCode httpStatus code message hint request profile run retry'.split(' '),
    )
    expect(error['request']).toEqual({
      method: 'GET',
      path: '/v1/lists?page=1&limit=100&search=[hidden]s',
      attempts: 1,
      requestId: expect.stringMatching(/^sandbox-\d+$/) as string,
    })
  })
})

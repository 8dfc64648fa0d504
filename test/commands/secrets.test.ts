/** Which secrets are taken, and where one is hidden: in what came from outside, never in words of ours. */
import { describe, expect, test } from 'vitest'
import { createSandboxWorld } from '../svc.ts'

const { svc, sandbox } = await createSandboxWorld()
const ticket = '0123456789abcdef01234567'

describe('a secret of fewer than 8 characters', () => {
  test.each([
    'lists list',
    'lists create --name x',
    'contacts delete 0123456789abcdef01234567 --yes',
    `tickets get ${ticket}`,
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

  test('sign takes one that the environment names for this call, with a warning', async () => {
    const { code, stdout, stderr } = await svc('sign --timestamp 1767225600000 --body {}', {
      env: { SVC_API_SECRET: 'abc' },
      clockOffset: 1_767_225_600_000 - Date.now(),
    })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^X-Service-Signature: [0-9a-f]{64}$/m)
    expect(stderr).toBe('warning: this secret has fewer than 8 characters; every other command refuses it\n')
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
    expect(Object.keys(error)).toEqual('category exitCode httpStatus code message hint request profile run'.split(' '))
    expect(error['request']).toEqual({
      method: 'GET',
      path: '/v1/lists?page=1&limit=100&search=[hidden]s',
      attempts: 1,
      requestId: expect.stringMatching(/^sandbox-\d+$/) as string,
    })
  })
})

/** Whose credentials they are, and which secrets are taken. */
import { describe, expect, test } from 'vitest'
import { answering, http } from '../http/loopback.ts'
import { createSandboxWorld } from '../svc.ts'

const { svc, sandbox } = await createSandboxWorld()

describe('whoami', () => {
  test('something else at that address tells nothing about the credentials: exit 7', async () => {
    const { baseUrl } = await answering((socket) => socket.write(http(404, 'no')))
    const { code, stderr } = await svc('whoami --error-format json', { env: { SVC_BASE_URL: baseUrl } })
    expect(code).toBe(7)
    expect(JSON.parse(stderr.split('\n').at(-2) ?? '')).toMatchObject({ error: { exitCode: 7, httpStatus: 404 } })
  })
})

// Which secrets are taken, and where one is hidden: in what came from outside, never in words of ours.
describe('a secret of fewer than 8 characters', () => {
  test.each(['lists list', 'contacts delete 0123456789abcdef01234567 --yes', 'doctor'])(
    '%s: exit 4, nothing is sent, and no word of ours is hidden',
    async (line) => {
      for (const secret of ['a', 'categor', '🔑🔑🔑🔑🔑🔑🔑']) {
        const before = sandbox.requests.length
        const { code, stdout, stderr } = await svc(`${line} --json`, { env: { SVC_API_SECRET: secret } })
        expect([code, sandbox.requests.length - before]).toEqual([4, 0])
        expect(stderr + stdout).toContain('the secret from the variable SVC_API_SECRET has fewer than 8 characters')
        expect(stderr + stdout).not.toContain('[hidden]')
      }
    },
  )
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

/** `svc whoami`: whose credentials are used, and whether they work. */
import { expect, test } from 'vitest'
import { createSandboxWorld } from '../svc.ts'

const { svc, sandbox, as, requestsOf } = await createSandboxWorld()

test('whose they are, with one request, or none when it is not to ask', async () => {
  const env = as('read')
  const identity = {
    profile: null,
    source: 'the environment',
    baseUrl: sandbox.baseUrl,
    host: new URL(sandbox.baseUrl).host,
    apiKey: `…${env['SVC_API_KEY']?.slice(-4)}`,
    protected: false,
  }
  for (const [line, credentials, requests] of [
    ['whoami --json', 'accepted', ['GET /v1/lists?limit=1']],
    ['whoami --offline --json', 'not asked', []],
  ] as const) {
    const { result, sent } = await requestsOf(line, { env })
    expect([result.code, JSON.parse(result.stdout), sent]).toEqual([
      0,
      { ...identity, credentials },
      requests,
    ])
  }
})

test.each([
  ['401', 4],
  ['403,code=40351', 5],
  // This read is always right: a refusal says nothing about the credentials.
  ['404', 7],
  ['400', 7],
  ['500', 7],
])('the service answers %s: exit %i', async (fault, code) => {
  sandbox.setFaults(`lists.list=${fault}`)
  const result = await svc('whoami --retries 0')
  sandbox.setFaults()
  expect(result).toMatchObject({ code, stdout: '' })
  expect(result.stderr).toMatch(/^note: credentials of the environment, 127\.0\.0\.1:\d+, key …/)
})

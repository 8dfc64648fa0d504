/** `svc whoami`: whether the credentials work. */
import { expect, test } from 'vitest'
import { createSandboxWorld } from '../svc.ts'

const { svc, sandbox } = await createSandboxWorld()

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
  expect(result.stderr).toMatch(/^note: the environment, 127\.0\.0\.1:\d+, key …/)
})

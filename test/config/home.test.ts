/** A home that cannot be used is named as what it is. */
import { expect, it } from 'vitest'
import { createSandboxWorld } from '../svc.ts'

const { svc } = await createSandboxWorld()

it.each([
  ['', 'HOME is not set'],
  ['home/ana', 'HOME is "home/ana", which is not a whole path'],
])('HOME=%s', async (HOME, words) => {
  const env = { HOME, SVC_STATE_DIR: undefined, XDG_STATE_HOME: undefined }
  expect(await svc('runs list', { env })).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(
      `error: ${words}, so there is no place for the journals`,
    ) as unknown,
  })
})

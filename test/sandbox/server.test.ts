/** Which content types the sandbox takes. If red, it takes a body that the service would refuse, or refuses one that it would take. */
import { expect, test } from 'vitest'
import { ask, rw } from '../support/sandbox-client.ts'
import { startSandbox } from '../support/watched-sandbox.ts'

test.each([
  ['application/json', 201],
  ['Application/JSON; charset=utf-8', 201],
  ['application/jsonx', 400],
  ['text/plain', 400],
  [undefined, 400],
])('a body with content type %s is answered with %i', async (type, status) => {
  const { baseUrl } = await startSandbox()
  const what = { path: '/v1/lists', body: { name: 'x' }, headers: { 'content-type': type } }
  expect((await ask(baseUrl, rw, what)).status).toBe(status)
})

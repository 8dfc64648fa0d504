import { expect, test } from 'vitest'
import { ask, rw } from '../support/sandbox-client.ts'
import { startSandbox as startReal } from '../../src/sandbox/server.ts'
import { realHost } from '../support/real-host.ts'
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

test('every answer waits for the latency', async () => {
  const waits: number[] = []
  const sleep = async (ms: number) => void waits.push(ms)
  const { baseUrl, close } = await startReal({ ...realHost, sleep }, { latency: 30 })
  for (const path of ['/v1/lists', '/nowhere']) await ask(baseUrl, rw, { path })
  await close()
  expect(waits).toEqual([30, 30])
})

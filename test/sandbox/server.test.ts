import { expect, test } from 'vitest'
import { ask, rw } from '../support/sandbox-client.ts'
import { startSandbox } from '../../src/sandbox/server.ts'
import { realHost } from '../support/real-host.ts'

test('every answer waits for the latency', async () => {
  const waits: number[] = []
  const sleep = async (ms: number) => void waits.push(ms)
  const { baseUrl, close } = await startSandbox({ ...realHost, sleep }, { latency: 30 })
  for (const path of ['/v1/lists', '/nowhere']) await ask(baseUrl, rw, { path })
  await close()
  expect(waits).toEqual([30, 30])
})

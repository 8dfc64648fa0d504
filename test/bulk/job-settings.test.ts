/** Messages to a job that was done before. */
import { expect, test } from 'vitest'
import { createBulkWorld } from './bulk-world.ts'

const world = await createBulkWorld()
const { svc, sandbox, fresh } = world

test('a repeat of a finished job says nothing with -q, and its summary when and where it was done', async () => {
  const line = `contacts delete ${fresh(1)[0] ?? ''} --yes --once night ${world.state()}`
  expect((await svc(`${line} -q`)).stdout).toContain('deleted')
  expect(await svc(`${line} -q`)).toEqual({ code: 0, stdout: '', stderr: '' })
  const time = expect.stringMatching(/^\d{4}-.*Z$/) as string
  const host = new URL(sandbox.baseUrl).host
  expect(JSON.parse((await svc(`${line} --json`)).stdout)).toMatchObject({
    startedAt: time,
    endedAt: time,
    host,
    target: null,
  })
})

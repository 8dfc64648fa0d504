/** What a job sets for good, and what it is told when it is done. */
import { expect, test } from 'vitest'
import { typing } from '../svc.ts'
import { createBulkWorld } from './bulk-world.ts'

const world = await createBulkWorld()
const { svc, file, sandbox, fresh } = world

test.each([
  ['SVC_NO_INPUT', '1', '', 9, /--no-input: nothing was asked/],
  ['SVC_MAX_DELETE', '1', '--yes', 2, /2 contacts would be deleted, --max-delete allows 1/],
  ['SVC_RATE', '5/s', '--dry-run', 0, /at most 5 per second/],
  ['SVC_KEEP_RUNS', '1h', '--yes', 2, /SVC_KEEP_RUNS takes a duration of at least 1d/],
] as const)('%s=%s %s: exit %i', async (name, value, option, code, message) => {
  const before = sandbox.requests.length
  const line = `contacts delete --file ${file('ids.txt', fresh(2))} ${option} ${world.state()}`
  const ended = await svc(line, { env: { [name]: value }, terminal: typing('2').terminal })
  expect([ended.code, ended.stderr]).toEqual([code, expect.stringMatching(message)])
  expect(sandbox.requests.length).toBe(before)
})

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

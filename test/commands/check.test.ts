/** svc runs check: runs that are worked on, and records that cannot be read. All else is in test/transcripts/runs.txt. */
import { expect, it } from 'vitest'
import { createBulkWorld, runFile, runsFolder } from '../runs/bulk-world.ts'
import { hold, recordRun } from '../runs/recorded-run.ts'
import { bury, rewrite } from '../runs/run-files.ts'

const world = await createBulkWorld()
const { svc, bulk, fresh } = world

it('one that is worked on is 11, which comes before 6 and 3', async () => {
  const state = world.state()
  const { path } = recordRun(5, 2, { name: 'night-1' }, runsFolder(state))
  const held = await hold(path)
  const { code, stdout } = await svc(`runs check NIGHT-1 night-2 --within 1h ${state}`)
  await held.release()
  expect(code).toBe(11)
  expect(stdout).toMatch(/^process \d+ on ".*" is working on NIGHT-1$/m)
  expect(stdout).toContain('there is no run of "night-2": the job did not start')
})

it('one that the restart of this machine cut off is not being worked on', async () => {
  const state = world.state()
  const { path } = recordRun(5, 2, { name: 'night-1' }, runsFolder(state))
  const held = await hold(path)
  const line = `runs check night-1 --within 1h ${state}`
  const restarted = await svc(line, { boot: '0'.repeat(36) })
  await held.release()
  expect(restarted).toMatchObject({
    code: 3,
    stdout: 'night-1 did not finish: it was killed, or its disk was full\n',
    stderr: '',
  })
})

it('counts from its end, and a job that is older is not fine', async () => {
  const state = world.state()
  const line = `contacts delete ${fresh(1)[0]} --yes --once long-1 ${state}`
  await bulk(line)
  // It ended an hour ago, and began two days before that.
  const ended = Date.now() - 3_600_000
  rewrite(runFile(state, 'long-1'), (lines) =>
    lines.map((each) => ({
      ...each,
      at: ended,
      ...(each.t === 'run' && { startedAt: new Date(ended - 2 * 86_400_000).toISOString() }),
      ...(each.t === 'end' && {
        summary: { ...(each['summary'] as object), endedAt: new Date(ended).toISOString() },
      }),
    })),
  )
  const check = (within: string) => svc(`runs check long-1 --within ${within} ${state}`)
  expect(await check('2h')).toEqual({ code: 0, stdout: '', stderr: '' })
  expect(await check('30m')).toMatchObject({
    code: 3,
    stdout: expect.stringMatching(/^long-1 ended with 0 on /) as string,
  })
})

it('records that cannot be read are not fine', async () => {
  const state = world.state()
  await bulk(`contacts delete ${fresh(1)[0]} --yes --once night-1 ${state}`)
  rewrite(runFile(state, 'night-1'), (lines) =>
    lines.filter(({ t }) => !['run', 'free'].includes(t)),
  )
  bury(runFile(state, 'night-1'))
  const { code, stdout } = await svc(`runs check night-1 --within 1d ${state}`)
  expect([code, stdout]).toEqual([3, expect.stringContaining('has a damaged head')])
})

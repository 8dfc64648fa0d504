/** svc runs check: runs that are worked on. All else is in test/transcripts/runs.txt. */
import { expect, it } from 'vitest'
import { createBulkWorld, runsFolder } from '../runs/bulk-world.ts'
import { hold, recordRun } from '../runs/recorded-run.ts'

const world = await createBulkWorld()
const { svc } = world

it('one that is worked on is 7, and one that is not there 1, which comes first', async () => {
  const state = world.state()
  const { path } = recordRun(5, 2, { name: 'night-1' }, runsFolder(state))
  const held = await hold(path)
  const { code, stdout } = await svc(`runs check NIGHT-1 night-2 --within 1h ${state}`)
  await held.release()
  expect(code).toBe(1)
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

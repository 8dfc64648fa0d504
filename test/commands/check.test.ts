/** svc runs check: what a monitor is told of jobs, of several, and of records that cannot be read. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createBulkWorld } from '../bulk/bulk-world.ts'
import { hold, recordRun, writeLines } from '../bulk/recorded-run.ts'

const world = await createBulkWorld()
const { svc, bulk, busy, absent, fresh } = world
const day = 86_400_000
const runsOf = (state: string): string => join(state.replace('--state-dir ', ''), 'runs')

describe('several names', () => {
  it('a line for each that is not fine, and the code that comes first', async () => {
    const state = world.state()
    const done = await bulk(`contacts delete ${fresh(1)[0]} --yes --once big-1 ${state}`)
    await bulk(`contacts delete ${busy[0]} ${busy[1]} ${absent(1)[0]} --yes --once big-2 ${state}`)
    const words = `--within 1d ${state}`
    const { stdout, ...rest } = await svc(`runs check big-1 big-2 ${words}`)
    expect(rest).toEqual({ code: 3, stderr: '' })
    expect(stdout).toMatch(/^big-2 ended with 3: 0 of 3 ids done \(.*Z\)\n$/)
    const names = 'big-1 big-2 big-3'
    const absentToo = await svc(`runs check ${names} ${words}`)
    expect(absentToo.code).toBe(6)
    expect(absentToo.stdout.split('\n').map((line) => line.split(' (')[0])).toEqual([
      'big-2 ended with 3: 0 of 3 ids done',
      'there is no run of "big-3": the job did not start, or has another state folder',
      '',
    ])
    const all = await svc(`runs check big-1 big-2 --accept-partial --json ${words}`)
    expect(all.code).toBe(0)
    expect(JSON.parse(all.stdout)).toMatchObject([
      { name: 'big-1', verdict: 'ok', exitCode: 0, run: { run: done.summary.run } },
      { name: 'big-2', verdict: 'ok', exitCode: 0 },
    ])
  })

  it('one that is worked on is 11, which comes before 6 and 3', async () => {
    const state = world.state()
    const { dir, header } = await recordRun(5, 2, { name: 'night-1' }, runsOf(state))
    const claim = await hold(dir)
    const { code, stdout } = await svc(`runs check NIGHT-1 night-2 --within 1h ${state}`)
    claim.release()
    expect(code).toBe(11)
    expect(stdout).toContain(`night-1 has been running since ${header.startedAt}`)
    expect(stdout).toContain('there is no run of "night-2": the job did not start')
  })

  it('one that the restart of this machine cut off is not being worked on', async () => {
    const state = world.state()
    const { dir, header } = await recordRun(5, 2, { name: 'night-1' }, runsOf(state))
    const claim = await hold(dir)
    const line = `runs check night-1 --within 1h ${state}`
    const restarted = await svc(line, { boot: '0'.repeat(36) })
    claim.release()
    expect(restarted).toEqual({
      code: 3,
      stdout: `night-1 has no end on record: it was killed, or its disk was full; 5 ids are left (began ${header.startedAt})\n`,
      stderr: '',
    })
  })
})

describe('the time within which it worked', () => {
  const at = (from: number) => new Date(Date.now() + from).toISOString()

  it('counts from its end, and a job that is older is not fine', async () => {
    const state = world.state()
    const { dir } = await recordRun(
      1,
      1,
      { name: 'long-1', startedAt: at(-2 * day) },
      runsOf(state),
    )
    const answer = { deletedCount: 1, notFoundIds: [], blockedIds: [] }
    writeLines(dir, [
      { t: 'try', n: 1, at: 1, b: 1, a: 1 },
      { t: 'res', n: 1, at: 1, b: 1, a: 1, k: 'answered', s: 200, d: answer },
      { t: 'end', n: 1, at: Date.now() - 3_600_000 },
    ])
    const check = (within: string) => svc(`runs check long-1 --within ${within} ${state}`)
    expect(await check('2h')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^long-1 ended with 0 /),
    })
    expect(await check('30m')).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('which is longer ago than 30m'),
    })
  })

  it('a run in the future is not fine: a clock was or is wrong', async () => {
    const state = world.state()
    const { header } = await recordRun(
      1,
      1,
      { name: 'night-1', startedAt: at(2 * day) },
      runsOf(state),
    )
    expect(await svc(`runs check night-1 --within 26h ${state}`)).toMatchObject({
      code: 3,
      stdout: `night-1 is dated in the future, so a clock is or was wrong (${header.startedAt})\n`,
    })
  })
})

describe('records that cannot be read', () => {
  it('are not fine, and named with their folder', async () => {
    const state = world.state()
    await bulk(`contacts delete ${fresh(1)[0]} --yes --once night-1 ${state}`)
    const dir = join(runsOf(state), '@night-1')
    writeFileSync(join(dir, 'header.json'), '{')
    const { code, stdout } = await svc(`runs check night-1 --within 1d ${state}`)
    expect([code, stdout]).toEqual([
      3,
      expect.stringMatching(/^the run of night-1 cannot be read: .*\)\n$/),
    ])
    expect(stdout).toContain(`(${dir})`)
    expect((await svc(`runs check night-2 --within 1d ${state}`)).code).toBe(6)
  })

  it('a use that ended before it sent anything is told', async () => {
    const state = world.state()
    const line = `contacts delete ${fresh(1)[0]} --once night-1 --no-input ${state}`
    expect((await svc(line)).code).toBe(9)
    const { code, stdout } = await svc(`runs check night-1 --within 1d ${state}`)
    expect(code).toBe(6)
    expect(stdout).toContain('there is no run of "night-1": ')
  })
})

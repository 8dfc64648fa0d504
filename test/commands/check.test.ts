/** svc runs check: runs that are worked on, ages, and records that cannot be read. Endings of several are in test/transcripts/runs.txt. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createBulkWorld } from '../bulk/bulk-world.ts'
import { hold, recordRun, writeLines } from '../bulk/recorded-run.ts'

const world = await createBulkWorld()
const { svc, bulk, fresh } = world
const day = 86_400_000
const runsOf = (state: string): string => join(state.replace('--state-dir ', ''), 'runs')

describe('a run that is worked on', () => {
  it('one that is worked on is 11, which comes before 6 and 3', async () => {
    const state = world.state()
    const { dir } = await recordRun(5, 2, { name: 'night-1' }, runsOf(state))
    const claim = await hold(dir)
    const { code, stdout } = await svc(`runs check NIGHT-1 night-2 --within 1h ${state}`)
    claim.release()
    expect(code).toBe(11)
    expect(stdout).toMatch(/^process \d+ works on NIGHT-1$/m)
    expect(stdout).toContain('there is no run of "night-2": the job did not start')
  })

  it('one that the restart of this machine cut off is not being worked on', async () => {
    const state = world.state()
    const { dir } = await recordRun(5, 2, { name: 'night-1' }, runsOf(state))
    const claim = await hold(dir)
    const line = `runs check night-1 --within 1h ${state}`
    const restarted = await svc(line, { boot: '0'.repeat(36) })
    claim.release()
    expect(restarted).toEqual({
      code: 3,
      stdout: 'night-1 has no end: it was killed, or its disk was full\n',
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
    expect(await check('2h')).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await check('30m')).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(/^long-1 ended with 0 on /) as string,
    })
  })

  it('an end in the future is not fine: a clock was or is wrong', async () => {
    const state = world.state()
    await bulk(`contacts delete ${fresh(1)[0]} --yes --once night-1 ${state}`)
    const check = (clockOffset: number) =>
      svc(`runs check night-1 --within 26h ${state}`, { clockOffset })
    expect((await check(0)).code).toBe(0)
    for (const offset of [-2 * day, -3_600_000]) expect((await check(offset)).code).toBe(3)
  })
})

describe('records that cannot be read', () => {
  it('are not fine, and named with their folder', async () => {
    const state = world.state()
    await bulk(`contacts delete ${fresh(1)[0]} --yes --once night-1 ${state}`)
    const dir = join(runsOf(state), '@night-1')
    writeFileSync(join(dir, 'header.json'), '{')
    const { code, stdout } = await svc(`runs check night-1 --within 1d ${state}`)
    expect([code, stdout]).toEqual([3, expect.stringMatching(/^night-1 has no end: .*damaged/)])
    expect((await svc(`runs check night-2 --within 1d ${state}`)).code).toBe(6)
  })
})

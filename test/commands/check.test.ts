/** svc runs check: what a monitor is told of jobs, of several, and of records that cannot be read. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { takeLock } from '../../src/disk/take.ts'
import { createBulkWorld } from '../bulk/bulk-world.ts'
import { ended, host, hostAt, makeRun, writeEvents } from '../bulk/recorded.ts'

const world = await createBulkWorld()
const { svc, bulk, busy, absent, fresh } = world
const day = 86_400_000
const folderOf = (state: string): string => state.replace('--state-dir ', '')
const once = (name: string) => ({ once: { name, set: '0'.repeat(64), typed: {} } })

describe('several names', () => {
  it('a line for each that is not fine, and the code that comes first', async () => {
    const state = world.state()
    const done = await bulk(`contacts delete ${fresh(1)[0]} --yes --once big-1 ${state}`)
    await bulk(`contacts delete ${busy[0]} ${busy[1]} ${absent(1)[0]} --yes --once big-2 ${state}`)
    const words = `--within 1d ${state}`
    const { stdout, ...rest } = await svc(`runs check big-1 big-2 ${words}`)
    expect(rest).toEqual({ code: 3, stderr: '' })
    expect(stdout).toMatch(
      /^big-2 ended with 3: 1 not-found, 2 blocked \(run [-\dTZa-f]+, .*Z\)\n$/,
    )
    const names = 'big-1 big-2 big-3'
    const absentToo = await svc(`runs check ${names} ${words}`)
    expect(absentToo.code).toBe(6)
    expect(absentToo.stdout.split('\n').map((line) => line.split(' (')[0])).toEqual([
      'big-2 ended with 3: 1 not-found, 2 blocked',
      'no run of "big-3" began or ended in the last 1d: the job did not start, ended before it sent a change, or has another state folder; none is known',
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
    const { dir, id } = await makeRun(folderOf(state), {
      change: once('night-1'),
      host: hostAt(Date.now() - 1000),
    })
    const lock = await takeLock(host, dir, { what: 'a run', run: id })
    const { code, stdout } = await svc(`runs check NIGHT-1 night-2 --within 1h ${state}`)
    await lock.release()
    expect(code).toBe(11)
    expect(stdout).toContain(`night-1 is running (run ${id}, since `)
    expect(stdout).toContain('no run of "night-2" began')
  })

  it('one that the restart of this machine cut off is not being worked on', async () => {
    const state = world.state()
    const { dir, id, run } = await makeRun(folderOf(state), { change: once('night-1') })
    const lock = await takeLock(host, dir, { what: 'a run', run: id })
    const line = `runs check night-1 --within 1h ${state}`
    const restarted = await svc(line, { boot: '0'.repeat(36) })
    await lock.release()
    expect(restarted).toEqual({
      code: 3,
      stdout: `night-1 was working when this machine restarted (run ${id}, since ${run.startedAt})\n`,
      stderr: '',
    })
  })
})

describe('the run that counts', () => {
  it('began or ended within the time', async () => {
    const state = world.state()
    const long = await makeRun(folderOf(state), {
      change: once('long-1'),
      host: hostAt(Date.now() - 2 * day),
    })
    await writeEvents(long, [{ ...ended, at: Date.now() - 1000 }])
    expect(await svc(`runs check long-1 --within 1h ${state}`)).toMatchObject({ code: 0 })
  })

  it('is the one that began last: a run of another night in the future hides no failure', async () => {
    const state = world.state()
    const dir = folderOf(state)
    const ahead = await makeRun(dir, {
      change: once('night-1'),
      host: hostAt(Date.now() + 2 * day),
    })
    await writeEvents(ahead, [ended])
    const first = await svc(`runs check night-1 --within 26h ${state}`)
    expect(first).toMatchObject({
      code: 3,
      stdout: `night-1 lies in the future, so a clock was or is wrong (run ${ahead.id}, ${ahead.run.startedAt})\n`,
    })
    await bulk(`contacts delete ${busy[2]} --yes --once night-2 ${state}`)
    const { code, stdout } = await svc(`runs check night- --prefix --within 26h ${state}`)
    expect([code, stdout]).toEqual([3, expect.stringMatching(/^night-2 ended with 3: 1 blocked /)])
  })

  it('is not an older one that ended later', async () => {
    const state = world.state()
    const dir = folderOf(state)
    const older = await makeRun(dir, { change: once('night-1'), host: hostAt(Date.now() - 1000) })
    await writeEvents(older, [{ ...ended, at: Date.now() }])
    await makeRun(dir, { change: once('night-2'), host: hostAt(Date.now() - 2 * day) })
    expect((await svc(`runs check night- --prefix --within 26h ${state}`)).code).toBe(6)
  })
})

describe('records that cannot be read', () => {
  it('of a job are not fine, and named with their folder', async () => {
    const state = world.state()
    const { summary } = await bulk(`contacts delete ${fresh(1)[0]} --yes --once night-1 ${state}`)
    const dir = join(folderOf(state), 'runs', summary.run ?? '')
    writeFileSync(join(dir, 'run.json'), '{')
    const { code, stdout } = await svc(`runs check night-1 --within 1d ${state}`)
    expect([code, stdout]).toEqual([
      3,
      expect.stringMatching(/^run \S+ of "night-1" cannot be read: .* is damaged: .*\)\n$/),
    ])
    expect(stdout).toContain(`(${dir})`)
  })

  it('of an earlier version are not "none"', async () => {
    const state = world.state()
    const { summary } = await bulk(`contacts delete ${fresh(1)[0]} --yes --once night-1 ${state}`)
    const dir = join(folderOf(state), 'runs', summary.run ?? '')
    const path = join(dir, 'run.json')
    writeFileSync(path, readFileSync(path, 'utf8').replace('svc.run/5', 'svc.run/2'))
    const { code, stdout } = await svc(`runs check night-1 --within 1d ${state}`)
    expect([code, stdout]).toEqual([
      3,
      expect.stringContaining(`run ${summary.run ?? ''} of "night-1" cannot be read: run `),
    ])
    const other = await svc(`runs check night-2 --within 1d ${state}`)
    expect(other.code).toBe(6)
    expect(other.stdout).toContain(
      `; none is known beside 1 run of an earlier version of svc, which cannot be read (${dir})`,
    )
  })

  it('and that nothing names may be of any job without a run', async () => {
    const state = world.state()
    const damaged = await makeRun(folderOf(state), { host: hostAt(Date.now() - 1000) })
    writeFileSync(join(damaged.dir, 'run.json'), '{')
    await bulk(`contacts delete ${fresh(1)[0]} --yes --once night-1 ${state}`)
    const codeOf = async (words: string): Promise<number> =>
      (await svc(`runs check ${words} ${state}`)).code
    expect(await codeOf('night-1 --within 1d')).toBe(0)
    expect(await codeOf('night-2 --within 1d')).toBe(3)
    expect(await codeOf('night- --prefix --within 1d')).toBe(3)
    expect(await codeOf('night-2 --within 1ms')).toBe(6)
    const names = join(folderOf(state), 'names')
    writeFileSync(join(names, readdirSync(names)[0] ?? '', 'name.json'), '{')
    expect(await codeOf('night-2 --within 1ms')).toBe(3)
  })
})

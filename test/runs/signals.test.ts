/** Signals and kills in the middle of a delete, and the same command typed again; a state folder of somebody else. */
import { chmodSync, chownSync, cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { ownFolder } from '../ending.ts'
import { root } from '../svc.ts'
import type { PrintedSummary } from './bulk-world.ts'
import { answered, createProcesses, twice } from './processes.ts'
import { start } from './spawned.ts'

const world = await createProcesses()
const { sandbox, slowly, deletes } = world
afterEach(() => sandbox.setFaults())

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)(
  '%s: what is in flight ends, and the same command does the rest',
  async (signal, exitCode) => {
    slowly()
    const job = deletes(12)
    const first = job.start()
    await job.came(4)
    first.kill(signal)
    const ended = await first.ended
    expect([ended.code, ended.signal]).toEqual([null, signal])
    const sent = job.requests().length
    expect(sent).toBeLessThanOrEqual(6)
    const summary = JSON.parse(ended.stdout) as PrintedSummary
    expect(summary).toMatchObject({
      status: 'interrupted',
      exitCode,
      due: 12 - sent,
      retry: true,
      outcomes: { done: sent, 'not-attempted': 12 - sent },
    })
    await job.judged()
    const second = await job.start().ended
    expect(second.code).toBe(0)
    expect(JSON.parse(second.stdout)).toMatchObject({ run: summary.run, resumed: true })
    expect(await job.judged()).toEqual(job.ids.map(() => 'done'))
    expect(twice(job.requests())).toEqual([])
  },
)

it('a run that is at work is called so, and nobody is told to resume it', async () => {
  slowly()
  const job = deletes(12)
  const first = job.start()
  await job.came(4)
  const shown = await world.svc(`runs show --last --json ${job.state}`)
  expect(shown.code).toBe(7)
  expect(shown.stderr).toContain('a process is working on this run')
  expect(JSON.parse(shown.stdout)).toMatchObject({ status: 'working', resume: null })
  const listed = await world.svc(`runs list --json ${job.state}`)
  expect(JSON.parse(listed.stdout)).toMatchObject([{ status: 'working' }])
  first.kill('SIGKILL')
  await first.ended
  const after = await world.svc(`runs show --last --json ${job.state}`)
  expect(JSON.parse(after.stdout)).toMatchObject({ status: 'interrupted' })
})

it('a signal while the last request is in flight: the same command gives the result of the same run', async () => {
  slowly(300)
  const job = deletes(1)
  const first = job.start()
  await job.came(1)
  first.kill('SIGINT')
  const ended = await first.ended
  expect(ended.signal).toBe('SIGINT')
  const { run, outcomes } = JSON.parse(ended.stdout) as PrintedSummary
  expect(outcomes).toEqual({ done: 1 })
  const second = await job.start().ended
  expect(second.code).toBe(0)
  expect(JSON.parse(second.stdout)).toMatchObject({ run, outcomes, status: 'complete' })
  expect(job.requests()).toHaveLength(1)
})

it('a second signal aborts what is in flight: it is unknown, and the same command finds out', async () => {
  sandbox.setFaults('contacts.delete:1+=hang-after-apply')
  const job = deletes(6)
  const first = job.start()
  await job.came(2)
  first.kill('SIGINT')
  await new Promise((resolve) => setTimeout(resolve, 200))
  first.kill('SIGINT')
  const ended = await first.ended
  expect(ended.signal).toBe('SIGINT')
  expect(JSON.parse(ended.stdout)).toMatchObject({ outcomes: { unknown: 2, 'not-attempted': 4 } })
  sandbox.setFaults()
  expect((await job.start().ended).code).toBe(0)
  expect((await job.judged()).toSorted()).toEqual(['done', 'done', 'done', 'done', 'gone', 'gone'])
})

it.each([1, 6])(
  'SIGKILL after %i requests: the same command goes on at once, and asks nothing again that was answered',
  async (moment) => {
    slowly(60)
    const job = deletes(12)
    const first = job.start()
    await job.came(moment)
    first.kill('SIGKILL')
    await first.ended
    const known = answered(job.lines())
    const before = job.requests().length
    const begun = performance.now()
    const second = await job.start().ended
    expect(second.code).toBe(0)
    expect(performance.now() - begun).toBeLessThan(15_000)
    expect(second.stderr).not.toContain('waiting')
    const outcomes = await job.judged()
    expect(outcomes.every((each) => each === 'done' || each === 'gone')).toBe(true)
    const again = job.requests().slice(before)
    expect(known.filter((position) => again.includes(job.ids[position] ?? ''))).toEqual([])
    expect(twice(job.requests()).length).toBeLessThanOrEqual(2)
  },
)

it.each(['', '--once nightly'])(
  'two same commands at one moment send nothing twice %s',
  async (more) => {
    slowly()
    const job = deletes(10, more)
    const both = await Promise.all([job.start().ended, job.start().ended])
    expect(both.filter(({ code }) => code === 0).length).toBeGreaterThanOrEqual(1)
    for (const { code, stderr } of both.filter((each) => each.code !== 0)) {
      expect(code).toBe(7)
      expect(stderr).toMatch(/is working on run|was taken over/)
    }
    expect(await job.judged()).toEqual(job.ids.map(() => 'done'))
    expect(twice(job.requests())).toEqual([])
  },
)

it('a state folder that cannot be written is exit 2, and nothing is sent', async () => {
  const open = ownFolder('open')
  chmodSync(open, 0o755)
  // Everybody can read this copy of the program.
  for (const name of ['bin', 'dist'])
    cpSync(join(root, name), join(open, name), { recursive: true })
  const state = join(open, 'state')
  mkdirSync(state, { mode: 0o500 })
  const isRoot = process.geteuid?.() === 0
  const nobody = 65_534
  if (isRoot) chownSync(state, nobody, nobody)
  const words = [join(open, 'bin/svc.js'), 'contacts', 'delete', ...world.fresh(1), '--yes']
  const env = { ...world.env, HOME: open, SVC_STATE_DIR: state }
  const uid = isRoot ? nobody : undefined
  const { ended, sent } = await world.since(
    () => start(process.execPath, words, { env, uid, cwd: open }).ended,
  )
  expect([ended.code, ended.stdout, sent]).toEqual([2, '', 0])
  expect(ended.stderr).toContain(`the state folder cannot be written: ${state}`)
  expect(ended.stderr).toContain('nothing was sent; SVC_STATE_DIR names another folder')
})

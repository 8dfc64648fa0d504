/** Signals and kills in the middle of a delete, and what goes on with it; a state folder of somebody else. */
import { chmodSync, chownSync, cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { ownFolder } from '../../support/ending.ts'
import { root } from '../../support/svc.ts'
import type { PrintedSummary } from '../../support/bulk-world.ts'
import { answered, createProcesses, twice } from '../../support/processes.ts'
import { start } from '../../support/spawned.ts'

const world = await createProcesses()
const { sandbox, slowly, deletes } = world
afterEach(() => sandbox.setFaults())

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)(
  '%s: what is in flight ends, and svc runs resume does the rest',
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
      ...{ status: 'interrupted', stopReason: null, exitCode, due: 12 - sent },
      outcomes: { done: sent, 'not-attempted': 12 - sent },
    })
    await job.judged()
    // The exit code of the signal was that of its command.
    expect(await world.shown('', job.state)).toMatchObject({ status: 'interrupted', exitCode: 7 })
    const second = await job.resume()
    expect([second.code, second.summary.run]).toEqual([0, summary.run])
    expect(await job.judged()).toEqual(job.ids.map(() => 'done'))
    expect(twice(job.requests())).toEqual([])
  },
)

it('a run at which a process is working is called so, and is left alone', async () => {
  slowly()
  const job = deletes(12)
  const first = job.start()
  await job.came(4)
  const shown = await world.svc(`${job.state} runs show --json`)
  expect([shown.code, shown.stderr]).toEqual([
    7,
    expect.stringContaining('a process is working on this run'),
  ])
  const listed = await world.svc(`${job.state} runs list --json`)
  expect(JSON.parse(listed.stdout)).toMatchObject([{ status: 'working' }])
  for (const line of [
    `${job.state} runs resume ${job.run()} --yes`,
    `${job.state} runs close ${job.run()} --yes`,
    job.line,
  ])
    expect([line, (await world.svc(line)).code]).toEqual([line, 7])
  first.kill('SIGKILL')
  await first.ended
  expect(await world.shown('', job.state)).toMatchObject({ status: 'interrupted', exitCode: 7 })
})

it('a signal while the last request is in flight: the run is complete, and the same --once tells it again', async () => {
  slowly(300)
  const job = deletes(1, '--once last')
  const first = job.start()
  await job.came(1)
  first.kill('SIGINT')
  const ended = await first.ended
  expect(ended.signal).toBe('SIGINT')
  const complete = { status: 'complete', outcomes: { done: 1 } }
  expect(JSON.parse(ended.stdout)).toMatchObject({ ...complete, exitCode: 130 })
  const second = await job.start().ended
  expect(second.code).toBe(0)
  expect(JSON.parse(second.stdout)).toMatchObject({ ...complete, exitCode: 0 })
  expect(job.requests()).toHaveLength(1)
})

it('a second signal aborts what is in flight: it is unknown, and a resume finds out', async () => {
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
  const { stderr } = await job.resume()
  expect(stderr).toContain('between 4 and 6 were deleted by this run')
  const outcomes = await job.judged()
  expect(outcomes.filter((each) => each === 'gone')).toHaveLength(2)
})

it.each([1, 6])(
  'SIGKILL after %i requests: the same line is refused, and a resume asks nothing again that was answered',
  async (moment) => {
    slowly(60)
    const job = deletes(12)
    const first = job.start()
    await job.came(moment)
    first.kill('SIGKILL')
    // Whoever reads the log knows which run it was.
    expect((await first.ended).stderr).toContain(`note: run ${job.run()}: delete 12 contacts`)
    const known = answered(job.lines())
    const before = job.requests().length
    const again = await job.start().ended
    expect([again.code, again.stderr]).toEqual([
      2,
      expect.stringContaining(`svc runs resume ${job.run()}`),
    ])
    expect(job.requests()).toHaveLength(before)
    expect((await job.resume()).code).toBe(0)
    const outcomes = await job.judged()
    expect(outcomes.every((each) => each === 'done' || each === 'gone')).toBe(true)
    const sent = job.requests().slice(before)
    expect(known.filter((position) => sent.includes(job.ids[position] ?? ''))).toEqual([])
    expect(twice(job.requests()).length).toBeLessThanOrEqual(2)
  },
)

it.each(['', '--once nightly'])(
  'two same commands at one moment send nothing twice %s',
  async (more) => {
    // Longer than the second that the loser of a race may wait.
    slowly(400)
    const job = deletes(10, more)
    const both = await Promise.all([job.start().ended, job.start().ended])
    expect(both.filter(({ code }) => code === 0)).toHaveLength(1)
    expect(both.filter(({ code }) => code !== 0).map(({ code }) => code)).toEqual([7])
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

/** What befalls the record of a run while a process works on it: it is taken over, or cannot be written. */
import { chmodSync, chownSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { atEnd, ownFolder } from '../ending.ts'
import { buildBulk } from './child.ts'
import { createProcesses, tried, twice } from './processes.ts'

const world = await createProcesses()
const { sandbox, slowly, deletes } = world
afterEach(() => sandbox.setFaults())

it('a process that was suspended finds its run taken over: it sends and prints nothing more', async () => {
  slowly(200)
  const job = deletes(8)
  const first = job.start()
  await job.came(3)
  first.kill('SIGSTOP')
  // The waits of this process take no time: it looks for 20 seconds in none.
  const second = await world.bulk(job.line)
  expect(second).toMatchObject({ code: 0, summary: { resumed: true } })
  expect(second.stderr).toContain(`waiting up to 20s: process ${first.pid} on `)
  const sent = job.requests().length
  const bytes = readFileSync(job.path())
  first.kill('SIGCONT')
  const { code, stdout, stderr } = await first.ended
  expect([code, stdout]).toEqual([7, ''])
  // Only what was just about to leave, and its successor has read that it may have been sent.
  const lines = job.lines()
  const before = tried(
    lines.slice(
      0,
      lines.findLastIndex(({ t }) => t === 'session'),
    ),
  )
  const late = job.requests().slice(sent)
  expect(late.filter((id) => !before.includes(job.ids.indexOf(id)))).toEqual([])
  expect(stderr).toMatch(/error: run \S+ was taken over by another process\n/)
  expect(stderr).toMatch(/nothing more was sent from here; see the run with:\n {2}.*svc runs show /)
  expect(readFileSync(job.path())).toEqual(bytes)
  const outcomes = await job.judged()
  expect(outcomes.every((each) => each === 'done' || each === 'gone')).toBe(true)
  expect(twice(job.requests()).length).toBeLessThanOrEqual(4)
})

it('a state folder that cannot be written is exit 2, and nothing is sent', async () => {
  const program = buildBulk('main.ts', 'host.ts')
  atEnd(() => program.remove())
  const open = ownFolder('open')
  chmodSync(open, 0o755)
  const state = join(open, 'state')
  mkdirSync(state, { mode: 0o500 })
  const isRoot = process.geteuid?.() === 0
  const nobody = 65_534
  if (isRoot) chownSync(state, nobody, nobody)
  const [id = ''] = world.fresh(1)
  const script = `
import { main, nodeHost } from './bulk.mjs'
process.exitCode = await main(nodeHost(process))
`
  const env = { ...world.env, HOME: open, SVC_STATE_DIR: state }
  const words = ['contacts', 'delete', id, '--yes']
  const { ended, sent } = await world.since(
    () => program.start(script, words, { env, ...(isRoot && { uid: nobody }) }).ended,
  )
  expect([ended.code, ended.stdout, sent, statSync(state).uid]).toEqual([
    2,
    '',
    0,
    isRoot ? nobody : process.geteuid?.(),
  ])
  expect(ended.stderr).toContain(`the state folder cannot be written: ${state}`)
  expect(ended.stderr).toContain('nothing was sent; SVC_STATE_DIR names another folder')
})

/** Signals and kills in the middle of a delete, and what goes on with it, compared with what the sandbox did; a state folder of somebody else. */
import { chmodSync, chownSync, cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import type { Receipt } from '../../../src/runs/engine.ts'
import type { Line } from '../../../src/runs/lines.ts'
import { createBulkWorld, runsFolder, type PrintedSummary } from '../../support/bulk-world.ts'
import { ownFolder } from '../../support/ending.ts'
import { start, startSvc } from '../../support/spawned.ts'
import { root } from '../../support/svc.ts'

const world = await createBulkWorld()
const { sandbox } = world
afterEach(() => sandbox.setFaults())

/** Each request takes so long, so that there is a middle. */
const slowly = (ms = 100) => sandbox.setFaults(`contacts.delete=delay,before=${ms}ms`)

/** A delete of so many contacts, one a request, in a state folder of its own. */
function deletes(count: number, more = '') {
  const ids = world.fresh(count)
  const state = world.state()
  const runs = runsFolder(state)
  const line = `${state} BATCHES_OF=1 contacts delete --file ${world.file('ids', ids)} --yes --json --concurrency 2 ${more}`
  const own = new Set(ids)
  const newest = () => readdirSync(runs).toSorted().at(-1) ?? ''
  const requests = () =>
    sandbox.requests.flatMap(({ url, body }) =>
      url.endsWith('/bulk-delete') ? idsIn(body).filter((id) => own.has(id)) : [],
    )
  return {
    ids,
    line,
    state,
    runs,
    start: () => startSvc(line, { env: world.env }),
    /** Goes on with its newest run in this process. */
    resume: () => world.bulk(`${state} BATCHES_OF=1 runs resume ${newest()} --yes`),
    /** The ids that were asked to be deleted, one for each request. */
    requests,
    /** Resolves once so many requests have come. */
    async came(least: number) {
      const times = { interval: 5, timeout: 20_000 }
      await expect.poll(() => requests().length, times).toBeGreaterThanOrEqual(least)
    },
    /** Its newest run, and the lines of all its parts. */
    run: newest,
    lines(): Line[] {
      const folder = join(runs, newest())
      const text = readdirSync(folder).map((part) => readFileSync(join(folder, part), 'utf8'))
      return text
        .join('')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Line)
    },
    /** Compares each receipt of the last run with what the sandbox did, and returns their outcomes. */
    async judged() {
      const { stdout } = await world.svc(`${state} runs export -o ndjson`)
      const receipts = stdout
        .split('\n')
        .flatMap((text) => (text === '' ? [] : [JSON.parse(text) as Receipt]))
      expect(receipts.map(({ id }) => id)).toEqual(ids)
      for (const { id, outcome } of receipts)
        expect([id, outcome, isTrue(id, outcome)]).toEqual([id, outcome, true])
      return receipts.map(({ outcome }) => outcome)
    },
  }
}

function isTrue(id: string, outcome: Receipt['outcome']) {
  const times = sandbox.record.entries.filter(({ deleted }) => deleted?.includes(id)).length
  if (outcome === 'done' || outcome === 'gone') return times === 1
  return outcome === 'unknown' || times === 0
}

const idsIn = (body: string) => (JSON.parse(body) as { contactIds: string[] }).contactIds

/** The positions of the first items of requests that have an answer on record. */
const answered = (lines: readonly Line[]) =>
  lines.flatMap((line) => (line.t === 'res' && line.due !== true ? [line.b[0]] : []))

/** Those that are there more than once. */
const twice = (ids: readonly string[]) => ids.filter((id, n) => ids.indexOf(id) !== n)

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
  // Longer than the commands below take on a busy machine.
  slowly(2000)
  const job = deletes(4)
  const first = job.start()
  await job.came(1)
  const shown = await world.svc(`${job.state} runs show --json`)
  expect([shown.code, shown.stderr]).toEqual([
    7,
    'note: a process is working on this run; this is its progress\n',
  ])
  expect(JSON.parse(shown.stdout)).toMatchObject({ status: 'working', resume: null })
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

it('SIGKILL: the same line is refused, and a resume asks nothing again that was answered', async () => {
  slowly(60)
  const job = deletes(12)
  const first = job.start()
  await job.came(6)
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
})

it.each(['', '--once nightly'])(
  'two same commands at one moment send nothing twice %s',
  async (more) => {
    // Longer than the second that the loser of a race may wait.
    slowly(400)
    const job = deletes(4, more)
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
  expect(ended.stderr).toContain('nothing was sent; set SVC_STATE_DIR to another folder')
})

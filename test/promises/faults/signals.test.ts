/** Signals in the middle of a delete, as real processes, compared with what the sandbox did. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { ownFolder } from '../../support/ending.ts'
import { startSvc } from '../../support/spawned.ts'
import { createSandboxWorld } from '../../support/svc.ts'

const world = await createSandboxWorld()
const { sandbox } = world
const free = sandbox.examples.contactsWithoutChats
afterEach(() => sandbox.setFaults())

interface Shown {
  run: string
  status: string
  exitCode: number
  due: number
  outcomes: Record<string, number>
}

/** A delete of so many contacts, one a request, in a state folder of its own. */
function deletes(count: number) {
  const ids = free.splice(0, count)
  const folder = ownFolder('delete')
  const file = join(folder, 'ids.txt')
  writeFileSync(file, `${ids.join('\n')}\n`)
  const env = { ...world.env, SVC_STATE_DIR: join(folder, 'state') }
  const run = (line: string) => startSvc(`BATCHES_OF=1 ${line} --yes --json`, { env })
  /** The ids that were asked to be deleted, one for each request. */
  const asked = () =>
    sandbox.requests.flatMap(({ url, body }) =>
      url.endsWith('/bulk-delete')
        ? (JSON.parse(body) as { contactIds: string[] }).contactIds.filter((id) => ids.includes(id))
        : [],
    )
  return {
    ids,
    env,
    asked,
    start: () => run(`contacts delete --file ${file} --concurrency 2`),
    resume: async (name: string) => run(`runs resume ${name}`).ended,
    /** Resolves once so many requests have come. */
    async came(least: number) {
      const times = { interval: 5, timeout: 20_000 }
      await expect.poll(() => asked().length, times).toBeGreaterThanOrEqual(least)
    },
  }
}

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s: what is in flight ends, and svc runs resume does the rest',
  async (signal) => {
    sandbox.setFaults('contacts.delete=delay,before=100ms')
    const job = deletes(12)
    const first = job.start()
    await job.came(4)
    first.kill(signal)
    const ended = await first.ended
    expect([ended.code, ended.signal]).toEqual([null, signal])
    const sent = job.asked().length
    expect(sent).toBeLessThanOrEqual(6)
    const summary = JSON.parse(ended.stdout) as Shown
    expect(summary).toMatchObject({
      status: 'unfinished',
      stop: signal === 'SIGINT' ? 'interrupt' : 'signal',
      due: 12 - sent,
      outcomes: { done: sent, 'not-sent': 12 - sent },
    })
    const second = await job.resume(summary.run)
    expect(JSON.parse(second.stdout)).toMatchObject({
      run: summary.run,
      status: 'complete',
      exitCode: 0,
      outcomes: { done: 12 },
    })
    expect(job.asked().toSorted()).toEqual(job.ids.toSorted())
  },
)

it('a second signal aborts what is in flight: it is unanswered, and a resume finds out', async () => {
  sandbox.setFaults('contacts.delete:1+=hang-after-apply')
  const job = deletes(6)
  const first = job.start()
  await job.came(2)
  first.kill('SIGINT')
  await new Promise((resolve) => setTimeout(resolve, 200))
  first.kill('SIGINT')
  const ended = await first.ended
  expect(ended.signal).toBe('SIGINT')
  const summary = JSON.parse(ended.stdout) as Shown
  expect(summary.outcomes).toEqual({ unanswered: 2, 'not-sent': 4 })
  expect(ended.stderr).toContain(
    'stopping: 2 unanswered, 4 not-sent; requests already sent cannot be taken back; to stop without waiting, press Ctrl-C again',
  )
  sandbox.setFaults()
  const { stdout } = await job.resume(summary.run)
  expect((JSON.parse(stdout) as Shown).outcomes).toEqual({ done: 4, gone: 2 })
})

it("SIGUSR1 opens no debugger of Node's, and ends nothing", async () => {
  sandbox.setFaults('lists.list=delay,before=1s')
  const before = sandbox.requests.length
  const running = startSvc('lists list -o ids', { env: world.env })
  await expect.poll(() => sandbox.requests.length, { timeout: 20_000 }).toBeGreaterThan(before)
  running.kill('SIGUSR1')
  expect(await running.ended).toMatchObject({ code: 0, signal: null, stderr: '' })
})

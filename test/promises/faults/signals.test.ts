/** Signals in the middle of a delete, as real processes, compared with what the sandbox did. */
import { afterEach, expect, it } from 'vitest'
import { ownFolder } from '../../support/ending.ts'
import { startSvc } from '../../support/spawned.ts'
import { createSandboxWorld } from '../../support/svc.ts'

const { sandbox, env } = await createSandboxWorld()
const free = sandbox.examples.contactsWithoutChats
afterEach(() => sandbox.setFaults())

interface Shown {
  run: string
  outcomes: Record<string, number>
}
const shown = ({ stdout }: { stdout: string }) => JSON.parse(stdout) as Shown

async function came(least: number) {
  await expect.poll(() => sandbox.requests.length, { interval: 5 }).toBeGreaterThanOrEqual(least)
}

/** A delete of so many contacts, one a request, in a state folder of its own. */
function deletes(count: number) {
  const ids = free.splice(0, count)
  const before = sandbox.requests.length
  const state = { ...env, SVC_STATE_DIR: ownFolder('delete') }
  const run = (line: string) => startSvc(`BATCHES_OF=1 ${line} --yes --json`, { env: state })
  return {
    ids,
    /** The ids that were asked to be deleted, one for each request. */
    asked: () =>
      sandbox.requests
        .slice(before)
        .flatMap(({ body }) => (JSON.parse(body) as { contactIds: string[] }).contactIds),
    start: () => run(`contacts delete ${ids.join(' ')} --concurrency 2`),
    resume: (name: string) => run(`runs resume ${name}`).ended,
    came: (least: number) => came(before + least),
  }
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
it.each(signals)('%s: what is in flight ends, and a resume does the rest', async (signal) => {
  sandbox.setFaults('contacts.delete=delay,before=100ms')
  const job = deletes(12)
  const first = job.start()
  await job.came(4)
  first.kill(signal)
  const ended = await first.ended
  expect([ended.code, ended.signal]).toEqual([null, signal])
  const sent = job.asked().length
  expect(sent).toBeLessThanOrEqual(6)
  const summary = shown(ended)
  expect(summary).toMatchObject({
    status: 'unfinished',
    stop: 'interrupted',
    message: `stopped by ${signal}`,
    due: 12 - sent,
    outcomes: { done: sent, 'not-sent': 12 - sent },
  })
  expect(shown(await job.resume(summary.run))).toMatchObject({
    run: summary.run,
    status: 'ended',
    exitCode: 0,
    outcomes: { done: 12 },
  })
  expect(job.asked().toSorted()).toEqual(job.ids.toSorted())
})

it('a second signal aborts what is in flight: it is no-answer, and a resume finds out', async () => {
  sandbox.setFaults('contacts.delete:1+=hang-after-apply')
  const job = deletes(6)
  const first = job.start()
  await job.came(2)
  first.kill('SIGINT')
  await new Promise((resolve) => setTimeout(resolve, 200))
  first.kill('SIGINT')
  const ended = await first.ended
  expect(ended.signal).toBe('SIGINT')
  const { run, outcomes } = shown(ended)
  expect(outcomes).toEqual({ 'no-answer': 2, 'not-sent': 4 })
  expect(ended.stderr).toContain(
    'stopping; 2 ids have no answer yet, and requests already sent cannot be taken back; to stop without waiting, press Ctrl-C again',
  )
  sandbox.setFaults()
  expect(shown(await job.resume(run)).outcomes).toEqual({ done: 4, 'not-found': 2 })
})

it("SIGUSR1 opens no debugger of Node's, and ends nothing", async () => {
  sandbox.setFaults('lists.list=delay,before=1s')
  const before = sandbox.requests.length
  const running = startSvc('lists list -o ids', { env })
  await came(before + 1)
  running.kill('SIGUSR1')
  expect(await running.ended).toMatchObject({ code: 0, signal: null, stderr: '' })
})

/** How runs stop, what code they end with, and how many requests are in flight. */
import { describe, expect, it } from 'vitest'
import { createBulkWorld } from './bulk-world.ts'

const world = await createBulkWorld()
const { bulk, file, busy, sandbox, fresh } = world

/** Ten batches of two contacts, one after the other, while these faults are set. */
async function faulty(faults: string, options = '', count = 20) {
  sandbox.setFaults(faults)
  const before = sandbox.requests.length
  const run = await bulk(
    `contacts delete --file ${file('ids', fresh(count))} --yes batches-of=2 --concurrency 1 ${options}`,
  )
  sandbox.setFaults()
  return { ...run, sent: sandbox.requests.length - before }
}

describe('stops', () => {
  it.each(['400', '404'])('a %s on the first batch means a wrong list', async (status) => {
    expect(await faulty(`contacts.delete:1=${status}`)).toMatchObject({
      code: 6,
      sent: 1,
      summary: { stopReason: 'refused', result: { error: 2, notAttempted: 18 } },
    })
  })

  it.each(['400', '404', '422'])('a %s after a success is about that batch', async (status) => {
    expect(await faulty(`contacts.delete:2=${status}`)).toMatchObject({
      code: 3,
      sent: 10,
      summary: {
        status: 'partial',
        stopReason: null,
        result: { deleted: 18, error: 2 },
        resume: null,
      },
    })
  })

  it('three batches in a row without a success between', async () => {
    const run = await faulty('contacts.delete:2-3=422 contacts.delete:5+=422')
    expect(run).toMatchObject({
      code: 7,
      sent: 7,
      summary: { stopReason: 'failures', errorsTotal: 5 },
    })
    expect(run.summary.result).toMatchObject({ deleted: 4, error: 10, notAttempted: 6 })
  })

  it('not-found and blocked never count as failures', async () => {
    const ids = [...world.absent(20), ...busy.slice(0, 20)]
    expect(
      await bulk(`contacts delete --file ${file('ids', ids)} --yes batches-of=2`),
    ).toMatchObject({
      code: 3,
      summary: { status: 'partial', stopReason: null, result: { notFound: 20, blocked: 20 } },
    })
  })

  it('a Retry-After that is longer than --max-retry-wait', async () => {
    const run = await faulty('contacts.delete:2+=429,retry-after=90')
    expect(run).toMatchObject({
      code: 7,
      sent: 2,
      summary: { stopReason: 'retry-after', result: { deleted: 2, error: 2, notAttempted: 16 } },
    })
    expect(run.stderr).toContain('--max-retry-wait 90s')
    expect(run.stderr).toContain('svc runs resume')
  })
})

it('the errors of a summary are a hundred rows at most, and all are counted', async () => {
  const ids = fresh(240)
  const pairs = Array.from({ length: 120 }, (_, n) => `${ids[2 * n]},${ids[2 * n + 1]}`)
  sandbox.setFaults('contacts.merge=422')
  const { code, summary } = await bulk(
    `contacts merge --file ${file('pairs.csv', ['source,target', ...pairs])} --yes`,
  )
  sandbox.setFaults()
  expect(summary.errors).toHaveLength(100)
  expect(summary.errorsTotal).toBe(120)
  expect(code).toBe(3)
})

describe('pace', () => {
  it('a Retry-After holds all workers together', { timeout: 60_000 }, async () => {
    sandbox.setFaults('contacts.delete:3=429,retry-after=30 *=delay,before=20ms')
    const before = sandbox.requests.length
    // After a 429 two of four may be in flight: the pause passes when both wait for it, and not before.
    const waiting: { sent: number; pass: () => void }[] = []
    const { summary } = await bulk(
      `contacts delete --file ${file('ids', fresh(40))} --yes batches-of=1 --concurrency 4`,
      {
        fast: (ms) =>
          new Promise((pass) => {
            if (ms < 20_000) pass()
            else waiting.push({ sent: sandbox.requests.length - before, pass })
            if (waiting.length === 2) for (const wait of waiting) wait.pass()
          }),
      },
    )
    sandbox.setFaults()
    expect(summary).toMatchObject({ status: 'complete', batches: { retried: 1 } })
    expect(waiting).toHaveLength(2)
    // Requests in flight beside the refused one had been sent.
    for (const { sent } of waiting) expect(sent).toBeLessThanOrEqual(6)
  })
})

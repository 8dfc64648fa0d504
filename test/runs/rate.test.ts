/** `SVC_RATE`: over a whole run, whatever it sends. */
import { describe, expect, it } from 'vitest'
import { createBulkWorld } from './bulk-world.ts'

const world = await createBulkWorld()
const { bulk, file, sandbox, fresh } = world

describe('SVC_RATE', () => {
  /** Clock and waits are virtual, so the run takes as long as its waits, on any machine. */
  async function paced(words: string, faults = '', env: Readonly<Record<string, string>> = {}) {
    const before = sandbox.requests.length
    const run = await bulk(words, { faults, env, showsWaits: true })
    return { ...run, sent: sandbox.requests.length - before, ms: run.summary.durationMs }
  }

  it('keeps to so many requests per second, retries included', async () => {
    const ids = file('ids', fresh(20))
    const words = `contacts delete --file ${ids} --yes batches-of=1 --concurrency 8`
    const { summary, sent, ms } = await paced(
      words,
      'contacts.delete:3=503 contacts.delete:4=reset',
      { SVC_RATE: '2/s' },
    )
    expect(summary).toMatchObject({ status: 'complete', batches: { retried: 2 } })
    expect(sent).toBe(22)
    expect(ms).toBeGreaterThanOrEqual(21 * 500)
  })

  it('the halves that look for missing contacts keep to it', async () => {
    const ids = file('ids', [...fresh(7), ...world.absent(1)])
    const { sent, ms } = await paced(
      `lists add-contacts ${sandbox.examples.emptyList} --file ${ids} --yes`,
      '',
      { SVC_RATE: '2' },
    )
    expect(sent).toBeGreaterThan(4)
    expect(ms).toBeGreaterThanOrEqual((sent - 1) * 500)
  })

  it('holds for reads too', async () => {
    const waits: number[] = []
    const before = sandbox.requests.length
    await world.svc('lists list --limit all --json', {
      env: { SVC_RATE: '2/s' },
      fast: (ms) => Promise.resolve(void waits.push(ms)),
    })
    expect(sandbox.requests.length - before).toBeGreaterThan(1)
    expect(Math.max(...waits)).toBeGreaterThan(400)
  })

  it.each([
    ['runs resume', 'runs resume night'],
    ['runs resume --outcome', 'runs resume night --outcome error'],
    ['a repeat', undefined],
  ])('of %s is that of SVC_RATE now, and not of the beginning', async (_, repeats) => {
    const state = world.state()
    const begins = `contacts delete --once night --file ${file('ids', fresh(6))} batches-of=1 --concurrency 1`
    await paced(`${begins} --yes ${state}`, 'contacts.delete:2+=401', { SVC_RATE: '20/s' })
    const { sent, ms } = await paced(`${repeats ?? begins} --yes ${state}`, '', {
      SVC_RATE: '0.5/s',
    })
    expect(sent).toBe(5)
    expect(ms).toBeGreaterThanOrEqual(4 * 2000)
  })
})

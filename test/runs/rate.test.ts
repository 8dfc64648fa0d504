/** `SVC_RATE`: over a whole run, whatever it sends. */
import { describe, expect, it } from 'vitest'
import { createBulkWorld } from './bulk-world.ts'

const world = await createBulkWorld()
const { bulk, since, file, sandbox, fresh } = world

describe('SVC_RATE', () => {
  /** Clock and waits are virtual, so the run takes as long as its waits, on any machine. */
  async function paced(rate: string, words: string, faults = '') {
    const env = { SVC_RATE: rate }
    const { ended, sent } = await since(() => bulk(words, { faults, env, showsWaits: true }))
    return { ...ended, sent, ms: ended.summary.durationMs }
  }

  it('keeps to so many requests per second, retries included', async () => {
    const line = `contacts delete --file ${file('ids', fresh(20))} --yes batches-of=1 --concurrency 8`
    const faults = 'contacts.delete:3=503 contacts.delete:4=reset'
    const { summary, sent, ms } = await paced('2/s', line, faults)
    expect(summary).toMatchObject({ status: 'complete', batches: { retried: 2 } })
    expect(sent).toBe(22)
    expect(ms).toBeGreaterThanOrEqual(21 * 500)
  })

  it('the halves that look for missing contacts keep to it', async () => {
    const ids = file('ids', [...fresh(7), ...world.absent(1)])
    const line = `lists add-contacts ${sandbox.examples.emptyList} --file ${ids} --yes`
    const { sent, ms } = await paced('2', line)
    expect(sent).toBeGreaterThan(4)
    expect(ms).toBeGreaterThanOrEqual((sent - 1) * 500)
  })

  it('holds for reads too', async () => {
    const waits: number[] = []
    const fast = (ms: number) => Promise.resolve(void waits.push(ms))
    const line = 'lists list --limit all --json'
    const { sent } = await since(() => world.svc(line, { env: { SVC_RATE: '2/s' }, fast }))
    expect(sent).toBeGreaterThan(1)
    expect(Math.max(...waits)).toBeGreaterThan(400)
  })

  it.each([
    ['runs resume', 'runs resume night'],
    ['runs resume --outcome', 'runs resume night --outcome error'],
    ['a repeat', undefined],
  ])('of %s is that of SVC_RATE now, and not of the beginning', async (_, repeats) => {
    const state = world.state()
    const begins = `contacts delete --once night --file ${file('ids', fresh(6))} batches-of=1 --concurrency 1`
    await paced('20/s', `${begins} --yes ${state}`, 'contacts.delete:2+=401')
    const { sent, ms } = await paced('0.5/s', `${repeats ?? begins} --yes ${state}`)
    expect(sent).toBe(5)
    expect(ms).toBeGreaterThanOrEqual(4 * 2000)
  })
})

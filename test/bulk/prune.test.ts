/** Removing runs: what is kept of one that has a name. */
import { describe, expect, it } from 'vitest'
import type { JournalEvent } from '../../src/bulk/events.ts'
import { lockName, writeName } from '../../src/bulk/names.ts'
import { idOf } from '../ids/inputs.ts'
import { createBulkWorld, type SummaryDocument } from './bulk-world.ts'
import { ended, hostAt, makeRun, table, tried, writeEvents } from './recorded.ts'

const world = await createBulkWorld()
const { svc } = world

describe('what is kept of a run with a name', () => {
  /** A finished run of so many contacts, none of which the service has, under the name `nightly`. */
  async function missing(stateDir: string, count: number): Promise<string> {
    const made = await makeRun(stateDir, {
      items: { kind: 'ids', ids: table(count) },
      change: {
        options: { batchSize: 100, concurrency: 4 },
        once: { name: 'nightly', set: 'ab'.repeat(32), typed: {} },
      },
    })
    const events = Array.from({ length: Math.ceil(count / 100) }, (_, n): JournalEvent[] => {
      const ids = Array.from({ length: Math.min(100, count - n * 100) }, (_, i) => idOf(n * 100 + i))
      const d = { deletedCount: 0, notFoundIds: ids, blockedIds: [] }
      return [tried(n + 1), { t: 'res', b: n + 1, a: 1, at: 0, k: 'answered', s: 200, d }]
    })
    await writeEvents(made, [...events.flat(), { ...ended, status: 'partial', exitCode: 3 }])
    const lock = await lockName(hostAt(), stateDir, { name: 'nightly' })
    await writeName(stateDir, { schema: 'svc.name/1', name: 'nightly', run: made.id })
    await lock.release()
    return made.id
  }

  it.each([
    [100_000, true],
    [100_001, false],
  ])('of %i ids that were not found: its summary; the ids themselves: %s', async (count, hasIds) => {
    const state = world.state()
    const id = await missing(state.replace('--state-dir ', ''), count)
    expect(await svc(`runs prune --older-than 0s -o ids ${state}`)).toMatchObject({ code: 0, stdout: `${id}\n` })
    const { code, stdout } = await svc(`runs show nightly --json ${state}`)
    const summary = JSON.parse(stdout) as SummaryDocument
    expect([code, summary.result['notFound'], summary.notFoundIds?.length]).toEqual([
      0,
      count,
      hasIds ? count : undefined,
    ])
  })
})

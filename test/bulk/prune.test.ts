/** Removing runs: what is kept of one that has a name, and what a new run removes by itself. */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { EndEvent, JournalEvent } from '../../src/bulk/record/events.ts'
import { takeLock } from '../../src/bulk/locks/take.ts'
import { lockName, writeName } from '../../src/bulk/runs/names.ts'
import { idOf } from '../ids/inputs.ts'
import { createBulkWorld, type SummaryDocument } from './bulk-world.ts'
import { host, ended, hostAt, makeRun, table, tried, writeEvents } from './recorded.ts'

const world = await createBulkWorld()
const { svc, bulk, free } = world

describe('what is kept of a run with a name', () => {
  /** A finished run of so many contacts, none of which the service has, under the name `nightly`. */
  async function missing(stateDir: string, count: number): Promise<string> {
    const made = await makeRun(stateDir, {
      items: table(count),
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
    await writeName(host, stateDir, { schema: 'svc.name/1', name: 'nightly', run: made.id })
    await lock.release()
    return made.id
  }

  it.each([
    [1000, true],
    [1001, false],
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

describe('keepRuns in the configuration file', () => {
  const config = join(world.folder, 'keep.json')
  writeFileSync(config, JSON.stringify({ defaults: { keepRuns: '90d' } }), { mode: 0o600 })
  let deleted = 0
  /** A new run in a state folder. */
  const begin = (state: string) => bulk(`contacts delete ${free[(deleted += 1)]} --yes ${state}`)

  /** A run of long ago that added five contacts to a list, of whom so many do not exist. */
  async function added(stateDir: string, failed: number, exitCode = 3): Promise<string> {
    const change = {
      operation: 'lists.add-contacts',
      target: { id: idOf(1) },
      options: { batchSize: 100, concurrency: 4 },
    } as const
    const made = await makeRun(stateDir, { change })
    const d = { added: 5 - failed, skipped: 0, failed }
    const answer: JournalEvent = { t: 'res', b: 1, a: 1, at: 0, k: 'answered', s: 200, d }
    await writeEvents(made, [tried(1), answer, { ...ended, status: 'partial', exitCode, result: d }])
    return made.id
  }

  /** A run of long ago, with this ending. */
  async function old(stateDir: string, end: EndEvent | undefined, name?: string): Promise<string> {
    const once = name === undefined ? {} : { once: { name, set: 'ab'.repeat(32), typed: {} } }
    const made = await makeRun(stateDir, { change: once })
    if (end !== undefined) await writeEvents(made, [end])
    if (name !== undefined) {
      const lock = await lockName(hostAt(), stateDir, { name })
      await writeName(host, stateDir, { schema: 'svc.name/1', name, run: made.id })
      await lock.release()
    }
    return made.id
  }

  it('lets a new run remove those that ended before that, and nothing else', async () => {
    const state = world.state()
    const stateDir = state.replace('--state-dir ', '')
    await old(stateDir, ended)
    await old(stateDir, ended, 'weekly')
    const unfinished = await old(stateDir, undefined)
    const left = await old(stateDir, { ...ended, status: 'stopped', left: 1 })
    // What its summary says can be done about it is `runs retry`.
    const unknown = await old(stateDir, { ...ended, status: 'partial', exitCode: 7, result: { done: 1, unknown: 1 } })
    const waiting = await old(stateDir, {
      ...ended,
      status: 'partial',
      exitCode: 7,
      result: { done: 1, notAttempted: 1 },
    })
    const undetermined = await added(stateDir, 1)
    // All of a batch are missing; and what an option accepted is found out enough.
    await added(stateDir, 5)
    await added(stateDir, 1, 0)
    const recent = await old(stateDir, { ...ended, at: Date.now() - 89 * 86_400_000 })
    const working = await old(stateDir, ended)
    const lock = await takeLock(hostAt(), join(stateDir, 'runs', working), { what: 'a run', run: working })
    const { code, stderr, summary } = await begin(`${state} --config ${config}`)
    await lock.release()
    expect(code).toBe(0)
    expect(stderr).toContain('removed 4 runs that ended more than 90d ago (keepRuns in the configuration file)')
    const open = [unfinished, left, unknown, waiting, undetermined]
    const kept = [...open, recent, working, summary.run]
    expect(new Set(readdirSync(join(stateDir, 'runs')))).toEqual(new Set(kept))
    expect((await svc(`runs show weekly --json ${state}`)).code).toBe(0)
    const asked = await svc(`runs prune --older-than 1d ${state}`)
    expect(asked).toMatchObject({ code: 9, stdout: '' })
    expect(asked.stderr).toContain(`${open.length} runs have something left to send or to find out`)
  })

  it('that cannot be followed is a note', async () => {
    const state = world.state()
    const stateDir = state.replace('--state-dir ', '')
    const damaged = await old(stateDir, ended, 'weekly')
    writeFileSync(join(stateDir, 'runs', damaged, 'ids'), '')
    const { code, stderr } = await begin(`${state} --config ${config}`)
    expect(code).toBe(0)
    expect(stderr).toContain(`run ${damaged} was not removed: run ${damaged} is damaged`)
    expect(readdirSync(join(stateDir, 'runs'))).toContain(damaged)
  })

  it('is not there by default', async () => {
    const state = world.state()
    const kept = await old(state.replace('--state-dir ', ''), ended)
    expect((await begin(state)).stderr).not.toContain('removed')
    expect(readdirSync(join(state.replace('--state-dir ', ''), 'runs'))).toContain(kept)
  })
})

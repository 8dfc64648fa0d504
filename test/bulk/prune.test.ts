/** Removing runs: what is kept of one that has a name, and what a new run removes by itself. */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Header } from '../../src/bulk/record/header.ts'
import type { Disk } from '../svc.ts'
import { createBulkWorld } from './bulk-world.ts'
import { hold, recordRun, writeLines } from './recorded-run.ts'

const world = await createBulkWorld()
const { svc, bulk, free } = world
const runsOf = (state: string): string => join(state.replace('--state-dir ', ''), 'runs')

describe('keepRuns in the configuration file', () => {
  const config = join(world.folder, 'keep.json')
  writeFileSync(config, JSON.stringify({ defaults: { keepRuns: '90d' } }), { mode: 0o600 })
  let used = 0
  /** A new run in a state folder. */
  const begin = (state: string) =>
    bulk(
      `contacts delete ${free[(used += 1)]} ${free[100 + used]} --yes ${state} --config ${config}`,
    )

  const deleted = (deletedCount: number) => ({ deletedCount, notFoundIds: [], blockedIds: [] })
  const longAgo = Date.parse('2025-03-01T10:15:00Z')
  let recorded = 0

  /** A run of five contacts, two in a request, with these answers; its name or id. */
  async function old(
    state: string,
    answers: readonly unknown[],
    { end = longAgo, ...change }: Partial<Header> & { end?: number | null } = {},
  ): Promise<string> {
    recorded += 1
    const run = `20250301T101500Z-${recorded.toString(16).padStart(4, '0')}`
    const startedAt = new Date(longAgo).toISOString()
    const { dir } = await recordRun(5, 2, { startedAt, ...change }, runsOf(state), run)
    writeLines(
      dir,
      answers.flatMap((d, n) => [
        { t: 'try', n: 1, at: 1, b: n + 1, a: 1 },
        { t: 'res', n: 1, at: 1, b: n + 1, a: 1, k: 'answered', s: 200, d },
      ]),
    )
    if (end !== null) writeLines(dir, [{ t: 'end', n: 1, at: end }])
    return change.name == null ? run : `@${change.name}`
  }

  it('lets a new run remove those that ended before that, and nothing else', async () => {
    const state = world.state()
    const all = [deleted(2), deleted(2), deleted(1)]
    await old(state, all)
    const named = await old(state, all, { name: 'weekly' })
    const added = {
      operation: 'lists.add-contacts',
      parameters: { list: { id: 'a'.repeat(24) } },
    } as const
    const one = [2, 2, 1].map((count) => ({ added: count, skipped: 0, failed: 0 }))
    const oneMissing = [{ added: 1, skipped: 0, failed: 1 }, ...one.slice(1)]
    const kept = [
      await old(state, [], { end: null }),
      await old(state, all, { end: null }),
      await old(state, all.slice(1)),
      // `runs resume` is left to find out about the one that makes no sense.
      await old(state, [...all.slice(1), deleted(7)]),
      await old(state, oneMissing, added),
      await old(state, all, { end: Date.now() - 89 * 86_400_000 }),
      await old(state, all, { isOne: true }),
    ]
    const working = await old(state, all)
    const claim = await hold(join(runsOf(state), working))
    const { code, stderr, summary } = await begin(state)
    claim.release()
    expect(code).toBe(0)
    expect(stderr).toContain('removed 2 runs that ended more than 90d ago (keepRuns)')
    expect(new Set(readdirSync(runsOf(state)))).toEqual(
      new Set([...kept, named, working, summary.run]),
    )
    expect((await svc(`runs show weekly --json ${state}`)).code).toBe(0)
    const asked = await svc(`runs prune --older-than 1d ${state}`)
    expect(asked).toMatchObject({ code: 9, stdout: '' })
    expect(asked.stderr).toContain('4 runs have something left to send or to find out')
  })
})

describe('runs prune', () => {
  /** A disk on which the removal of paths with this ending fails. */
  const failing =
    (ending: string, code: string, reason: string) =>
    (disk: Disk): Disk => ({
      ...disk,
      promises: {
        ...disk.promises,
        rm: (path, options) =>
          String(path).endsWith(ending)
            ? Promise.reject(Object.assign(new Error(`${code}: ${reason}, rmdir 'x'`), { code }))
            : disk.promises.rm(path, options),
      },
    })

  it('a dry run asks nothing, also about a run with something left', async () => {
    const state = world.state()
    world.sandbox.setFaults('contacts.delete:1=401')
    await svc(`contacts delete ${free[32]} --yes ${state}`)
    world.sandbox.setFaults()
    const dry = await svc(`runs prune --older-than 0s --dry-run --json ${state}`)
    expect([dry.code, dry.stdout]).toEqual([0, expect.stringContaining('"left": 1')])
    expect((await svc(`runs prune --older-than 0s ${state}`)).code).toBe(9)
  })

  it('says that a run stays whose journal cannot be removed', async () => {
    const state = world.state()
    const { summary } = await bulk(`contacts delete ${free[31]} --yes ${state}`)
    const disk = failing(summary.run ?? '', 'EIO', 'i/o error')
    const pruned = await svc(`runs prune --older-than 0s --json ${state}`, { disk })
    expect(pruned).toMatchObject({ code: 0, stdout: '[]\n' })
    expect(pruned.stderr).toContain(`run ${summary.run} was not removed: the disk reports an error`)
    expect((await svc(`runs show ${summary.run} ${state}`)).code).toBe(0)
  })
})

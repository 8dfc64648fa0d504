/** Removing runs: what is kept of one that has a name, and what a new run removes by itself. */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { EndEvent, JournalEvent } from '../../src/bulk/record/events.ts'
import type { Message } from '../../src/message.ts'
import { takeLock } from '../../src/disk/take.ts'
import { Names } from '../../src/bulk/runs/names.ts'
import { RunStore } from '../../src/bulk/runs/store.ts'
import { pruneRuns } from '../../src/bulk/sessions/prune.ts'
import { realHost } from '../host.ts'
import { idOf } from '../input/inputs.ts'
import type { Disk } from '../svc.ts'
import { createBulkWorld } from './bulk-world.ts'
import {
  describeRun,
  ended,
  hostAt,
  makeRun,
  start,
  table,
  tried,
  writeEvents,
  type Made,
} from './recorded.ts'

const world = await createBulkWorld()
const { svc, bulk, free } = world

describe('keepRuns in the configuration file', () => {
  const config = join(world.folder, 'keep.json')
  writeFileSync(config, JSON.stringify({ defaults: { keepRuns: '90d' } }), { mode: 0o600 })
  let used = 0
  /** A new run in a state folder. */
  const begin = (state: string) => bulk(`contacts delete ${free[(used += 1)]} --yes ${state}`)

  /** A run of long ago that added five contacts to a list, of whom so many do not exist. */
  async function added(stateDir: string, failed: number, accept: string[] = []): Promise<void> {
    const change = {
      operation: 'lists.add-contacts',
      target: { id: idOf(1) },
      options: { batchSize: 100, concurrency: 4, accept },
    } as const
    await answered(await makeRun(stateDir, { change }), [{ added: 5 - failed, skipped: 0, failed }])
  }

  async function answered(
    made: Made,
    answers: readonly unknown[],
    end: EndEvent = ended,
  ): Promise<string> {
    const events = answers.flatMap((d, n): JournalEvent[] => [
      tried(n + 1),
      { t: 'res', b: n + 1, a: 1, at: 0, k: 'answered', s: 200, d },
    ])
    await writeEvents(made, [...events, end])
    return made.id
  }

  const deleted = (deletedCount: number) => ({ deletedCount, notFoundIds: [], blockedIds: [] })
  const all = [deleted(2), deleted(2), deleted(1)]

  /** A run of long ago that deleted five contacts, two in a request, with these answers. */
  async function old(stateDir: string, answers = all, end = ended, name?: string): Promise<string> {
    const once = name === undefined ? {} : { once: { name, set: 'ab'.repeat(32), typed: {} } }
    const made = await makeRun(stateDir, { change: once })
    await answered(made, answers, end)
    if (name !== undefined) {
      const names = new Names(hostAt(), () => stateDir)
      const lock = await names.lock(name, {})
      await names.write({ name, run: made.id })
      await lock.release()
    }
    return made.id
  }

  it('lets a new run remove those that ended before that, and nothing else', async () => {
    const state = world.state()
    const stateDir = state.replace('--state-dir ', '')
    await old(stateDir)
    await old(stateDir, all, ended, 'weekly')
    const unfinished = (await makeRun(stateDir)).id
    const left = await old(stateDir, all.slice(1), { ...ended, status: 'stopped', left: 1 })
    // What its summary says can be done about it is `runs retry`.
    const unknown = await old(stateDir, [...all.slice(1), deleted(7)])
    const before = new Set(readdirSync(join(stateDir, 'runs')))
    await added(stateDir, 1)
    const [undetermined = ''] = readdirSync(join(stateDir, 'runs')).filter(
      (name) => !before.has(name),
    )
    // All of a batch are missing; and what an option accepted is found out enough.
    await added(stateDir, 5)
    await added(stateDir, 1, ['undetermined'])
    const recent = await old(stateDir, all, { ...ended, at: Date.now() - 89 * 86_400_000 })
    const working = await old(stateDir)
    const lock = await takeLock(hostAt(), join(stateDir, 'runs', working), {
      what: 'a run',
      run: working,
    })
    const { code, stderr, summary } = await begin(`${state} --config ${config}`)
    await lock.release()
    expect(code).toBe(0)
    expect(stderr).toContain('removed 4 runs that ended more than 90d ago (keepRuns)')
    const open = [unfinished, left, unknown, undetermined]
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
    const damaged = await old(stateDir, all, ended, 'weekly')
    writeFileSync(join(stateDir, 'runs', damaged, 'ids'), '')
    const { code, stderr } = await begin(`${state} --config ${config}`)
    expect(code).toBe(0)
    expect(stderr).toContain(`run ${damaged} was not removed: run ${damaged} is damaged`)
    expect(readdirSync(join(stateDir, 'runs'))).toContain(damaged)
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

  it('says that a run is gone of which something is still there', async () => {
    const state = world.state()
    const runs = join(state.replace('--state-dir ', ''), 'runs')
    const { summary } = await bulk(`contacts delete ${free[30]} --yes --once weekly ${state}`)
    const run = summary.run ?? ''
    const prune = `runs prune --older-than 0s --names --json ${state}`
    // The lock of an undo that looks for the run meanwhile does this.
    const disk = failing(run, 'ENOTEMPTY', 'directory not empty')
    const pruned = await svc(prune, { disk })
    expect([pruned.code, JSON.parse(pruned.stdout)]).toMatchObject([0, [{ run }]])
    expect(pruned.stderr).toContain(
      `run ${run} was removed, but not all of its files: the folder of run ${run} cannot be removed: directory not empty`,
    )
    expect(pruned.stderr).toContain('1 run removed')
    expect((await svc(`runs show ${run} ${state}`)).code).toBe(2)
    expect(readdirSync(runs)).toEqual([run])
    expect(await svc(prune)).toMatchObject({ code: 0, stdout: '[]\n', stderr: '' })
    expect(readdirSync(runs)).toEqual([])
  })

  it('says that a run stays whose journal cannot be removed', async () => {
    const state = world.state()
    const { summary } = await bulk(`contacts delete ${free[31]} --yes ${state}`)
    const disk = failing('journal.ndjson', 'EIO', 'i/o error')
    const pruned = await svc(`runs prune --older-than 0s --json ${state}`, { disk })
    expect(pruned).toMatchObject({ code: 0, stdout: '[]\n' })
    expect(pruned.stderr).toContain(`run ${summary.run} was not removed: the disk reports an error`)
    expect((await svc(`runs show ${summary.run} ${state}`)).code).toBe(0)
  })

  it('leaves a run that began in a folder which was empty when it looked', async () => {
    const stateDir = world.state().replace('--state-dir ', '')
    const unfinished = await makeRun(stateDir)
    const host = hostAt(start + 60_000)
    const store = new RunStore(host, () => stateDir)
    const { run } = await new RunStore(hostAt(), () => stateDir).makeFolder()
    const warnings: Message[] = []
    const tools = {
      host: { ...realHost, ...host },
      store: () => Promise.resolve(store),
      // While the question about the other run is on the screen.
      confirm: async () => {
        const items = table(5)
        await store.begin(describeRun(run, items), { items, batches: { from: 0, to: 5 } })
      },
      signal: new AbortController().signal,
      note: () => undefined,
      warn: (message: Message) => {
        warnings.push(message)
      },
    }
    const removed = await pruneRuns(tools, { olderThan: 0 })
    expect([removed.map(({ id }) => id), warnings]).toEqual([[unfinished.id], []])
    expect((await store.read(run)).run).toMatchObject({ run })
  })
})

/** A disk that stops after any of its writes: the same command, typed again, does the rest, and claims nothing that is not so. */
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import type { Disk } from '../svc.ts'
import { createBulkWorld } from './bulk-world.ts'

const world = await createBulkWorld({ contacts: 1_500 })
const { svc, bulk, file, fresh, sandbox } = world

/** A disk of which everything fails that changes it, behind so many changes. */
function stopping(after: number, disk: Disk) {
  const counts = { changes: 0 }
  const dead = (): Error => Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })
  const isOver = (): boolean => {
    counts.changes += 1
    return counts.changes > after
  }
  const { promises } = disk
  /** The calls, each of which may be the one that fails first. */
  const failing = <T extends object>(calls: T, names: readonly (keyof T)[], isSync: boolean): T => {
    const entries = names.map((name) => {
      const call = calls[name] as (...words: unknown[]) => unknown
      const guarded = (...words: unknown[]): unknown => {
        if (!isOver()) return call.apply(calls, words)
        if (isSync) throw dead()
        return Promise.reject(dead())
      }
      return [name, guarded]
    })
    return { ...calls, ...(Object.fromEntries(entries) as Partial<T>) }
  }
  const calls = failing(promises, ['open', 'mkdir', 'rename', 'rm'], false)
  const changed: Disk = { ...failing(disk, ['writeSync'], true), promises: calls }
  return { counts, changed }
}

/** The process that had the run is gone: this one, which lives on, gets another number in its mark. */
function bury(state: string): void {
  const runs = join(state.replace('--state-dir ', ''), 'runs')
  const names = existsSync(runs) ? readdirSync(runs, { recursive: true, encoding: 'utf8' }) : []
  for (const path of names
    .filter((name) => /session\.\d+$/.test(name))
    .map((name) => join(runs, name))) {
    const mark = readFileSync(path, 'utf8')
    if (mark === '') rmSync(path)
    else writeFileSync(path, mark.replace(/"pid":\d+/, '"pid":4194303'))
  }
}

it('after each of its writes, with a name', { timeout: 120_000 }, async () => {
  let [isWhole, writes] = [false, 0]
  for (let after = 0; !isWhole; after += 1) {
    const ids = fresh(4)
    const state = world.state()
    const line = `contacts delete --file ${file('ids', ids)} --once job --yes batches-of=2 --concurrency 1 ${state}`
    let counts = { changes: 0 }
    const first = await svc(line, {
      disk: (disk) => {
        const stopped = stopping(after, disk)
        counts = stopped.counts
        return stopped.changed
      },
    })
    isWhole = counts.changes <= after
    const possible = isWhole ? [0] : [0, 2, 10]
    expect([after, first.code, possible.includes(first.code)]).toEqual([after, first.code, true])
    bury(state)
    const { code, summary } = await bulk(line)
    expect([after, code]).toEqual([after, 0])
    const { deleted = 0, gone = 0 } = summary.result
    expect([after, deleted + gone]).toEqual([after, 4])
    expect(ids.filter((id) => sandbox.store.contact(id) !== undefined)).toEqual([])
    if (after > 400) throw new Error('the command has no end')
    writes = after
  }
  expect(writes).toBeGreaterThan(20)
})

it('a holder whose session is gone when its line is synced sends nothing', async () => {
  const superseded = (disk: Disk): Disk => ({
    ...disk,
    promises: {
      ...disk.promises,
      open: async (path, ...more) => {
        const opened = await disk.promises.open(path, ...more)
        if (basename(String(path)) !== 'journal.ndjson') return opened
        const datasync = opened.datasync.bind(opened)
        opened.datasync = async () => {
          await datasync()
          rmSync(join(dirname(String(path)), 'session.1'), { force: true })
        }
        return opened
      },
    },
  })
  const line = `contacts delete ${fresh(2).join(' ')} --yes ${world.state()}`
  const { ended, sent } = await world.since(() => svc(line, { disk: superseded }))
  expect([ended.code, sent]).toEqual([11, 0])
  expect(ended.stderr).toContain('was taken over by another process')
})

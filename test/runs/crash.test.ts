/** A disk that stops after any of its writes: the same command, typed again, does the rest, and claims nothing that is not so. */
import {
  appendFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { Writable } from 'node:stream'
import { expect, it } from 'vitest'
import type { Disk } from '../svc.ts'
import { createBulkWorld, recordedRuns, runFile } from './bulk-world.ts'
import { afterEachSync } from './disks.ts'
import { bury, linesIn, sessionOf, writeOf } from './run-files.ts'

const world = await createBulkWorld({ contacts: 2_500 })
const { svc, bulk, file, fresh, sandbox } = world

/** A disk of which everything fails that changes it, behind so many changes. */
function stopping(after: number, disk: Disk) {
  const counts = { changes: 0 }
  const dead = (): Error => Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })
  const isOver = (): boolean => {
    counts.changes += 1
    return counts.changes > after
  }
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
  const promises = failing(disk.promises, ['open', 'rename', 'rm'], false)
  const { open } = promises
  promises.open = async (...asked) => {
    const opened = await open(...asked)
    return Object.assign(
      opened,
      failing({ datasync: opened.datasync.bind(opened) }, ['datasync'], false),
    )
  }
  const changed: Disk = { ...failing(disk, ['writeSync', 'mkdirSync'], true), promises }
  return { counts, changed }
}

it.each(['--once job', ''])('after each of its writes: %s', { timeout: 120_000 }, async (name) => {
  let [isWhole, writes] = [false, 0]
  for (let after = 0; !isWhole; after += 1) {
    const ids = fresh(4)
    const state = world.state()
    const line = `contacts delete --file ${file('ids', ids)} ${name} --yes batches-of=2 --concurrency 1 ${state}`
    let counts = { changes: 0 }
    const first = await svc(line, {
      disk: (disk) => {
        const stopped = stopping(after, disk)
        counts = stopped.counts
        return stopped.changed
      },
    })
    isWhole = counts.changes <= after
    // With 7 a `try` was written that is not on disk for sure, so its outcome is unknown.
    const possible = isWhole ? [0] : [0, 2, 7, 10]
    expect([after, first.code, possible.includes(first.code)]).toEqual([after, first.code, true])
    for (const run of recordedRuns(state)) bury(runFile(state, run))
    // Finished under no name, the command would delete the same contacts again.
    if (name === '' && first.code === 0) continue
    const { code, summary } = await bulk(line)
    expect([after, code]).toEqual([after, 0])
    const { deleted = 0, gone = 0 } = summary.result
    expect([after, deleted + gone]).toEqual([after, 4])
    expect(ids.filter((id) => sandbox.store.contact(id) !== undefined)).toEqual([])
    if (after > 400) throw new Error('the command has no end')
    writes = after
  }
  expect(writes).toBeGreaterThan(10)
})

/** Another process takes the run over, as after a minute in which it saw no sign of life. */
function takeOver(path: string): void {
  const [first] = linesIn(path)
  const own = linesIn(path).filter(({ s }) => s === first?.s).length
  appendFileSync(path, writeOf('ffffffff', [sessionOf(first?.s, own, { unsure: true })]))
}

/** Events that befall the file of a run between the sync of its `try` and the request. */
const losses = [
  ['taken over', takeOver, 11, /run \S+ was taken over by another process/],
  ['removed', (path: string) => rmSync(path), 10, /the record of run \S+ is gone: \S+/],
  [
    'moved away',
    (path: string) => {
      renameSync(path, `${path}.old`)
    },
    10,
    /the record of run \S+ is gone: \S+/,
  ],
  [
    'replaced by a copy',
    (path: string) => {
      const text = readFileSync(path)
      rmSync(path)
      // Another file takes the inode that became free.
      writeFileSync(`${path}.other`, '')
      writeFileSync(path, text)
    },
    10,
    /the record of run \S+ is gone: \S+/,
  ],
] as const

it.each(losses)(
  'a run whose file is %s when its `try` is synced sends nothing, and sums nothing up',
  async (_, lose, code, words) => {
    const line = `contacts delete ${fresh(2).join(' ')} --yes ${world.state()}`
    let tries = 0
    const disk = afterEachSync((path) => {
      if (!linesIn(path).some(({ t }) => t === 'try')) return
      tries += 1
      if (tries === 1) lose(path)
    })
    const { ended, sent } = await world.since(() => svc(line, { disk }))
    expect([ended.code, ended.stdout, sent, tries]).toEqual([code, '', 0, 1])
    expect(ended.stderr).toMatch(words)
  },
)

it('a run that is taken over when a receipt is written leaves the file of its user alone', async () => {
  const [state, receipts] = [world.state(), world.output('csv')]
  const line = `contacts delete ${fresh(2).join(' ')} --yes --receipts ${receipts} ${state}`
  const disk = (real: Disk): Disk => ({
    ...real,
    promises: {
      ...real.promises,
      async open(...asked) {
        const opened = await real.promises.open(...asked)
        if (!String(asked[0]).includes('.part')) return opened
        const sync = opened.sync.bind(opened)
        opened.sync = async () => {
          await sync()
          for (const run of recordedRuns(state)) takeOver(runFile(state, run))
        }
        return opened
      },
    },
  })
  const ended = await svc(line, { disk })
  expect([ended.code, ended.stdout, existsSync(receipts)]).toEqual([11, '', false])
})

it('a run that is taken over cuts off its requests in flight', async () => {
  const state = world.state()
  const line = `contacts delete ${fresh(3).join(' ')} --yes batches-of=1 --concurrency 2 ${state}`
  const disk = afterEachSync((path) => {
    // The first request waits for its answer, and the second has it.
    if (linesIn(path).filter(({ t }) => t === 'try').length === 3) takeOver(path)
  })
  const begun = performance.now()
  const { code } = await svc(line, { faults: 'contacts.delete:1=delay,before=20s', disk })
  expect([code, performance.now() - begun < 10_000]).toEqual([11, true])
})

it('a run whose results could not be printed is not free: the same command prints them', async () => {
  const state = world.state()
  const line = `contacts delete ${fresh(2).join(' ')} --yes ${state}`
  const full = new Writable({
    write: (_chunk, _encoding, callback) => {
      callback(Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' }))
    },
  })
  expect((await svc(line, { stdout: full })).code).toBe(10)
  const [run = ''] = recordedRuns(state)
  expect(linesIn(runFile(state, run)).at(-1)?.t).toBe('end')
  bury(runFile(state, run))
  const again = await world.since(() => bulk(line))
  expect(again).toMatchObject({ sent: 0, ended: { code: 0, summary: { run, resumed: true } } })
})

/**
 * What is on disk when a request leaves, and what is said of batches that were recorded ahead and not sent: after a stop, after a process was
 * killed at any line, and after a power loss.
 */
import { spawnSync } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import {
  existsSync,
  fstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createLockFile } from '../../src/disk/lock-file.ts'
import { readPlace } from '../../src/disk/place.ts'
import { encodeEvent } from '../../src/bulk/record/journal.ts'
import type { JournalEvent } from '../../src/bulk/record/events.ts'
import { unsent } from '../../src/bulk/record/batch-state.ts'
import { sendBatch } from '../../src/bulk/sending/send.ts'
import type { Api } from '../../src/api/client.ts'
import { readRecorded, recordedSummary } from '../../src/bulk/runs/recorded.ts'
import type { Hooks } from '../../src/http/attempt.ts'
import type { Signal } from '../../src/host.ts'
import type { Options } from '../svc.ts'
import { createBulkWorld, linesOf, type SummaryDocument } from './bulk-world.ts'
import { fileHandles, host, uptime } from './recorded.ts'
import { until } from './spawned.ts'

const world = await createBulkWorld()
const { bulk, file, fresh, sandbox, absent } = world
const handles = await fileHandles()

afterEach(() => {
  vi.restoreAllMocks()
  sandbox.setFaults()
})

const size = 2
const inFlight = 3

const deletion = (ids: readonly string[], more = ''): string =>
  `contacts delete --file ${file('ids', ids)} --yes batches-of=${size} ${more}`

/** The folder of the one run of a state folder. */
function runIn(state: string): string {
  const runs = join(state.replace('--state-dir ', ''), 'runs')
  return existsSync(runs) ? join(runs, readdirSync(runs)[0] ?? '') : runs
}

const journalOf = (dir: string): string => join(dir, 'journal.ndjson')

/** Batches with a line of one of these events. */
function batchesOf(lines: readonly JournalEvent[], ...events: readonly string[]): Set<number> {
  return new Set(lines.flatMap((line) => ('a' in line && events.includes(line.t) ? [line.b] : [])))
}

const isOpen = (lines: readonly JournalEvent[]): number[] => {
  const answered = batchesOf(lines, 'res')
  return [...batchesOf(lines, 'try')].filter((batch) => !answered.has(batch))
}

/** Bytes of the journal that are on disk for certain: its length when the last sync that has ended began. */
function watchSyncs(pathOf: () => string): () => number {
  let synced = 0
  const original = handles.datasync
  vi.spyOn(handles, 'datasync').mockImplementation(async function (this: typeof handles) {
    const { ino, size: length } = fstatSync(this.fd)
    await original.call(this)
    if (existsSync(pathOf()) && statSync(pathOf()).ino === ino) synced = length
  })
  return () => synced
}

/** Calls back with the body of each request, right before its first byte is written to the socket. */
async function watchSends<T>(onSend: (body: string) => void, work: () => Promise<T>): Promise<T> {
  const listener = (message: unknown): void => {
    const { request } = message as { request: { path: string; body: unknown } }
    if (request.path.endsWith('/bulk-delete')) onSend(String(request.body))
  }
  subscribe('undici:client:sendHeaders', listener)
  try {
    return await work()
  } finally {
    unsubscribe('undici:client:sendHeaders', listener)
  }
}

describe('when a request leaves', () => {
  it('its `try`, or the `ready` before it, is on disk, its `try` is written, and no more are open than may be in flight', async () => {
    const ids = fresh(60)
    const state = world.state()
    sandbox.setFaults('latency=5ms')
    const path = (): string => journalOf(runIn(state))
    const synced = watchSyncs(path)
    let ahead = 0
    let sent = 0
    const problems: string[] = []
    await watchSends(
      (body) => {
        sent += 1
        const { contactIds } = JSON.parse(body) as { contactIds: string[] }
        const batch = 1 + ids.indexOf(contactIds[0] ?? '') / size
        const bytes = readFileSync(path())
        const onDisk = linesOf<JournalEvent>(bytes.toString('utf8', 0, synced()))
        const written = linesOf<JournalEvent>(bytes.toString('utf8'))
        if (!batchesOf(onDisk, 'try', 'ready').has(batch)) problems.push(`${batch} is not on disk`)
        if (!batchesOf(written, 'try').has(batch)) problems.push(`${batch} has no try`)
        if (isOpen(written).length > inFlight) problems.push(`open: ${isOpen(written).join()}`)
        if (!batchesOf(onDisk, 'try').has(batch)) ahead += 1
      },
      () => bulk(`${deletion(ids)} --concurrency ${inFlight} ${state}`),
    )
    expect(problems).toEqual([])
    expect(sent).toBe(30)
    // Most waited for a place, and were recorded meanwhile.
    expect(ahead).toBeGreaterThan(5)
  })

  it('the place of one before it is free, which happens once its answer is on record', async () => {
    const order: string[] = []
    const send = async (_name: string, _parts: object, hooks: Hooks): Promise<void> => {
      await hooks.before?.(1)
      await hooks.after?.(1, { kind: 'answered', status: 200, data: {}, headers: {} })
    }
    const api = { send, client: { clock: { isAccepted: true } } } as unknown as Api
    const ids = absent(1)
    const operation = 'contacts.delete' as const
    const batch = { operation, ids, batch: 1, json: () => Buffer.from('[]'), parameters: {} }
    await sendBatch(api, batch, {
      state: () => unsent,
      now: () => 0,
      moment: () => uptime,
      emit: async ({ t }) => {
        await Promise.resolve()
        order.push(t)
      },
      slot: { acquire: () => undefined, release: () => order.push('free') },
    })
    expect(order).toEqual(['try', 'res', 'free'])
  })

  it('of a merge, whose answer may not be asked for twice, the `try` is on disk', async () => {
    const state = world.state()
    const contacts = fresh(8)
    const pairs = Array.from({ length: 4 }, (_, n) => `${contacts[n]},${contacts[n + 4]}`)
    const line = `contacts merge --file ${file('pairs', ['source,target', ...pairs])} --yes --concurrency 2`
    await bulk(`${line} ${state}`)
    const lines = linesOf<JournalEvent>(readFileSync(journalOf(runIn(state)), 'utf8'))
    expect(lines.filter(({ t }) => t === 'try')).toHaveLength(4)
    expect(lines.filter(({ t }) => t === 'ready')).toEqual([])
  })
})

describe('a run that stops sends nothing that waits, and that is as never tried', () => {
  interface Stopping extends Options {
    uptime: number
    deliver: (signal: Signal) => void
  }

  const pass = (options: Stopping): void => {
    options.uptime = 60_000
  }
  const signal = ({ deliver }: Stopping): void => deliver('SIGTERM')

  it.each([
    ['a stop rule', 'contacts.delete:1=401', (): void => undefined, { error: 2 }],
    ['the deadline', '', pass, { notFound: 2 }],
    ['a signal', '', signal, { notFound: 2 }],
  ] as const)('%s', async (_, faults, stop, first) => {
    const state = world.state()
    const options: Stopping = {
      uptime: 0,
      deliver: () => undefined,
      signals: (deliver: Stopping['deliver']): void => {
        options.deliver = deliver
      },
    }
    sandbox.setFaults(`latency=100ms${faults === '' ? '' : `, ${faults}`}`)
    let sent = 0
    const isWaiting = (): boolean =>
      readFileSync(journalOf(runIn(state)), 'utf8').includes('"ready"')
    const onSend = (): void => {
      sent += 1
      void until(isWaiting).then(() => stop(options))
    }
    // Nobody has these ids: one that was perhaps sent could be called gone.
    const line = `${deletion(absent(6), '--deadline 40s')} --concurrency 1 ${state}`
    const { stdout } = await watchSends(onSend, () => world.svc(`${line} --json`, options))
    const stopped = JSON.parse(stdout) as SummaryDocument
    sandbox.setFaults()
    expect(sent).toBe(1)
    expect(stopped.result).toMatchObject({ ...first, notAttempted: 4, unknown: 0, gone: 0 })
    const lines = linesOf<JournalEvent>(readFileSync(journalOf(runIn(state)), 'utf8'))
    expect([...batchesOf(lines, 'ready')]).toEqual([2])
    expect(lines.filter(({ t }) => t === 'withdrawn')).toMatchObject([{ b: [2] }])
    const again = await bulk(`runs resume --last --yes ${state}`)
    expect(again.summary.result).toMatchObject({ notFound: 6, gone: 0 })
  })
})

/** What a process that was cut off at a line of its journal left: its lines up to there, and its lock. */
describe('a process that was cut off at any line', async () => {
  const state = world.state()
  const ids = fresh(40)
  sandbox.setFaults('latency=2ms')
  await bulk(`${deletion(ids)} --concurrency ${inFlight} ${state}`)
  sandbox.setFaults()
  const dir = runIn(state)
  const run = dir.split('/').at(-1) ?? ''
  const text = readFileSync(journalOf(dir), 'utf8').split(/(?<=\n)/)
  const events = linesOf<JournalEvent>(text.join(''))
  const token = events.flatMap((event) => (event.t === 'ready' ? [event.by] : []))[0] ?? ''
  const gone = spawnSync(process.execPath, ['-e', '']).pid
  const { identity } = readPlace(host)

  async function cutAt(
    lines: number,
    lock: { token?: string; identity?: string | null } | undefined,
  ) {
    writeFileSync(journalOf(dir), text.slice(0, lines).join(''))
    for (const name of readdirSync(dir).filter((name) => name.startsWith('lock')))
      rmSync(join(dir, name))
    const mark = { counter: 1, token, host: 'desk', identity, pid: gone, start: '1', since: 0 }
    if (lock !== undefined) await createLockFile(host, join(dir, 'lock'), { ...mark, ...lock })
    const recorded = await readRecorded(host, dir, run)
    const { withdrawn } = recorded
    return { withdrawn, unknown: recordedSummary(recorded).result['unknown'] ?? 0 }
  }

  const waits = (lines: number): number => {
    const written = events.slice(0, lines)
    const tried = batchesOf(written, 'try')
    return [...batchesOf(written, 'ready')].filter((batch) => !tried.has(batch)).length
  }

  /** Lines before the first `withdrawn` or `end`, which a session that ends writes. */
  const cuts = events.flatMap(({ t }, n) =>
    t === 'res' || t === 'try' || t === 'ready' ? [n + 1] : [],
  )

  const last = cuts.findLast((each) => waits(each) > 1) ?? 0

  it('by a kill: as many batches are unknown as were in flight, and none that waited', async () => {
    let most = 0
    for (const lines of cuts) {
      const { unknown, withdrawn } = await cutAt(lines, {})
      expect(unknown, `after line ${lines}`).toBe(isOpen(events.slice(0, lines)).length * size)
      expect(withdrawn).toHaveLength(waits(lines))
      expect(unknown).toBeLessThanOrEqual(inFlight * size)
      most = Math.max(most, waits(lines))
    }
    expect(most).toBeGreaterThanOrEqual(inFlight - 1)
  })

  it.each([
    [
      'a power loss: the machine has booted since',
      { identity: (identity ?? '').replace(/[0-9a-f]{8}-/, '00000000-') },
    ],
    ['a journal that could not be written: it gave its lock back', undefined],
    ['a process that nobody knows, after another session that ended', { token: 'ab' }],
  ])('by %s: what waited counts as perhaps sent', async (_, lock) => {
    for (const lines of cuts) {
      const { unknown, withdrawn } = await cutAt(lines, lock)
      const perhaps = isOpen(events.slice(0, lines)).length + waits(lines)
      expect([unknown, withdrawn.length], `after line ${lines}`).toEqual([perhaps * size, 0])
    }
  })

  it('the session after it says what was not sent, for all that read it later', async () => {
    const { withdrawn } = await cutAt(last, {})
    sandbox.setFaults('contacts.delete=401')
    const refused = await bulk(`runs resume ${run} --yes ${state}`)
    sandbox.setFaults()
    const written = linesOf<JournalEvent>(readFileSync(journalOf(dir), 'utf8'))
    expect(written[last]).toMatchObject({ t: 'withdrawn', b: withdrawn })
    expect(written[last + 1]).toMatchObject({ t: 'resume' })
    // By now every contact is gone: of those that waited it is known that this run did not delete them.
    expect(refused.summary.result).toMatchObject({ gone: 0 })
    const again = await bulk(`runs resume ${run} --yes ${state}`)
    const open = isOpen(events.slice(0, last)).length
    expect(again.summary.result).toMatchObject({ gone: open * size })
  })

  it('by a power loss: what waited, and was gone when it was sent again, may have been deleted by this run', async () => {
    await cutAt(last, undefined)
    const open = isOpen(events.slice(0, last)).length
    const again = await bulk(`runs resume ${run} --yes ${state}`)
    expect(again.summary.result).toMatchObject({ gone: (open + waits(last)) * size })
  })

  it('a line cut off behind it leaves it perhaps sent', async () => {
    const cut = { t: 'cut', at: 0, on: 'x', up: 0, b: [] } satisfies JournalEvent
    text.splice(last, text.length - last, encodeEvent(cut))
    const { unknown, withdrawn } = await cutAt(last + 1, {})
    const open = isOpen(events.slice(0, last)).length
    expect([unknown, withdrawn.length]).toEqual([(open + waits(last)) * size, 0])
  })
})

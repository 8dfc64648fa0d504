/** What is on disk when a request leaves, and that a run which stops sends nothing more. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { existsSync, fstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { JournalEvent } from '../../src/bulk/record/events.ts'
import type { Signal } from '../../src/host.ts'
import type { Options } from '../svc.ts'
import { createBulkWorld, linesOf, type SummaryDocument } from './bulk-world.ts'
import { fileHandles } from './recorded.ts'

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
  it('its `try` is on disk, and no more are open than may be in flight', async () => {
    const ids = fresh(60)
    const state = world.state()
    sandbox.setFaults('*=delay,before=5ms')
    const path = (): string => journalOf(runIn(state))
    const synced = watchSyncs(path)
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
        if (!batchesOf(onDisk, 'try').has(batch)) problems.push(`${batch} is not on disk`)
        if (isOpen(written).length > inFlight) problems.push(`open: ${isOpen(written).join()}`)
      },
      () => bulk(`${deletion(ids)} --concurrency ${inFlight} ${state}`),
    )
    expect(problems).toEqual([])
    expect(sent).toBe(30)
  })

  it('of a merge, whose answer may not be asked for twice, the `try` is on disk', async () => {
    const state = world.state()
    const contacts = fresh(8)
    const pairs = Array.from({ length: 4 }, (_, n) => `${contacts[n]},${contacts[n + 4]}`)
    const line = `contacts merge --file ${file('pairs', ['source,target', ...pairs])} --yes --concurrency 2`
    await bulk(`${line} ${state}`)
    const lines = linesOf<JournalEvent>(readFileSync(journalOf(runIn(state)), 'utf8'))
    expect(lines.filter(({ t }) => t === 'try')).toHaveLength(4)
  })
})

describe('a run that stops sends nothing more, and the rest is as never tried', () => {
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
    sandbox.setFaults(`*=delay,before=100ms ${faults}`)
    let sent = 0
    const onSend = (): void => {
      sent += 1
      stop(options)
    }
    // Nobody has these ids: one that was perhaps sent could be called gone.
    const line = `${deletion(absent(6), '--deadline 40s')} --concurrency 1 ${state}`
    const { stdout } = await watchSends(onSend, () => world.svc(`${line} --json`, options))
    const stopped = JSON.parse(stdout) as SummaryDocument
    sandbox.setFaults()
    expect(sent).toBe(1)
    expect(stopped.result).toMatchObject({ ...first, notAttempted: 4, unknown: 0, gone: 0 })
    const lines = linesOf<JournalEvent>(readFileSync(journalOf(runIn(state)), 'utf8'))
    expect([...batchesOf(lines, 'try')]).toEqual([1])
    const again = await bulk(`runs resume --last --yes ${state}`)
    expect(again.summary.result).toMatchObject({ notFound: 6, gone: 0 })
  })
})

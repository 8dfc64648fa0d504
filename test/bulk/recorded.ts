/** Recorded runs, written by the functions that svc writes them with, and what they are made of. */
import { open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { EndEvent, JournalEvent, ResEvent, TryEvent } from '../../src/bulk/record/events.ts'
import { createJournal, Journal, type Guard } from '../../src/bulk/record/journal.ts'
import { itemsSha256, type Items } from '../../src/bulk/record/items.ts'
import { writeRunFiles, type Sums } from '../../src/bulk/record/run-files.ts'
import type { RunFile } from '../../src/bulk/record/run.ts'
import { RunStore, type StoreHost } from '../../src/bulk/runs/store.ts'
import { realHost } from '../host.ts'
import { IdTable } from '../../src/input/id-table.ts'
import { idOf, temporaryFolder } from '../input/inputs.ts'

/** When the runs of these tests begin. */
export const start = Date.parse('2026-03-01T10:15:00.123Z')

export const host = realHost

/** A host at this time, whose random numbers are these, in turn, and then the last of them. */
export function hostAt(now = start, random: readonly number[] = []): StoreHost {
  const numbers = [...random]
  return {
    ...host,
    now: () => now,
    random: () => (numbers.length > 1 ? numbers.shift() : numbers[0]) ?? Math.random(),
    isRunning: () => true,
  }
}

/** Nobody else wants the run. */
export const alone: Guard = { check: () => undefined }

/** So many ids, every second one in upper case, from line 7 on. */
export function table(count: number): IdTable {
  const ids = new IdTable()
  for (let n = 0; n < count; n += 1)
    ids.addText(n % 2 === 0 ? idOf(n) : idOf(n).toUpperCase(), n + 7)
  return ids
}

/** `run.json` of a run that deletes, or merges pairs. */
export function describeRun(
  run: string,
  items: Items,
  change: Partial<RunFile> = {},
  { from, to } = { from: 0, to: items.size },
): RunFile {
  const { pairs } = items
  const unique = to - from
  const kind = pairs === undefined ? 'ids' : 'pairs'
  return {
    schema: 'svc.run/5',
    sequence: 1,
    run,
    operation: kind === 'pairs' ? 'contacts.merge' : 'contacts.delete',
    parameters: {},
    baseUrl: 'https://api.example.com',
    profile: 'prod',
    key: { fingerprint: '0123456789abcdef', ending: 'cdef' },
    options: { batchSize: kind === 'pairs' ? 1 : 2, concurrency: 4, accept: ['not-found'] },
    input: {
      read: unique,
      unique,
      duplicates: 0,
      invalid: 0,
      sha256: itemsSha256(items, from, to),
    },
    items: unique,
    kind,
    startedAt: '2026-03-01T10:15:00.123Z',
    by: { user: 'ana', host: 'desk' },
    version: '3.1.0',
    ...change,
  }
}

export interface Made {
  readonly id: string
  readonly dir: string
  readonly stateDir: string
  readonly run: RunFile
  readonly sums: Sums
}

export interface MakeOptions {
  readonly items?: Items
  readonly part?: { from: number; to: number }
  readonly change?: Partial<RunFile>
  readonly host?: StoreHost
}

/** A run that has begun. */
export async function makeRun(
  stateDir: string,
  { items, part, change, host: maker = hostAt() }: MakeOptions = {},
): Promise<Made> {
  const store = new RunStore(maker, () => stateDir)
  await store.prepare()
  const { run: id, dir } = await store.makeFolder()
  const recorded = items ?? table(5)
  const startedAt = new Date(maker.now()).toISOString()
  const sequence = await store.nextSequence()
  const run = describeRun(id, recorded, { startedAt, sequence, ...change }, part)
  const sums = await writeRunFiles(maker, dir, run, {
    items: recorded,
    batches: part ?? { from: 0, to: recorded.size },
  })
  await createJournal(maker, dir, {
    t: 'begin',
    at: maker.now(),
    schema: 'svc.run/5',
    run: id,
    sums,
  })
  return { id, dir, stateDir, run, sums }
}

/** Writes events into the journal of a run, as a session does. */
export async function writeEvents(
  { dir, id }: Made,
  events: readonly JournalEvent[],
): Promise<void> {
  const journal = await Journal.open(host, dir, id, alone)
  for (const event of events)
    await (event.t === 'try' ? journal.appendTry(event) : journal.append(event))
  await journal.close()
}

/** A moment by uptime, as events have it. */
export const uptime = { on: 'this boot', up: 0 }

export const tried = (b: number, a = 1): TryEvent => ({ t: 'try', b, a, at: 0, ...uptime })
export const refused = (b: number, a = 1): ResEvent => ({
  t: 'res',
  b,
  a,
  at: 0,
  k: 'refused',
  s: 429,
})
export const ended: EndEvent = {
  t: 'end',
  at: 0,
  status: 'complete',
  exitCode: 0,
  result: {},
  left: 0,
}

/** One of every kind of line. */
export const events: readonly JournalEvent[] = [
  tried(1),
  tried(2),
  {
    t: 'res',
    b: 2,
    a: 1,
    at: 3,
    k: 'ambiguous',
    s: 500,
    code: 50_001,
    m: 'Internal server error “é”',
  },
  {
    t: 'res',
    b: 1,
    a: 1,
    at: 4,
    k: 'answered',
    s: 200,
    d: { deletedCount: 1, notFoundIds: [idOf(1)], blockedIds: [] },
  },
  { t: 'resume', at: 4, ...uptime, key: 'fedcba9876543210' },
  tried(2, 2),
  refused(2, 2),
  { t: 'reopen', at: 5, outcomes: ['error'] },
  { t: 'file', at: 6, kind: 'receipts', path: '/tmp/out.csv', sha256: 'ab'.repeat(32) },
  {
    t: 'end',
    at: 7,
    status: 'partial',
    exitCode: 7,
    stop: 'retry-after',
    result: { deleted: 1 },
    left: 3,
  },
]

/** A folder that is removed after the tests, and a new state folder in it each time; none of them is there yet. */
export function stateFolders(): { readonly path: string; readonly next: () => string } {
  const folder = temporaryFolder()
  afterAll(() => {
    folder.remove()
  })
  let folders = 0
  return { path: folder.path, next: () => join(folder.path, `state-${(folders += 1)}`) }
}

/** What every open file is made by, to be spied on. */
export async function fileHandles(): Promise<FileHandle> {
  const handle = await open(process.execPath)
  const handles = Object.getPrototypeOf(handle) as FileHandle
  await handle.close()
  return handles
}

export function systemError(code: string): Error {
  return Object.assign(new Error(code), { code })
}

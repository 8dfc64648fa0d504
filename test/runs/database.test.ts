/** The file of the record: how it is made, and what svc says where it cannot be used. A bulk command without it sends nothing. */
import * as fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { usageError } from '../../src/errors.ts'
import type { Host, SqlDatabase } from '../../src/host.ts'
import { Database } from '../../src/runs/database.ts'
import { changeRecord, createBulkWorld } from '../support/bulk-world.ts'
import { ownFolder } from '../support/ending.ts'
import { hostWith, realHost } from '../support/real-host.ts'
import { startSvc } from '../support/spawned.ts'

const world = await createBulkWorld()
const { bulk, fresh, svc, unsent } = world
const deleteOf = (...ids: string[]) => `contacts delete ${ids.join(' ')} --yes`
const pathOf = (state: string) => `${state.replace('SVC_STATE_DIR=', '')}/runs.db`

/** A state folder with a record, and the path of that. */
async function recorded() {
  const [first, state] = [world.state(), world.state()]
  await bulk(`${first} ${deleteOf(...fresh(1))}`)
  // A copy, because this process may have the first one open until statements are collected.
  fs.copyFileSync(pathOf(first), pathOf(state))
  return { state, path: pathOf(state) }
}

it('is whole in one file when nobody has it open', async () => {
  const { path } = await recorded()
  const copy = join(ownFolder('copy'), 'copy.db')
  fs.copyFileSync(path, copy)
  const database = await realHost.openDatabase(copy)
  const [run] = database.prepare('SELECT id, outcome FROM items').all()
  expect(run?.['outcome']).toBe('done')
  expect(pragmasOf(database, 'auto_vacuum', 'user_version')).toEqual([1, 1])
  database.close()
})

const pragmasOf = (database: SqlDatabase, ...names: string[]) =>
  names.map((name) => database.prepare(`PRAGMA ${name}`).get()?.[name])

/** Opens a file of SQLite. Calls a function before each statement without values. */
const opening =
  (before: (text: string, database: SqlDatabase) => void): Host['openDatabase'] =>
  async (path) => {
    const real = await realHost.openDatabase(path)
    const exec = (text: string) => {
      before(text, real)
      real.exec(text)
    }
    return { exec, prepare: (text) => real.prepare(text), close: () => real.close() }
  }

it('is synced at each commit, keeps nothing of what was removed, and nobody else can read it', async () => {
  const state = `${world.state()}/deep`
  const folder = state.replace('SVC_STATE_DIR=', '')
  const seen = new Set<string>()
  const openDatabase = opening((text, database) => {
    if (text !== 'COMMIT') return
    const modes = fs.readdirSync(folder).map((name) => fs.statSync(join(folder, name)).mode & 0o777)
    for (const mode of [...modes, fs.statSync(folder).mode & 0o777]) seen.add(mode.toString(8))
    const pragmas = pragmasOf(database, 'journal_mode', 'synchronous', 'fullfsync', 'secure_delete')
    seen.add(pragmas.join())
  })
  const old = process.umask(0)
  await bulk(`${state} ${deleteOf(...fresh(1))}`, { openDatabase })
  process.umask(old)
  // Before a new file is changed to WAL, svc looks into it.
  seen.delete('delete,2,1,1')
  expect([...seen].toSorted()).toEqual(['600', '700', 'wal,2,1,1'])
})

it('is locked from the beginning of a transaction: two that read first and write then wait for each other', async () => {
  const { path } = await recorded()
  const one = await realHost.openDatabase(path)
  const database = await Database.open(realHost, path.replace('/runs.db', ''), { create: true })
  one.exec('PRAGMA busy_timeout = 0')
  expect(() => database?.write(() => one.exec('BEGIN IMMEDIATE'))).toThrow('locked')
  one.close()
  database?.close()
})

it('is made once by six first uses at the same moment', async () => {
  const folder = ownFolder('first')
  const opening = Array.from({ length: 6 }, () => Database.open(realHost, folder, { create: true }))
  const opened = await Promise.all(opening)
  for (const database of opened) database?.close()
  const state = `${world.state()}/deep`
  const started = fresh(6).map((id) => startSvc(`${state} ${deleteOf(id)}`, { env: world.env }))
  const ended = await Promise.all(started.map(({ ended }) => ended))
  for (const { code, stderr } of ended) {
    expect(stderr).not.toContain('error:')
    expect(code).toBe(0)
  }
  expect((await svc(`${state} runs list -o ids`)).stdout.split('\n')).toHaveLength(7)
})

const isRoot = process.geteuid?.() === 0
const nobody = 65_534

/** Does work without the rights of root. */
async function asNobody<T>(work: () => Promise<T>) {
  if (!isRoot) return work()
  process.setegid?.(nobody)
  process.seteuid?.(nobody)
  try {
    return await work()
  } finally {
    process.seteuid?.(0)
    process.setegid?.(0)
  }
}

describe('in the hands of another user', () => {
  /** A folder of nobody, with a record of this user. */
  async function foreign() {
    const { path } = await recorded()
    const folder = ownFolder('foreign')
    fs.copyFileSync(path, join(folder, 'runs.db'))
    if (isRoot) fs.chownSync(folder, nobody, nobody)
    return { folder, state: `SVC_STATE_DIR=${folder}`, path: join(folder, 'runs.db') }
  }

  it.runIf(isRoot)('a file of root for another user: exit 2, with its owner', async () => {
    const { state, folder } = await foreign()
    for (const line of [deleteOf(...fresh(1)), 'runs list']) {
      const told = await asNobody(() => unsent(`HOME=${folder} ${state} ${line}`, 2))
      expect(told).toMatch(/runs.db belongs to another user: root/)
    }
  })

  it.runIf(isRoot)('a file of another user for root: exit 2, with its owner', async () => {
    const { state, path } = await recorded()
    fs.chownSync(path, nobody, nobody)
    for (const line of [deleteOf(...fresh(1)), 'runs list'])
      expect(await unsent(`${state} ${line}`, 2)).toMatch(/runs.db belongs to another user/)
  })

  it('a folder in which nothing can be written: exit 2, and never an empty list', async () => {
    const { state, folder, path } = await foreign()
    if (isRoot) fs.chownSync(path, nobody, nobody)
    fs.chmodSync(folder, 0o500)
    for (const line of ['runs list', deleteOf(...fresh(1)), `${deleteOf(...fresh(1))} --dry-run`])
      expect(await asNobody(() => unsent(`HOME=${folder} ${state} ${line}`, 2))).toContain(
        'permission denied',
      )
    fs.chmodSync(folder, 0o700)
  })
})

it('a disk that cannot share memory is refused', async () => {
  const openDatabase: Host['openDatabase'] = async (path) => {
    const real = await realHost.openDatabase(path)
    const prepare = (text: string) =>
      real.prepare(text.replace('journal_mode = WAL', 'journal_mode'))
    return { exec: (text) => real.exec(text), prepare, close: () => real.close() }
  }
  const line = `${world.state()} ${deleteOf(...fresh(1))}`
  expect(await unsent(line, 2, { openDatabase })).toContain('cannot share memory')
})

it('is not made by a command that only reads', async () => {
  const state = `${world.state()}/deep`
  const { code, stderr } = await svc(`${state} runs list`)
  expect([code, stderr]).toEqual([0, 'note: no recorded runs\n'])
  expect(() => fs.statSync(pathOf(state))).toThrow('ENOENT')
})

describe('cannot be used', () => {
  const other = 'not a database at all, but a text that somebody has put here\n'.repeat(100)
  it.each<[string, (path: string, state: string) => unknown, RegExp]>([
    ['a text', (path) => fs.writeFileSync(path, other), /is damaged, or a file of another program/],
    [
      'cut',
      (path) => fs.writeFileSync(path, fs.readFileSync(path).subarray(0, 6000)),
      /is damaged/,
    ],
    ['a folder', (path) => (fs.rmSync(path), fs.mkdirSync(path)), /is a link or a folder/],
    [
      'a link',
      (path) => (fs.renameSync(path, `${path}.2`), fs.symlinkSync(`${path}.2`, path)),
      /is a link or a folder/,
    ],
    ['writable by others', (path) => fs.chmodSync(path, 0o666), /others can write to/],
    [
      'of another program',
      (_, state) => changeRecord(state, 'PRAGMA application_id = 7'),
      /a file of another program/,
    ],
    [
      'of a newer svc',
      (_, state) => changeRecord(state, 'PRAGMA user_version = 2'),
      /was written by a newer svc/,
    ],
  ])('%s: exit 2, and nothing is sent', async (_, spoil, words) => {
    const { state, path } = await recorded()
    await spoil(path, state)
    const textNow = () => (fs.statSync(path).isFile() ? fs.readFileSync(path, 'hex') : 'no file')
    const before = textNow()
    for (const line of [deleteOf(...fresh(1)), `${deleteOf(...fresh(1))} --dry-run`])
      expect(await unsent(`${state} ${line}`, 2)).toMatch(words)
    expect((await svc(`${state} runs list`)).code).toBe(2)
    expect(textNow()).toBe(before)
    expect((await svc(`${state} lists list`)).code).toBe(0)
  })

  it('without a package for this platform', async () => {
    const openDatabase = () => Promise.reject(new Error('No native build was found; prebuilds'))
    const host = hostWith({ openDatabase })
    await expect(Database.open(host, ownFolder('state'), { create: true })).rejects.toMatchObject({
      exitCode: 2,
      details: { hint: 'use Node 24' },
    })
  })
})

it('an error of svc is told as it is, whatever its message has', async () => {
  const database = await Database.open(realHost, ownFolder('state'), { create: true })
  const error = usageError('there is no run called prebuilt')
  const fail = () => {
    throw error
  }
  expect(() => database?.read(fail)).toThrow(error)
  database?.close()
})

/** Opens a file of SQLite in which nothing can be written from the n-th transaction on. */
function failing(from: number, errcode: number) {
  let count = 0
  return opening((text) => {
    if (text === 'BEGIN IMMEDIATE') count += 1
    if (text === 'BEGIN IMMEDIATE' && count >= from)
      throw Object.assign(new Error('a fault of the test'), { errcode })
  })
}

it.each([
  [13, 1, 'no space left'],
  [10, 1, 'its disk failed'],
  [11, 1, 'is damaged'],
  [8, 1, 'permission denied'],
  [14, 1, 'cannot be opened: /'],
  [5, 7, 'is locked'],
])(
  'SQLite fails with %i during a run: exit %i, and what is known is told',
  async (code, exit, words) => {
    const state = world.state()
    const ids = fresh(6)
    // Made, begun, and one attempt: the next transaction fails.
    const openDatabase = failing(4, code)
    const line = `${state} BATCHES_OF=2 ${deleteOf(...ids)} --concurrency 1`
    const { summary, stderr } = await bulk(line, { openDatabase })
    expect([summary.exitCode, summary.outcomes]).toEqual([exit, { unknown: 2, 'not-attempted': 4 }])
    expect(stderr).toContain(words)
    const resumed = await bulk(`${state} runs resume ${summary.run} --yes`)
    expect(resumed.summary.outcomes).toEqual({ gone: 2, done: 4 })
  },
)

it('a file that is replaced during a run ends it: nothing more is sent', async () => {
  const state = world.state()
  const path = pathOf(state)
  world.sandbox.setFaults('contacts.delete=delay,before=200ms')
  const line = `${state} BATCHES_OF=2 ${deleteOf(...fresh(6))} --concurrency 1`
  const { ended, sent } = await world.since(async () => {
    const before = world.sandbox.requests.length
    const work = bulk(line)
    await expect.poll(() => world.sandbox.requests.length).toBeGreaterThan(before)
    fs.renameSync(path, `${path}.old`)
    fs.writeFileSync(path, '', { mode: 0o600 })
    return work
  }, 'POST')
  world.sandbox.setFaults()
  expect([ended.code, sent]).toEqual([1, 1])
  expect(ended.stderr).toContain('a repetition would know nothing of what was sent')
})

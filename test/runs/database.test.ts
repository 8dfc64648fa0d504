/** The file of the record: how it is made, and what svc says where it cannot be used. A bulk command without it sends nothing. */
import { chmodSync, copyFileSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Host } from '../../src/host.ts'
import { Database } from '../../src/runs/database.ts'
import { changeRecord, createBulkWorld } from '../support/bulk-world.ts'
import { ownFolder } from '../support/ending.ts'
import { hostWith, realHost } from '../support/real-host.ts'

const world = await createBulkWorld()
const { bulk, fresh, svc, unsent } = world
const deleteOf = (...ids: string[]) => `contacts delete ${ids.join(' ')} --yes`
const pathOf = (state: string) => `${state.replace('SVC_STATE_DIR=', '')}/runs.db`

/** A state folder with a record, and the path of that. */
async function recorded() {
  const [first, state] = [world.state(), world.state()]
  await bulk(`${first} ${deleteOf(...fresh(1))}`)
  // A copy, because this process may have the first one open until statements are collected.
  copyFileSync(pathOf(first), pathOf(state))
  return { state, path: pathOf(state) }
}

it('is whole in one file of mode 0600 when nobody has it open, and has no folder that was not there', async () => {
  const old = process.umask(0)
  const { path } = await recorded()
  process.umask(old)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const copy = join(ownFolder('copy'), 'copy.db')
  copyFileSync(path, copy)
  const database = await realHost.openDatabase(copy)
  const [run] = database.prepare('SELECT id, outcome FROM items').all()
  expect(run?.['outcome']).toBe('done')
  const pragma = (name: string) => database.prepare(`PRAGMA ${name}`).get()?.[name]
  expect([pragma('auto_vacuum'), pragma('user_version'), pragma('journal_mode')]).toEqual([
    1,
    1,
    'wal',
  ])
  database.close()
})

it('is not made by a command that only reads', async () => {
  const state = `${world.state()}/deep`
  const { code, stderr } = await svc(`${state} runs list`)
  expect([code, stderr]).toEqual([0, 'note: no recorded runs\n'])
  expect(() => statSync(pathOf(state))).toThrow('ENOENT')
})

describe('cannot be used', () => {
  const other = 'not a database at all, but a text that somebody has put here\n'.repeat(100)
  it.each<[string, (path: string, state: string) => unknown, RegExp]>([
    ['a text', (path) => writeFileSync(path, other), /is damaged, or a file of another program/],
    ['cut', (path) => writeFileSync(path, readFileSync(path).subarray(0, 6000)), /is damaged/],
    ['a folder', (path) => (rmSync(path), mkdirSync(path)), /is a link or a folder/],
    [
      'a link',
      (path) => (renameSync(path, `${path}.2`), symlinkSync(`${path}.2`, path)),
      /is a link or a folder/,
    ],
    ['writable by others', (path) => chmodSync(path, 0o666), /others can write to/],
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
    const textNow = () => (statSync(path).isFile() ? readFileSync(path, 'hex') : 'no file')
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
    await expect(Database.open(host, ownFolder('state'), 'make')).rejects.toMatchObject({
      exitCode: 2,
      details: { hint: 'use Node 24' },
    })
  })
})

/** A host whose statements of SQLite fail from the n-th on. */
function failing(from: number, errcode: number): Host['openDatabase'] {
  let count = 0
  const check = () => {
    count += 1
    if (count >= from) throw Object.assign(new Error('a fault of the test'), { errcode })
  }
  return async (path) => {
    const real = await realHost.openDatabase(path)
    return {
      exec(text) {
        if (text.startsWith('BEGIN IMMEDIATE')) check()
        real.exec(text)
      },
      prepare: (text) => real.prepare(text),
      close: () => real.close(),
    }
  }
}

it.each([
  [13, 1, 'no space left'],
  [10, 1, 'its disk failed'],
  [11, 1, 'is damaged'],
  [8, 1, 'permission denied'],
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
    renameSync(path, `${path}.old`)
    writeFileSync(path, '', { mode: 0o600 })
    return work
  }, 'POST')
  world.sandbox.setFaults()
  expect([ended.code, sent]).toEqual([1, 1])
  expect(ended.stderr).toContain('a repetition would know nothing of what was sent')
})

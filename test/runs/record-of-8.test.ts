/** A record that svc 8.0.0 wrote: read as it is, and made one of today by the first command that writes. */
import * as fs from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import type { SqlDatabase } from '../../src/host.ts'
import { createBulkWorld, openedRecord } from '../support/bulk-world.ts'
import { ownFolder } from '../support/ending.ts'
import { realHost } from '../support/real-host.ts'
import { root } from '../support/svc.ts'

const { sandbox, svc, bulk } = await createBulkWorld()
const written = fs
  .readFileSync(join(root, 'test/runs/record-of-8.sql'), 'utf8')
  .replaceAll('http://127.0.0.1:4799', sandbox.baseUrl)

let folder = ''
let path = ''
let state = ''
/** The file as svc 8.0 left it, open as it would have it open. */
let old: SqlDatabase

beforeEach(async () => {
  folder = ownFolder('old')
  path = join(folder, 'runs.db')
  state = `SVC_STATE_DIR=${folder}`
  fs.writeFileSync(path, '', { mode: 0o600 })
  old = await realHost.openDatabase(path)
  old.exec('PRAGMA auto_vacuum = FULL; PRAGMA journal_mode = WAL')
  old.exec(written)
  return () => old.close()
})

const closing = 'runs close later --yes'
const idOf = (key: number) =>
  String(old.prepare('SELECT id FROM runs WHERE key = ?').get(key)?.['id'])
const versionNow = () => old.prepare('PRAGMA user_version').get()?.['user_version']

interface OldBatch extends Record<'id' | 'items', string> {
  due: number
  at: number | null
  message: string | null
  outcome: string | null
  outcomes: string | null
}

/** The words of 8.0 in those of today. */
function outcomeOf(outcome: string, due: number) {
  if (outcome === 'unknown' && due === 1) return 'unanswered'
  return { error: 'refused', 'not-attempted': 'not-sent' }[outcome] ?? outcome
}

/** Each run with its receipts: id, outcome, when, and the message if there is one. */
function oldReceipts() {
  const found: Record<string, unknown[]> = {}
  const query = 'SELECT id, b.* FROM batches b JOIN runs ON key = run ORDER BY run, n'
  for (const batch of old.prepare(query).all() as unknown as OldBatch[]) {
    const { id, due, at, message, outcome } = batch
    const outcomes = JSON.parse(batch.outcomes ?? '[]') as string[]
    const time = at === null ? null : new Date(at).toISOString()
    found[id] ??= []
    for (const [n, [item]] of (JSON.parse(batch.items) as [string][]).entries())
      found[id].push([item, outcomeOf(outcome ?? outcomes[n] ?? '', due), time, message])
  }
  return found
}

/** The same, as svc exports them; a reason that only says what the outcome means is none. */
async function receiptsNow(expected: Record<string, unknown[]>) {
  const found: Record<string, unknown[]> = {}
  for (const [run, theirs] of Object.entries(expected)) {
    const { stdout } = await svc(`${state} runs export ${run} --json`)
    found[run] = (JSON.parse(stdout) as Record<string, string>[]).map(
      ({ id, outcome, at, reason }, n) => {
        const [, , , message] = theirs[n] as [string, string, string, string | null]
        return [id, outcome, at, message !== null && reason?.startsWith(message) ? message : null]
      },
    )
  }
  return found
}

it('is read as one of today by commands that only read, and stays as it is', async () => {
  const receipts = oldReceipts()
  const whole = old.prepare('SELECT count(*) AS count FROM runs').get()
  expect(Object.keys(receipts)).toHaveLength(Number(whole?.['count']))
  old.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const bytes = () => [path, `${path}-wal`].map((each) => fs.readFileSync(each, 'hex'))
  const before = bytes()
  expect(await receiptsNow(receipts)).toEqual(receipts)
  for (const [line, code] of [
    ['runs list', 0],
    ['runs show nightly', 7],
    ['doctor', 0],
    ['contacts delete 640000b9d5aad2927b000005 --dry-run', 7],
  ] as const)
    expect([line, (await svc(`${state} ${line}`)).code]).toEqual([line, code])
  expect([versionNow(), bytes()]).toEqual([1, before])
})

it('becomes one of today with the first write, and loses nothing', async () => {
  const receipts = oldReceipts()
  const listBefore = (await svc(`${state} runs list --json`)).stdout
  // A command that fails changes nothing.
  expect((await svc(`${state} runs close nobody --yes`)).code).toBe(1)
  expect(versionNow()).toBe(1)
  expect((await svc(`${state} ${closing}`)).code).toBe(0)
  expect(versionNow()).toBe(2)
  expect(await receiptsNow(receipts)).toEqual(receipts)
  const list = (await svc(`${state} runs list --json`)).stdout
  const others = (text: string) =>
    (JSON.parse(text) as { once: string | null }[]).filter(({ once }) => once !== 'later')
  expect(others(list)).toEqual(others(listBefore))
  const open = old.prepare('SELECT key, open FROM runs WHERE open IS NOT 0 ORDER BY key').all()
  expect(open.map(({ key, open: count }) => `${String(key)}:${String(count)}`).join(' ')).toBe(
    '8:6 10:1 11:4 13:3 15:4 16:4 17:null 18:2',
  )
  // The same tables as in a new file, and keys go on behind that of a run that was removed.
  const fresh = ownFolder('fresh')
  const database = await openedRecord(fresh)
  const made = 'SELECT name, sql FROM sqlite_master ORDER BY name'
  expect(old.prepare(made).all()).toEqual(database.read(() => database.all(made), undefined))
  database.close()
  expect(old.prepare('SELECT * FROM sqlite_sequence').all()).toEqual([{ name: 'runs', seq: 20 }])
  expect(old.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
})

it('has the stops, statuses and exit codes of today', async () => {
  // As after three merges in a row without an answer, with nothing left to send.
  old.exec("UPDATE runs SET stop = 'failures' WHERE key = 10")
  const { stdout } = await svc(`${state} runs list --json`)
  const runs = JSON.parse(stdout) as Record<'run' | 'status', string>[]
  const found: string[] = []
  for (const { run } of runs) {
    const { code, stdout } = await svc(`${state} runs show ${run} --json`)
    const { status, stop, due, once, operation } = JSON.parse(stdout) as Record<string, unknown>
    found.push([once ?? operation, status, stop ?? '-', due, code].join(' '))
  }
  expect(found.toReversed()).toEqual([
    'Add-Job partial - 0 3',
    'lists.add-contacts complete - 0 0',
    'contacts.delete partial - 0 3',
    'tickets.assign partial - 0 3',
    'tickets.assign partial - 0 3',
    'shift partial - 0 3',
    'tickets.assign complete - 0 0',
    'nightly unfinished failures 6 7',
    'contacts.delete complete - 0 0',
    'contacts.merge unfinished - 0 3',
    'lost-merges unfinished failures 1 7',
    'shut closed closed 0 3',
    'contacts.delete unfinished - 3 7',
    'later unfinished wait 4 7',
    'key unfinished not-allowed 4 4',
    'ctrl-c unfinished signal 4 7',
    'killed unfinished signal 3 7',
    'assigns unfinished - 2 7',
    'lists.add-contacts partial - 0 1',
  ])
})

it('has the jobs of today', async () => {
  const { stdout, stderr } = await svc(`${state} runs show ${idOf(3)} --json`)
  expect(JSON.parse(stdout)).toMatchObject({
    target: null,
    input: { read: 4, unique: 3, duplicates: 1, leftOut: 1, withoutId: 1 },
  })
  expect(stderr).not.toContain('left')
  const database = await openedRecord(folder)
  const row = database.read(() => database.get('SELECT job FROM runs WHERE key = 4'), undefined)
  // 8.0 counted twice what the halves of a request added.
  const details = 'SELECT details FROM batches WHERE run IN (1, 2) ORDER BY run'
  const kept = [{ details: null }, { details: '{"added":1,"isLeast":false}' }]
  expect(database.read(() => database.all(details), undefined)).toEqual(kept)
  database.close()
  expect(JSON.parse(String(row?.['job']))).toEqual({
    operation: 'tickets.assign',
    item: 'ticket',
    title: 'tickets.assign "Robin Berg" (6400002876ded2c460000001)',
    target: { id: '6400002876ded2c460000001', name: 'Robin Berg' },
    expected: { id: '6400000376ded2c460000000', name: 'Alice Adams' },
    baseUrl: sandbox.baseUrl,
    profile: null,
    key: 'e88786695f479e52',
    keyEnding: '…x_rw',
    by: 'ada@laptop',
    input: { read: 5, unique: 5, duplicates: 0, leftOut: 0, withoutId: 0 },
  })
})

it('has unfinished runs that are resumed to their end', async () => {
  const contacts = ['00d5aad2927b000000', '4ad5aad2927b000002', '6fd5aad2927b000003']
  contacts.push('b9d5aad2927b000005', 'ded5aad2927b000006')
  const ids = [...contacts.map((each) => `640000${each}`), '64000128d5aad2927b000008']
  const again = await bulk(`${state} lists add-contacts VIP ${ids.join(' ')} --once later --yes`)
  expect([again.summary.begunAt < '2026-11-30', again.summary.outcomes]).toEqual([
    true,
    { done: 6 },
  ])
  // None of these contacts was deleted in this sandbox.
  for (const [run, outcomes] of [
    ['nightly', { done: 8 }],
    ['ctrl-c', { done: 6 }],
    ['killed', { done: 7 }],
    ['lost-merges', { done: 1, unknown: 3 }],
    ['assigns', { done: 4 }],
  ] as const) {
    const { summary } = await bulk(`${state} runs resume ${run} --yes`)
    expect([run, summary.due, summary.outcomes]).toEqual([run, 0, outcomes])
  }
})

it.each([
  ['an id that is open in it', 'contacts delete 6400014dd5aad2927b000009 --yes', 7, 'nightly'],
  ['an id that is unknown in it', 'contacts delete 640011a2d5aad2927b00007a --yes', 2, 'pairs.csv'],
  ['a finished job', 'runs resume Add-Job --yes', 3, 'ended on'],
])('still knows %s', async (_, line, code, words) => {
  const ended = await svc(`${state} ${line}`)
  expect([ended.code, ended.stderr]).toEqual([code, expect.stringContaining(words)])
})

/** A statement of 8.0 before each of its attempts. */
const oldAttempt = 'UPDATE runs SET touched = ? WHERE key = ? AND turn = ? AND working = 1'

it.each([-9, 0, 9])('is left to a svc 8.0 that works in it, touched %i s ago', async (seconds) => {
  const touched = Date.now() - seconds * 1000
  old.exec(`UPDATE runs SET working = 1, ended = NULL, touched = ${touched} WHERE once = 'nightly'`)
  const { code, stderr } = await svc(`${state} ${closing}`)
  expect([code, versionNow()]).toEqual([7, 1])
  expect(stderr).toContain('run nightly is being worked on by svc 8.0, or was killed just now')
  expect((await svc(`${state} runs show nightly --json`)).stdout).toContain('"status": "working"')
})

it.each([-11, 11])('ends a svc 8.0 that was suspended, touched %i s ago', async (seconds) => {
  const touched = Date.now() - seconds * 1000
  old.exec(`UPDATE runs SET touched = ${Date.now()} WHERE working = 0`)
  old.exec(`UPDATE runs SET working = 1, ended = NULL, touched = ${touched} WHERE once = 'nightly'`)
  const statement = old.prepare(oldAttempt)
  expect(statement.run(touched, 8, 1).changes).toBe(1)
  expect((await svc(`${state} ${closing}`)).code).toBe(0)
  expect(() => statement.run(touched, 8, 1)).toThrow('no such column: working')
})

it('is read on by a command that had it open when another changed it', async () => {
  const [reader, writer] = [await openedRecord(folder), await openedRecord(folder)]
  const query = 'SELECT id, stop, machine FROM runs ORDER BY key'
  const read = () => reader.read(() => reader.all(query), undefined)
  const before = read()
  expect(writer.write(() => writer.run('UPDATE runs SET turn = turn + 1'))).toBe(19)
  expect(read()).toEqual(before)
  expect(reader.write(() => reader.all(query))).toEqual(before)
  reader.close()
  writer.close()
})

it('stays as it is when its change fails in the middle', async () => {
  const openDatabase = async (file: string) => {
    const real = await realHost.openDatabase(file)
    const exec = (text: string) => {
      real.exec(text)
      if (text.includes('CREATE TABLE')) throw Object.assign(new Error('full'), { errcode: 13 })
    }
    return { exec, prepare: (text: string) => real.prepare(text), close: () => real.close() }
  }
  const database = await openedRecord(folder, { openDatabase })
  const read = () => database.read(() => database.all('SELECT * FROM runs'), undefined)
  const before = read()
  expect(() => database.write(() => undefined)).toThrow('its disk is full')
  expect([versionNow(), read()]).toEqual([1, before])
  database.close()
})

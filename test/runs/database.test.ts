/** The file of the record: how it is made, and what svc says where it cannot be used. */
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { SqlDatabase } from '../../src/host.ts'
import { Database } from '../../src/runs/database.ts'
import { createBulkWorld } from '../support/bulk-world.ts'
import { changeRecord, openedRecord, opening, type Method } from '../support/record.ts'
import { ownFolder } from '../support/ending.ts'
import { hostWith, realHost } from '../support/real-host.ts'
import { startSvc } from '../support/spawned.ts'

const world = await createBulkWorld()
const { bulk, fresh, svc, unsent, recordIn: pathOf } = world
const deleteOf = (...ids: string[]) => `contacts delete ${ids.join(' ')} --yes`

async function recorded() {
  const [first, state] = [world.state(), world.state()]
  await bulk(`${first} ${deleteOf(...fresh(1))}`)
  // A copy, because this process may have the first one open until statements are collected.
  fs.copyFileSync(pathOf(first), pathOf(state))
  return { state, path: pathOf(state) }
}

const pragmasOf = (database: SqlDatabase, ...names: string[]) =>
  names.map((name) => database.prepare(`PRAGMA ${name}`).get()?.[name])

it('is whole in one file when nobody has it open, or only reads it', async () => {
  const { state, path } = await recorded()
  const reader = await realHost.openDatabase(path)
  reader.exec('BEGIN')
  reader.prepare('SELECT * FROM run').all()
  // Its last act, to empty the -wal file, does not wait for the reader.
  await bulk(`${state} ${deleteOf(...fresh(1))}`)
  reader.exec('COMMIT')
  reader.close()
  await bulk(`${state} ${deleteOf(...fresh(1))}`)
  expect((await svc(`${state} doctor`)).stdout).toMatch(/runs\.db, [\d,]+ bytes, intact\n/)
  const copy = join(ownFolder('copy'), 'copy.db')
  fs.copyFileSync(path, copy)
  const database = await realHost.openDatabase(copy)
  const count = "SELECT count(*) AS done FROM items WHERE outcome = 'done'"
  expect(database.prepare(count).get()).toEqual({ done: 3 })
  expect(pragmasOf(database, 'auto_vacuum', 'user_version')).toEqual([1, 4])
  database.close()
})

it('is synced at each commit, keeps nothing of what was removed, and nobody else can read it', async () => {
  const state = `${world.state()}/deep`
  const folder = state.replace('SVC_STATE_DIR=', '')
  const seen = new Set<string>()
  const openDatabase = opening((_, text, database) => {
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

it('is locked from the beginning of a transaction, so that two that read and then write do not fail', async () => {
  const { path } = await recorded()
  const one = await realHost.openDatabase(path)
  const database = await openedRecord(dirname(path))
  one.exec('PRAGMA busy_timeout = 0')
  expect(() => database.write(() => one.exec('BEGIN IMMEDIATE'))).toThrow('locked')
  one.close()
  database.close()
})

it('is changed to WAL by the first write where it is a copy that VACUUM INTO made', async () => {
  const { path } = await recorded()
  const state = world.state()
  await changeRecord(dirname(path), `VACUUM INTO '${pathOf(state)}'`)
  fs.chmodSync(pathOf(state), 0o600)
  const modeNow = async () => {
    const database = await realHost.openDatabase(pathOf(state))
    const [mode] = pragmasOf(database, 'journal_mode')
    database.close()
    return mode
  }
  expect((await svc(`${state} runs list`)).code).toBe(0)
  expect(await modeNow()).toBe('delete')
  await bulk(`${state} ${deleteOf(...fresh(1))}`)
  expect(await modeNow()).toBe('wal')
})

it('is made once by six first uses at the same moment, one of which is killed', async () => {
  const folder = ownFolder('first')
  const six = Array.from({ length: 6 }, () => openedRecord(folder))
  for (const database of await Promise.all(six)) database.close()
  const state = `${world.state()}/deep`
  const started = fresh(6).map((id) => startSvc(`${state} ${deleteOf(id)}`, { env: world.env }))
  await expect.poll(() => fs.existsSync(pathOf(state)), { interval: 1 }).toBe(true)
  started[0]?.kill('SIGKILL')
  const [, ...others] = await Promise.all(started.map(({ ended }) => ended))
  for (const { code, stderr } of others) {
    expect(stderr).not.toContain('error:')
    expect(code).toBe(0)
  }
  const runs = (await svc(`${state} runs list -o ids`)).stdout.split('\n').length - 1
  expect(runs).toBeGreaterThanOrEqual(5)
})

it('is made by the next command when a first use is killed at any of its steps', async () => {
  let last = 1
  for (let step = 0; step < last; step += 1) {
    const folder = ownFolder('killed')
    let open: SqlDatabase | undefined
    last = 0
    const openDatabase = opening((_, __, database) => {
      open = database
      if ((last += 1) > step) throw new Error('killed')
    })
    await openedRecord(folder, { openDatabase }).catch(() => undefined)
    // As the system does it for a process that is killed.
    caught(() => open?.exec('ROLLBACK'))
    open?.close()
    const database = await openedRecord(folder)
    expect(database.write((sql) => sql.all('SELECT * FROM run'))).toEqual([])
    database.close()
  }
  expect(last).toBeGreaterThan(15)
})

it.each([
  ['runs list', 0],
  ['runs show', 1],
  ['runs close x --yes', 1],
  ['runs remove --older-than 30d --yes', 0],
  ['doctor', 0],
  [`contacts delete ${fresh(1)[0]} --dry-run`, 0],
])('%s makes no record and no folder', async (line, code) => {
  const state = `${world.state()}/deep`
  expect((await svc(`${state} ${line}`)).code).toBe(code)
  expect(fs.existsSync(state.replace('SVC_STATE_DIR=', ''))).toBe(false)
})

const isRoot = process.geteuid?.() === 0
const nobody = 65_534

describe('cannot be used', () => {
  const text = 'not a database at all, but a text that somebody has put here\n'.repeat(100)
  const bytesOf = (path: string) =>
    fs.lstatSync(path).isFile() ? fs.readFileSync(path, 'hex') : 'no file'
  const pragma = (words: string) => (path: string) => changeRecord(dirname(path), `PRAGMA ${words}`)
  const cutTo = (size: number, more: string) => (path: string) => {
    fs.truncateSync(path, size)
    if (more !== '') fs.writeFileSync(`${path}${more}`, '')
  }
  const moved =
    'back up runs.db, runs.db-wal, and runs.db-shm, and try again. If that does not help, move the three away; svc then forgets unfinished runs'
  const damaged = new RegExp(`cannot be used: /.*is damaged, or belongs to another.*${moved}`, 's')
  const foreign = /belongs to another program: \/.*set SVC_STATE_DIR to another state folder/s
  const linked = /cannot be used: \/.*it is a link or a folder, not a regular file/s
  const open = /others can write to.*chmod go-w/s
  const link = (path: string) => {
    fs.renameSync(path, `${path}2`)
    fs.symlinkSync(`${path}2`, path)
  }
  const empty = (path: string) => (fs.truncateSync(path), pragma('application_id = 7')(path))
  it.each<[string, (path: string) => unknown, RegExp]>([
    ['a text', (path) => fs.writeFileSync(path, text), damaged],
    ['cut', cutTo(6000, ''), damaged],
    ['empty beside -wal', cutTo(0, '-wal'), damaged],
    ['empty beside -shm', cutTo(0, '-shm'), damaged],
    ['a folder', (path) => (fs.rmSync(path), fs.mkdirSync(path)), linked],
    ['a link', link, linked],
    ['writable by others', (path) => fs.chmodSync(path, 0o620), open],
    ['of another program', pragma('application_id = 7'), foreign],
    ['of a program without an id', pragma('application_id = 0'), foreign],
    ['of a program without tables', empty, foreign],
    ['of a newer svc', pragma('user_version = 5'), /a newer version of svc wrote the run record/],
    ['of svc 10', pragma('user_version = 2'), /an older version of svc .* only with .* svc 11;/s],
  ])('%s: exit 2 in all commands that need it, and stays as it is', async (_, spoil, words) => {
    const { state, path } = await recorded()
    await spoil(path)
    const before = bytesOf(path)
    const change = deleteOf(...fresh(1))
    for (const line of [change, `${change} --dry-run`, 'runs list', 'runs show', 'doctor'])
      expect(await unsent(`${state} ${line}`, 2)).toMatch(words)
    expect(bytesOf(path)).toBe(before)
    expect((await svc(`${state} lists list`)).code).toBe(0)
  })

  it.runIf(isRoot)('of another user: exit 2, with the owner', async () => {
    const { state, path } = await recorded()
    fs.chownSync(path, nobody, nobody)
    const told = `${path} belongs to another user: number 65534`
    for (const line of [deleteOf(...fresh(1)), 'runs list', 'doctor'])
      expect(await unsent(`${state} ${line}`, 2)).toContain(told)
  })

  it('in a folder in which nothing can be written: exit 2, and never an empty list', async () => {
    const folder = ownFolder('user')
    const path = join(folder, 'runs.db')
    fs.copyFileSync((await recorded()).path, path)
    if (isRoot) for (const each of [folder, path]) fs.chownSync(each, nobody, nobody)
    fs.chmodSync(folder, 0o500)
    const change = deleteOf(...fresh(1))
    const writing = [change, `${change} --dry-run`, 'doctor']
    const options = { env: { ...world.env, HOME: folder }, uid: isRoot ? nobody : undefined }
    for (const place of [folder, `${folder}/deep`])
      for (const line of place === folder ? [...writing, 'runs list'] : writing) {
        const typed = `SVC_STATE_DIR=${place} ${line}`
        const { code, stdout, stderr } = await startSvc(typed, options).ended
        expect([line, code, line === 'doctor' ? '' : stdout]).toEqual([line, 2, ''])
        expect(stderr).toContain(`${place}/runs.db`)
        expect(stderr).toMatch(/readonly database|permission denied/)
      }
    fs.chmodSync(folder, 0o700)
  })

  it('with damage: doctor says so of pages, and no command calls it a bug', async () => {
    const { state, path } = await recorded()
    await changeRecord(state, `UPDATE run SET job = replace(job, ':', ';')`)
    expect(await unsent(`${state} runs list`, 2)).toContain(moved)
    const file = fs.openSync(path, 'r+')
    for (let at = 8192; at < fs.fstatSync(file).size; at += 4096)
      fs.writeSync(file, 'damage'.repeat(600), at)
    fs.closeSync(file)
    for (const line of ['doctor', 'runs list', 'runs show', deleteOf(...fresh(1))])
      expect(await unsent(`${state} ${line}`, 2)).toContain(moved)
  })
})

it('on a drive that is missing, it cannot be written: a root has no folder above it', () => {
  const accessSync = () => {
    throw Object.assign(new Error('ENOENT: no such file or directory, access'), { code: 'ENOENT' })
  }
  const disk = { ...realHost.disk, existsSync: () => false, accessSync }
  const runs = new Database(hostWith({ disk, env: { SVC_STATE_DIR: '/q/svc' } }))
  expect(() => runs.checkWritable()).toThrow(expect.objectContaining({ exitCode: 2 }))
})

it('without the library for this platform: use Node 24', async () => {
  for (const reason of ['No native build was found', 'Cannot find package', 'wrong ELF class']) {
    const openDatabase = () => Promise.reject(new Error(reason))
    const opened = openedRecord(ownFolder('state'), { openDatabase })
    await expect(opened).rejects.toMatchObject({ exitCode: 2, details: { hint: 'use Node 24' } })
  }
})

const damage = 'the file is damaged, or belongs to another program'
/** What SQLite throws: code, text, and the reason that svc gives; none for a lock. */
const failures: [code: number, text: string, exit: number, reason?: string][] = [
  [5, 'database is locked', 7],
  [8, 'attempt to write a readonly database', 2, 'attempt to write a readonly database'],
  [10, 'disk I/O error', 2, 'disk I/O error (the disk may be full)'],
  [11, 'database disk image is malformed', 2, damage],
  [13, 'database or disk is full', 2, 'database or disk is full'],
  [14, 'unable to open database file', 2, 'unable to open database file'],
  [15, 'locking protocol', 7],
  [26, 'file is not a database', 2, damage],
  [1, 'malformed JSON', 2, damage],
  [1, 'no such table: runs', 2, 'no such table: runs'],
]

function caught(work: () => unknown) {
  try {
    work()
    return undefined
  } catch (error) {
    return error
  }
}

describe('an error of SQLite is told in words, and is no defect', () => {
  const asks: Record<Method, (database: Database) => unknown> = {
    exec: (database) => database.read(() => 0, 0),
    prepare: (database) => database.read((sql) => sql.all('SELECT 1'), []),
    all: (database) => database.read((sql) => sql.all('SELECT 2'), []),
    get: (database) => database.read((sql) => sql.get('SELECT 3'), undefined),
    run: (database) => database.read((sql) => sql.change('SELECT 4'), 0),
    close: (database) => database.close(),
  }
  it.each(failures)('%i, %s, in any method: exit %i', async (code, text, exit, reason) => {
    // `all` of the package gives no code.
    for (const shape of [{ errcode: code }, { errcode: code + 256 }, {}]) {
      const error = Object.assign(new Error(text), { code: 'ERR_SQLITE_ERROR', ...shape })
      let failing: Method | undefined
      const openDatabase = opening((method) => {
        if (method === failing) throw error
      })
      const folder = ownFolder('state')
      const database = await openedRecord(folder, { openDatabase })
      const path = `${folder}/runs.db`
      const what = 'another process is using the run record, or was suspended while using it'
      const told = {
        exitCode: exit,
        message: `${reason === undefined ? what : 'the run record cannot be used'}: ${path}`,
        details: reason === undefined ? { isLocked: true } : { lines: [reason] },
      }
      const thrown = Object.entries(asks).map(([method, ask]) => {
        failing = method as Method
        const found = caught(() => ask(database))
        failing = undefined
        return found
      })
      // All was committed when the file is closed.
      expect(thrown).toMatchObject([told, told, told, told, told, undefined])
      const rejecting = { openDatabase: () => Promise.reject(error) }
      const opened = openedRecord(folder, rejecting)
      await expect(opened).rejects.toMatchObject(told)
    }
  })

  const begun = 'INSERT INTO run (id, job, begun, turn, taken) VALUES'
  const large = `${begun} (1, zeroblob(90000), 0, 0, 0) RETURNING id`
  it.each([
    ['attempt to write a readonly database', 'query_only = 1', 'DELETE FROM run RETURNING id'],
    ['database or disk is full', 'max_page_count = 1', large],
    [damage, 'temp_store = 0', "SELECT json_extract('{', '$')"],
  ])('%s: the library of this Node says so in each method', async (reason, pragma, text) => {
    const database = await openedRecord(ownFolder('state'))
    database.read((sql) => sql.get(`PRAGMA ${pragma}`), undefined)
    for (const method of ['all', 'get', 'change'] as const)
      expect(caught(() => database.read((sql) => sql[method](text), 0))).toMatchObject({
        details: { lines: [reason] },
      })
    database.close()
  })
})

it('a file that is replaced during a run ends it: nothing more is sent', async () => {
  const state = world.state()
  const path = pathOf(state)
  const openDatabase = opening((_, text) => {
    // Behind the transaction of the first attempt.
    if (text.startsWith('UPDATE batch') && fs.existsSync(path)) fs.renameSync(path, `${path}.old`)
  })
  const line = `${state} BATCHES_OF=2 ${deleteOf(...fresh(6))} --concurrency 1`
  const { ended, sent } = await world.since(() => svc(line, { openDatabase }), 'POST')
  expect([ended.code, sent]).toEqual([1, 1])
  expect(ended.stderr).toContain('svc will not know what it already sent')
  expect(ended.stderr).not.toContain('svc runs resume')
})

import { DatabaseSync } from '@photostructure/sqlite'
import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { SqlDatabase } from '../../src/host.ts'
import { Locks } from '../../src/runs/locks.ts'
import { ownFolder } from '../support/ending.ts'
import { hostWith, realHost } from '../support/real-host.ts'

function folderWithLocks() {
  const record = join(ownFolder('locks'), 'runs.db')
  return { record, first: `${record}-lock1` }
}
const locksOf = (record: string, host = realHost) => new Locks(host, record)

it('two commands have two locks, and a lock that was freed is taken again', async () => {
  const { record } = folderWithLocks()
  const [one, two, three] = [locksOf(record), locksOf(record), locksOf(record)]
  expect([await one.acquire(), await two.acquire()]).toEqual([1, 2])
  expect([await three.isInUse(1), await three.isInUse(2), await three.isInUse(3)]).toEqual([
    true,
    true,
    false,
  ])
  one.close()
  expect([await three.isInUse(1), await three.acquire()]).toEqual([false, 1])
  for (const each of [two, three]) each.close()
  const files = fs.readdirSync(join(record, '..'))
  expect(files.toSorted()).toEqual(['runs.db-lock1', 'runs.db-lock2'])
  for (const name of files)
    expect(fs.statSync(join(record, '..', name))).toMatchObject({ size: 0, mode: 0o100600 })
})

it('readers at one moment never seem to have a lock', async () => {
  const { record, first } = folderWithLocks()
  fs.writeFileSync(first, '', { mode: 0o600 })
  const looks = Array.from({ length: 8 }, () => locksOf(record).isInUse(1))
  expect(new Set(await Promise.all(looks))).toEqual(new Set([false]))
})

const isRoot = process.geteuid?.() === 0
const planted: Readonly<Record<string, (path: string) => unknown>> = {
  'a folder': (path) => fs.mkdirSync(path),
  'a pipe': (path) => execFileSync('mkfifo', [path]),
  'a link': (path) => {
    fs.writeFileSync(`${path}-other`, '', { mode: 0o600 })
    fs.symlinkSync(`${path}-other`, path)
  },
  'a link to nothing': (path) => fs.symlinkSync(`${path}-nothing`, path),
  'a file with something in it': (path) => fs.writeFileSync(path, 'a text', { mode: 0o600 }),
  'a database of another program': async (path) => {
    const database = await realHost.openDatabase(path)
    database.exec('CREATE TABLE own (a)')
    database.close()
    fs.chmodSync(path, 0o600)
  },
  'a file that others can write': (path) => {
    fs.writeFileSync(path, '')
    fs.chmodSync(path, 0o666)
  },
  'a file of another user': (path) => {
    fs.writeFileSync(path, '', { mode: 0o600 })
    if (isRoot) fs.chownSync(path, 65_534, 65_534)
    else fs.chmodSync(path, 0o666)
  },
}
it.each(Object.entries(planted))('%s is passed over, and left as it is', async (_, plant) => {
  const { record, first } = folderWithLocks()
  await plant(first)
  const shown = () => fs.readdirSync(join(record, '..')).filter((name) => name !== 'runs.db-lock2')
  const before = [shown(), fs.lstatSync(first).mode]
  const locks = locksOf(record)
  expect(await locks.acquire()).toBe(2)
  expect([shown(), fs.lstatSync(first).mode]).toEqual(before)
  await expect(locks.isInUse(1)).rejects.toMatchObject({ exitCode: 2 })
  locks.close()
})

const ReadOnly = DatabaseSync as unknown as new (path: string, options: object) => SqlDatabase
it('a lock that can only be read, and so excludes nobody, is not taken', async () => {
  const { record, first } = folderWithLocks()
  fs.writeFileSync(first, '', { mode: 0o600 })
  // As SQLite opens a file of which the system says so.
  const openDatabase: typeof realHost.openDatabase = async (path) =>
    path === first ? new ReadOnly(path, { readOnly: true }) : realHost.openDatabase(path)
  const locks = locksOf(record, hostWith({ openDatabase }))
  expect(await locks.acquire()).toBe(2)
  locks.close()
})

it('where no file can be locked, the reason is told: exit 2', async () => {
  const { record } = folderWithLocks()
  const openDatabase = () => Promise.reject(new Error('EMFILE: too many open files'))
  const taken = locksOf(record, hostWith({ openDatabase })).acquire()
  await expect(taken).rejects.toMatchObject({
    exitCode: 2,
    details: { lines: [expect.stringContaining('too many open files')] },
  })
})

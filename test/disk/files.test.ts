/** Files that are written whole, and folders that are made: what stays, and which error is told. */
import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { checkPlace, makeFolders, replaceWhole, writeWhole } from '../../src/disk/files.ts'
import { ownFolder } from '../support/ending.ts'
import { hostWith, realHost } from '../support/real-host.ts'
import type { Host } from '../../src/host.ts'

async function* broken(message: string) {
  yield Buffer.from('a')
  await Promise.reject(new Error(message))
}

const pieces = [Buffer.from('a\n')]
const { disk } = realHost
const diskWith = (parts: object) => hostWith({ disk: { ...disk, ...parts } })
const stat = (path: string) => fs.statSync(path).mode & 0o777

test('after a failure no draft is left, and the first error is told', async () => {
  const folder = ownFolder('disk')
  const path = join(folder, 'table.csv')
  await expect(writeWhole(realHost, path, broken('no more rows'))).rejects.toThrow('no more rows')
  expect(fs.readdirSync(folder)).toEqual([])
  const rmSync = () => {
    throw new Error('no removal')
  }
  await expect(writeWhole(diskWith({ rmSync }), path, broken('full'))).rejects.toThrow('full')
})

test('a file is for its user alone, on disk before it comes to its place, and there for good after it', async () => {
  const path = join(ownFolder('disk'), 'table.csv')
  const calls: string[] = []
  const writeFile: Host['disk']['promises']['writeFile'] = (file, data, options) => {
    calls.push((options as { flush?: boolean }).flush === true ? 'write and sync' : 'write')
    return disk.promises.writeFile(file, data, options)
  }
  const linkSync: Host['disk']['linkSync'] = (from, to) => {
    calls.push('link')
    disk.linkSync(from, to)
  }
  const fsyncSync: Host['disk']['fsyncSync'] = (file) => {
    calls.push(disk.fstatSync(file).isDirectory() ? 'sync folder' : 'sync file')
    disk.fsyncSync(file)
  }
  const promises = { ...disk.promises, writeFile }
  await writeWhole(diskWith({ linkSync, fsyncSync, promises }), path, pieces)
  expect(calls).toEqual(['write and sync', 'link', 'sync folder'])
  expect([stat(path), fs.readFileSync(path, 'utf8')]).toEqual([0o600, 'a\n'])
})

test('a file that came to be there meanwhile is not replaced', async () => {
  const folder = ownFolder('disk')
  const path = join(folder, 'table.csv')
  const linkSync = (from: string, to: string) => {
    fs.writeFileSync(to, 'theirs')
    disk.linkSync(from, to)
  }
  await expect(writeWhole(diskWith({ linkSync }), path, pieces)).rejects.toMatchObject({
    exitCode: 1,
    message: `"${path}" cannot be written: file already exists`,
    cause: { code: 'EEXIST' },
  })
  expect(() => checkPlace(realHost, path)).toThrow(expect.objectContaining({ exitCode: 2 }))
  expect([fs.readFileSync(path, 'utf8'), fs.readdirSync(folder)]).toEqual(['theirs', ['table.csv']])
})

test.each(['EPERM', 'EISDIR'])(
  'without links (%s) it is copied, not over another',
  async (code) => {
    const folder = ownFolder('disk')
    const path = join(folder, 'table.csv')
    const linkSync = () => {
      throw Object.assign(new Error('no links'), { code })
    }
    const write = () => writeWhole(diskWith({ linkSync }), path, pieces)
    await write()
    await expect(write()).rejects.toMatchObject({ cause: { code: 'EEXIST' } })
    expect([stat(path), fs.readdirSync(folder)]).toEqual([0o600, ['table.csv']])
  },
)

test('a file is replaced whole, whatever a killed command left; a check that fails leaves it', () => {
  const folder = ownFolder('disk')
  const path = join(folder, 'config.json')
  const left = ['config.json.new', `.svc-${'0'.repeat(16)}.part`]
  for (const name of left) fs.writeFileSync(join(folder, name), 'left')
  const check = vi.fn<() => void>()
  for (const text of ['first', 'second']) replaceWhole(realHost, path, text, check)
  expect(check).toHaveBeenCalledTimes(2)
  const fails = () => {
    expect(fs.readFileSync(path, 'utf8')).toBe('second')
    throw new Error('changed')
  }
  expect(() => replaceWhole(realHost, path, 'third', fails)).toThrow('changed')
  expect(fs.readdirSync(folder).toSorted()).toEqual([...left, 'config.json'].toSorted())
  expect([fs.readFileSync(path, 'utf8'), stat(path)]).toEqual(['second', 0o600])
})

test('folders that are missing are made, for this user alone; where there can be none it fails', () => {
  const here = ownFolder('folder')
  fs.chmodSync(here, 0o700)
  const path = join(here, 'a', 'b')
  for (const _ of ['made', 'there']) makeFolders(realHost, path)
  for (const each of [join(here, 'a'), path]) expect(stat(each)).toBe(0o700)
  // Another svc was faster.
  const faster = (folder: string): void => {
    fs.mkdirSync(folder)
    throw Object.assign(new Error('EEXIST'), { code: 'EEXIST' })
  }
  makeFolders(diskWith({ mkdirSync: faster }), `${path}/c`)
  fs.symlinkSync(join(here, 'nothing'), join(path, 'dangling'))
  for (const wrong of [join(path, 'dangling', 'x'), '/proc/svc-cannot-make-this/x'])
    expect(() => makeFolders(realHost, wrong)).toThrow(/^E[A-Z]+: /)
  // A drive of Windows that is missing: its root is no folder, and has none above it.
  const mkdirSync = () => {
    throw new Error('no drive')
  }
  const drive = diskWith({ lstatSync: () => undefined, mkdirSync })
  expect(() => makeFolders(drive, '/x/y')).toThrow('no drive')
})

/** The simulated disk against a real one: the same calls, the same answers and errors. Then what no real one shows on demand. */
import * as fs from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Disk } from '../../src/world.ts'
import { ownFolder } from '../ending.ts'
import { Killed, SimulatedDisk } from './disk.ts'

const names = ['a', 'b', 'd', 'd/a', 'd/e', 'd/e/b', '']
const path = fc.constantFrom(...names)
const flags = fc.constantFrom<(string | number)[]>(
  ...['r', 'w', 'wx', 'wx+', 'a'],
  fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW,
  fs.constants.O_RDWR | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK,
  fs.constants.O_WRONLY | fs.constants.O_APPEND,
  fs.constants.O_WRONLY | fs.constants.O_CREAT,
)
const slot = fc.nat(3)
const bytes = fc.nat(300).map((length) => Buffer.alloc(length, `${length} `))
const position = fc.constantFrom(null, 0, 5, 400)
const options = fc.record({ force: fc.boolean() })

/** Calls, each as the name, the paths in it and what else it takes; by `at` the descriptor that an earlier one opened. */
const call = fc.oneof(
  { weight: 4, arbitrary: fc.record({ name: fc.constant('open'), path, flags, slot }) },
  { weight: 4, arbitrary: fc.record({ name: fc.constant('write'), slot, bytes, position }) },
  { weight: 3, arbitrary: fc.record({ name: fc.constant('read'), slot, position }) },
  fc.record({ name: fc.constantFrom('close', 'fstat'), slot }),
  {
    weight: 4,
    arbitrary: fc.record({
      name: fc.constantFrom(
        ...(['unlink', 'readdir', 'readFile', 'stat', 'lstat', 'access', 'realpath'] as const),
      ),
      path,
    }),
  },
  { weight: 3, arbitrary: fc.record({ name: fc.constantFrom('rename', 'link'), path, to: path }) },
  { weight: 3, arbitrary: fc.record({ name: fc.constant('mkdir'), path }) },
  fc.record({ name: fc.constant('rm'), path, options }),
)
type Call = typeof call extends fc.Arbitrary<infer T> ? T : never

/** The part of a result that can be compared; the rest depends on the machine. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('isFile' in value)) return value
  const { mode, size, nlink } = value as fs.Stats
  const isFolder = (mode & 0o170000) === 0o040000
  return isFolder ? { mode } : { mode, size, nlink }
}

/** Does what is asked as a program would: at once, or waiting, by turns. */
async function answersOf(disk: Disk, folder: string, calls: readonly Call[], waits: boolean) {
  const at = (name: string): string => join(folder, 'w', name)
  const open: (number | undefined)[] = []
  const handles: (fs.promises.FileHandle | undefined)[] = []
  const perform = async (each: Call): Promise<unknown> => {
    const { promises } = disk
    switch (each.name) {
      case 'open': {
        const before = open[each.slot]
        if (before !== undefined) disk.closeSync(before)
        await handles[each.slot]?.close()
        open[each.slot] = handles[each.slot] = undefined
        if (waits) handles[each.slot] = await promises.open(at(each.path), each.flags, 0o640)
        else open[each.slot] = disk.openSync(at(each.path), each.flags, 0o640)
        return 'opened'
      }
      case 'write': {
        const [handle, file] = [handles[each.slot], open[each.slot]]
        if (waits)
          return (await handle?.write(each.bytes, 0, each.bytes.length, each.position))
            ?.bytesWritten
        return file === undefined
          ? undefined
          : disk.writeSync(file, each.bytes, 0, each.bytes.length, each.position)
      }
      case 'read': {
        const into = Buffer.alloc(100)
        const [handle, file] = [handles[each.slot], open[each.slot]]
        if (waits)
          return [
            (await handle?.read(into, 0, 100, each.position))?.bytesRead,
            into.toString('latin1'),
          ]
        return file === undefined
          ? undefined
          : [disk.readSync(file, into, 0, 100, each.position), into.toString('latin1')]
      }
      case 'close':
      case 'fstat': {
        const method = { close: 'close', fstat: 'stat' } as const
        const [handle, file] = [handles[each.slot], open[each.slot]]
        if (each.name === 'close') open[each.slot] = handles[each.slot] = undefined
        if (waits) return handle?.[method[each.name]]()
        return file === undefined ? undefined : disk[`${each.name}Sync`](file)
      }
      case 'rename':
      case 'link':
        return waits
          ? promises[each.name](at(each.path), at(each.to))
          : disk[`${each.name}Sync`](at(each.path), at(each.to))
      case 'mkdir': {
        const made = { mode: 0o750 }
        return waits ? promises.mkdir(at(each.path), made) : disk.mkdirSync(at(each.path), made)
      }
      case 'rm':
        return waits
          ? promises.rm(at(each.path), each.options)
          : disk.rmSync(at(each.path), each.options)
      case 'realpath':
        return disk.realpathSync(at(each.path))
      case 'access':
      case 'lstat':
      case 'readFile':
      case 'readdir':
      case 'stat':
      case 'unlink':
        return waits ? promises[each.name](at(each.path)) : disk[`${each.name}Sync`](at(each.path))
    }
  }
  const answers: unknown[] = []
  for (const each of calls) {
    try {
      answers.push(plain(await perform(each)))
    } catch (error) {
      const { code, errno, syscall, path, dest } = error as NodeJS.ErrnoException & {
        dest?: string
      }
      // Node does these in steps of its own, and names the one that failed; the last versions name the file of a reading too.
      const hasSteps = each.name === 'realpath' || each.name === 'rm' || each.name === 'readFile'
      answers.push(hasSteps ? code : { code, errno, syscall, path, dest })
    }
  }
  for (const file of open) if (file !== undefined) disk.closeSync(file)
  for (const handle of handles) await handle?.close()
  return answers
}

function treeOf(disk: Disk, folder: string): string[] {
  return disk.readdirSync(folder).flatMap((name) => {
    const there = join(folder, name)
    const stats = disk.lstatSync(there)
    return stats.isDirectory()
      ? [there, ...treeOf(disk, there)]
      : [`${there}: ${disk.readFileSync(there, 'latin1')}`]
  })
}

const create = (random = () => 0.5) => new SimulatedDisk({}, random)

test('the same calls have the same answers and errors on the simulated disk and on a real one', async () => {
  const real = ownFolder('disk')
  let number = 0
  const sequences = fc.array(call, { minLength: 5, maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(sequences, fc.boolean(), async (calls, waits) => {
      const folder = join(real, String((number += 1)))
      fs.mkdirSync(join(folder, 'w'), { recursive: true })
      const simulated = create()
      simulated.put(join(folder, 'w'), undefined)
      const disk = simulated.as(4711)
      expect(await answersOf(disk, folder, calls, waits)).toEqual(
        await answersOf(fs, folder, calls, waits),
      )
      expect(treeOf(disk, folder)).toEqual(treeOf(fs, folder))
    }),
    { seed: 7, numRuns: 300 },
  )
})

/** Whether a promise is still pending when everything that is ready was done. */
const isPending = (promise: Promise<unknown>): Promise<boolean> =>
  Promise.race([
    promise.then(
      () => false,
      () => false,
    ),
    new Promise<boolean>((resolve) => setImmediate(() => resolve(true))),
  ])

test('a killed process does nothing more, and its earlier writes are there', async () => {
  const disk = create()
  const [one, other] = [disk.as(1), disk.as(2)]
  disk.put('/a', 'whole')
  const handle = await one.promises.open('/a', 'a')
  disk.kill(1)
  expect(() => one.unlinkSync('/a')).toThrow(Killed)
  expect(await isPending(handle.write('more'))).toBe(true)
  expect(await isPending(one.promises.rm('/a'))).toBe(true)
  expect(other.readFileSync('/a', 'utf8')).toBe('whole')
})

test('a process dies before, within or after its nth change', async () => {
  const left = (['before', 'within', 'after'] as const).map((where) => {
    const dead: number[] = []
    const disk = new SimulatedDisk({ onDeath: (id) => dead.push(id) }, () => 0.5)
    const one = disk.as(1)
    const file = one.openSync('/a', 'wx')
    disk.killAt(1, 2, where, 0.5)
    one.writeSync(file, Buffer.from('1234'))
    expect(() => one.writeSync(file, Buffer.from('5678'))).toThrow(Killed)
    expect(dead).toEqual([1])
    return disk.readFile('/a')?.toString()
  })
  expect(left).toEqual(['1234', '123456', '12345678'])
})

test('a power loss leaves what was synced, and of the rest any pages and any names', async () => {
  const found = new Set<string>()
  let state = 7
  const random = (): number => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32
  for (let i = 0; i < 500; i += 1) {
    const disk = create(random)
    const one = disk.as(1)
    const file = await one.promises.open('/journal', 'wx')
    await file.write(Buffer.alloc(5000, 'a'))
    await file.datasync()
    const folder = await one.promises.open('/', 'r')
    await folder.sync()
    await file.write(Buffer.alloc(9000, 'b'))
    one.writeSync(one.openSync('/draft', 'wx'), Buffer.from('draft'))
    one.renameSync('/draft', '/moved')
    disk.losePower()
    expect(() => one.readFileSync('/journal')).toThrow(Killed)
    const journal = disk.readFile('/journal') ?? Buffer.alloc(0)
    expect(journal.length === 5000 || journal.length === 14_000).toBe(true)
    expect(journal.subarray(0, 5000).equals(Buffer.alloc(5000, 'a'))).toBe(true)
    found.add(`tail ${journal.length === 14_000 ? String(journal.includes(0)) : 'gone'}`)
    found.add(
      `names ${disk
        .tree()
        .filter((path) => /draft|moved/.test(path))
        .join()}`,
    )
    found.add(
      `moved ${disk.readFile('/moved')?.toString('latin1').replaceAll('\0', '0') ?? 'none'}`,
    )
  }
  const tails = ['tail false', 'tail gone', 'tail true']
  const names = ['names ', 'names /draft', 'names /moved']
  expect([...found].sort()).toEqual([
    'moved ',
    'moved 00000',
    'moved draft',
    'moved none',
    ...names,
    ...tails,
  ])
})

test('a disk that is full takes what fits, and one that is broken or read-only changes nothing', async () => {
  const disk = create()
  const one = disk.as(1)
  disk.put('/old', '12345')
  const file = one.openSync('/a', 'w')
  disk.bytesLeft = 3
  expect(one.writeSync(file, Buffer.from('12345'))).toBe(3)
  expect(() => one.writeSync(file, Buffer.from('45'))).toThrow(
    expect.objectContaining({ code: 'ENOSPC' }),
  )
  one.unlinkSync('/old')
  expect(one.writeSync(file, Buffer.from('45'))).toBe(2)
  disk.bytesLeft = undefined
  for (const code of ['EIO', 'EROFS'] as const) {
    disk.failure = code
    expect(() => one.writeSync(file, Buffer.from('6'))).toThrow(expect.objectContaining({ code }))
    expect(() => one.renameSync('/a', '/b')).toThrow(expect.objectContaining({ code }))
    expect(one.readFileSync('/a', 'utf8')).toBe('12345')
  }
})

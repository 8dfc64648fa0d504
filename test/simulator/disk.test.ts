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
const bytes = fc.nat(300).map((length) => Buffer.alloc(length, `${length} `))
const position = fc.constantFrom(null, 0, 5, 400)

/** Calls with their words; of a file by `slot`, in which an earlier one opened it. */
const calls = <T extends unknown[]>(weight: number, names: string, words: fc.Arbitrary<T>) => ({
  weight,
  arbitrary: fc.record({ name: fc.constantFrom(...names.split(' ')), slot: fc.nat(3), words }),
})
const call = fc.oneof(
  calls<unknown[]>(4, 'open', fc.tuple(path, flags)),
  calls(
    4,
    'write',
    fc.tuple(bytes, position).map(([some, at]) => [some, 0, some.length, at]),
  ),
  calls(
    3,
    'read',
    position.map((at) => [Buffer.alloc(100), 0, 100, at]),
  ),
  calls(1, 'close fstat', fc.constant([])),
  calls(4, 'unlink readdir readFile stat lstat access realpath', fc.tuple(path)),
  calls(3, 'rename link', fc.tuple(path, path)),
  calls(3, 'mkdir', fc.tuple(path, fc.constant({ mode: 0o750 }))),
  calls(1, 'rm', fc.tuple(path, fc.record({ force: fc.boolean() }))),
)
type Call = typeof call extends fc.Arbitrary<infer T> ? T : never
type Works = Readonly<Record<string, (...words: unknown[]) => unknown>>

/** The part of a result that can be compared; the rest depends on the machine. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('isFile' in value)) return value
  const { mode, size, nlink } = value as fs.Stats
  const isFolder = (mode & 0o170000) === 0o040000
  return isFolder ? { mode } : { mode, size, nlink }
}

/** Does what is asked as a program would: at once, or waiting, by turns. */
async function answersOf(disk: Disk, folder: string, all: readonly Call[], waits: boolean) {
  const at = (name: string): string => join(folder, 'w', name)
  const [atOnce, waiting] = [disk, disk.promises] as unknown as readonly [Works, Works]
  const open = async (name: string, how: string | number) => {
    if (waits) {
      const handle = (await disk.promises.open(at(name), how, 0o640)) as unknown as Works
      return (what: string, ...words: unknown[]) =>
        handle[what === 'fstat' ? 'stat' : what]?.(...words)
    }
    const file = disk.openSync(at(name), how, 0o640)
    return (what: string, ...words: unknown[]) => atOnce[`${what}Sync`]?.(file, ...words)
  }
  const files = new Map<number, Awaited<ReturnType<typeof open>>>()
  const perform = async ({ name, slot, words }: Call): Promise<unknown> => {
    const file = files.get(slot)
    if (name === 'open' || name === 'close') files.delete(slot)
    if (name === 'open') {
      await file?.('close')
      files.set(slot, await open(...(words as [string, string | number])))
      return 'opened'
    }
    // What is read into is new each time.
    const own = words.map((word) => (word instanceof Buffer ? Buffer.from(word) : word))
    if (/^(?:write|read|close|fstat)$/.test(name))
      return [plain(await file?.(name, ...own)), ...own]
    const its = own.map((word) => (typeof word === 'string' ? at(word) : word))
    const isWaiting = waits && name !== 'realpath'
    return plain(await (isWaiting ? waiting[name] : atOnce[`${name}Sync`])?.(...its))
  }
  const answers: unknown[] = []
  for (const each of all) {
    try {
      answers.push(await perform(each))
    } catch (error) {
      const { code, errno, syscall, path, dest } = error as NodeJS.ErrnoException & {
        dest?: string
      }
      // Node does these in steps of its own, and names the one that failed; the last versions name the file of a reading too.
      const hasSteps = each.name === 'realpath' || each.name === 'rm' || each.name === 'readFile'
      answers.push(hasSteps ? code : { code, errno, syscall, path, dest })
    }
  }
  for (const file of files.values()) await file('close')
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
    fc.asyncProperty(sequences, fc.boolean(), async (all, waits) => {
      const folder = join(real, String((number += 1)))
      fs.mkdirSync(join(folder, 'w'), { recursive: true })
      const simulated = create()
      simulated.put(join(folder, 'w'), undefined)
      const disk = simulated.as(4711)
      expect(await answersOf(disk, folder, all, waits)).toEqual(
        await answersOf(fs, folder, all, waits),
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

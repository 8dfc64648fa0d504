import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Lock, LockOptions } from '../../src/bulk/held-lock.ts'
import { takeLock } from '../../src/bulk/lock.ts'
import { describeHolder, lockHolder, type LockHost } from '../../src/bulk/lock-holder.ts'
import type { Identity, Machine } from '../../src/bulk/machine.ts'
import type { SvcError } from '../../src/errors.ts'
import { refusal, temporaryFolder } from '../ids/inputs.ts'
import { elsewhere, here, hostOn, machineWith } from './lock-world.ts'

/** Milliseconds; so a minute is a little more than half a second. */
const second = 10
const what = 'run R'
const processes = new Map([
  [100, '1000'],
  [200, '2000'],
])
const machine = machineWith(processes)
const one = hostOn(machine, 100)
const two = hostOn(machine, 200)
/** The process 100 is gone there. */
const later = hostOn(machineWith(new Map([[200, '2000']])), 200)

let folder: ReturnType<typeof temporaryFolder>
let dir: string
let taken: Lock[]
beforeEach(() => {
  folder = temporaryFolder()
  dir = folder.path
  taken = []
  Object.assign(one.later, { monotonic: 0, wall: 0 })
})
afterEach(async () => {
  vi.restoreAllMocks()
  for (const lock of taken) await lock.release()
  folder.remove()
})

async function take(host: LockHost, options: Partial<LockOptions> = {}): Promise<Lock> {
  const lock = await takeLock(host, dir, { what, second, ...options })
  taken.push(lock)
  return lock
}

/** As a killed process leaves it: not renewed any more, and there. */
async function abandon(host: LockHost): Promise<void> {
  const before = readdirSync(dir)
  const lock = await takeLock(host, dir, { what, second: 3_600_000 })
  expect(lock.lost.aborted).toBe(false)
  expect(readdirSync(dir)).toHaveLength(before.length + 1)
}

function read(name = 'lock'): Record<string, unknown> {
  return JSON.parse(readFileSync(join(dir, name), 'utf8')) as Record<string, unknown>
}

function put(content: string, name = 'lock'): void {
  writeFileSync(join(dir, name), content)
}

const seconds = (count: number): Promise<void> => new Promise((done) => setTimeout(done, count * second))

describe('a lock', () => {
  it('is held until it is released', async () => {
    const lock = await take(one)
    expect(lock.takenOver).toBe(false)
    expect(await lockHolder(two, dir)).toMatchObject({ pid: 100, host: 'web-1', sameMachine: true })
    const error = await refusal(take(two, { run: 'R' }))
    expect(error).toMatchObject({ category: 'local', exitCode: 10, message: 'run R is in use by process 100' })
    expect(error.details).toMatchObject({ hint: 'wait until it ends, or stop it', run: 'R' })
    await lock.release()
    expect(await lockHolder(two, dir)).toBeUndefined()
    expect(readdirSync(dir)).toEqual([])
    await take(two)
  })

  it('is not even taken twice by one process', async () => {
    await take(one)
    expect((await refusal(take(one))).message).toBe('run R is in use by process 100')
  })

  it('of a process that is gone is stale, and nothing stays when the next one releases it', async () => {
    await abandon(one)
    expect(await lockHolder(later, dir)).toBeUndefined()
    await abandon(later)
    const third = hostOn(machineWith(new Map([[300, '3000']])), 300)
    const lock = await take(third)
    expect(lock.takenOver).toBe(false)
    expect(readdirSync(dir)).toHaveLength(3)
    expect(await lockHolder(third, dir)).toMatchObject({ pid: 300 })
    await lock.release()
    expect(readdirSync(dir)).toEqual([])
  })

  it('of a process of the same number that began at another time is stale', async () => {
    await abandon(one)
    const reused = machineWith(new Map([...processes, [100, '9999']]))
    await take(hostOn(reused, 200))
    expect(readdirSync(dir)).toHaveLength(2)
  })

  it('of a process that cannot be seen is held', async () => {
    await abandon(one)
    const blind: Machine = { ...machine, process: () => undefined }
    expect((await refusal(take(hostOn(blind, 200)))).message).toBe('run R is in use by process 100')
  })

  it.each(elsewhere)('of %s is never stale by itself', async (_, change) => {
    await abandon(one)
    const away = hostOn(machineWith(new Map([[200, '2000']]), change), 200)
    expect(await lockHolder(away, dir)).toMatchObject({ pid: 100, host: 'web-1', sameMachine: false })
    const error = await refusal(take(away))
    expect(error.exitCode).toBe(10)
    expect(error.message).toMatch(/^run R is in use by process 100 on "web-1"/)
    expect(error.details.hint).toContain('--take-over')
    expect(readdirSync(dir)).toEqual(['lock'])
  })

  it('says when the host has the same name', async () => {
    await abandon(one)
    const container = hostOn(machineWith(processes, { pidNamespace: 'pid:[4026532500]' }), 200)
    expect((await refusal(take(container))).message).toBe(
      'run R is in use by process 100 on "web-1" (in another container, or before a restart)',
    )
    expect(describeHolder('unreadable')).toBe('an unknown process')
  })

  it.each(['machine', 'host', 'boot', 'pidNamespace'] as const)(
    'whose %s cannot be read equals nothing, another such lock included',
    async (field) => {
      const gone = new Map([[200, '2000']])
      for (const [holder, contender] of [
        [null, null],
        [null, here[field]],
        [here[field], null],
      ]) {
        await abandon(hostOn(machineWith(processes, { [field]: holder }), 100))
        const error = await refusal(take(hostOn(machineWith(gone, { [field]: contender }), 200)))
        expect(error.message).toContain('is in use by process 100')
        folder.remove()
        folder = temporaryFolder()
        dir = folder.path
      }
    },
  )

  it('without /proc: host name, time of boot and number', async () => {
    const bare: Partial<Identity> = { machine: null, boot: null, pidNamespace: null, bootedAt: 1_000_000 }
    await abandon(hostOn(machineWith(processes, bare), 100))
    const gone = new Map([[200, '2000']])
    for (const change of [{ bootedAt: 2_000_000 }, { host: 'web-2' }, { host: null }, { bootedAt: null }]) {
      const away = hostOn(machineWith(gone, { ...bare, ...change }), 200)
      expect((await refusal(take(away))).message).toContain('is in use by process 100')
    }
    const again = { ...bare, bootedAt: 1_000_900 }
    expect((await refusal(take(hostOn(machineWith(processes, again), 200)))).message).toContain('process 100')
    const lock = await take(hostOn(machineWith(gone, again), 200))
    expect(lock.takenOver).toBe(false)
  })
})

describe('what stands in its place', () => {
  const things: Readonly<Record<string, (path: string) => void>> = {
    'a FIFO': (path) => {
      if (spawnSync('sh', ['-c', 'mkfifo "$1"', 'sh', path]).status !== 0) throw new Error('no FIFO could be made')
    },
    'a folder': (path) => mkdirSync(path),
    'a symbolic link': (path) => symlinkSync('/nowhere', path),
    'a symbolic link to a device': (path) => symlinkSync('/dev/zero', path),
    'an empty file': () => put(''),
    'a huge file': () => put(`{"schema":"svc.lock/2",${' '.repeat(5000)}}`),
    'no JSON': () => put('{'),
    'JSON of something else': () => put('[1]'),
    'a lock of a newer svc': () => put('{"schema":"svc.lock/3","counter":"0000000001","pid":1,"token":"ab","since":1}'),
    'a token that leads out of the folder': () => put('{"pid":1,"at":2,"mark":"../../x"}'),
  }

  it.each(Object.entries(things))('%s is refused at once, with its path', async (_, make) => {
    make(join(dir, 'lock'))
    for (const takeOver of [false, true]) {
      const error = await refusal(take(one, { takeOver }))
      expect(error.exitCode).toBe(10)
      expect(error.message).toBe(`the lock of run R cannot be read: ${join(dir, 'lock')}`)
      expect(error.details.hint).toContain('remove that file')
    }
    expect(await lockHolder(one, dir)).toBe('unreadable')
  })

  it('a socket is refused', async () => {
    const server = createServer().listen(join(dir, 'lock'))
    await new Promise((done) => server.once('listening', done))
    expect((await refusal(take(one))).message).toContain('cannot be read')
    await new Promise((done) => server.close(done))
  })

  it('stale locks in a circle are refused', async () => {
    await abandon(one)
    const { token } = read() as { token: string }
    put(readFileSync(join(dir, 'lock'), 'utf8'), `lock.${token}`)
    expect((await refusal(take(later))).message).toContain('cannot be read')
    expect(await lockHolder(later, dir)).toBe('unreadable')
    const other = JSON.stringify({ ...read(), counter: '0000000000', token: 'ab' })
    put(other.replace('"schema"', '"schema"'), `lock.${token}`)
    put(readFileSync(join(dir, 'lock'), 'utf8'), 'lock.ab')
    expect((await refusal(take(later))).message).toContain('cannot be read')
  })

  it('a folder that is not there, or is no folder', async () => {
    const file = folder.file('file', '')
    for (const path of [join(dir, 'none'), file]) {
      const error = await refusal(takeLock(one, path, { what }))
      expect(error.exitCode).toBe(10)
      expect(error.message).toMatch(/^the lock of run R cannot be taken: there is no such/)
    }
    expect(await lockHolder(one, join(dir, 'none'))).toBeUndefined()
    expect(await lockHolder(one, file)).toBe('unreadable')
  })
})

describe('a lock of version 1.0', () => {
  const old = { pid: 100, boot: here.boot, start: '1000', at: 1, mark: 'abcdef' }

  it('of this boot is judged as 1.0 did', async () => {
    put(JSON.stringify(old))
    const error = await refusal(take(two, { takeOver: true }))
    expect(error.message).toBe('run R is locked by process 100 of svc 1.0')
    expect(error.details.hint).toContain(join(dir, 'lock'))
    expect(await lockHolder(two, dir)).toMatchObject({ pid: 100, host: null, sameMachine: false })
    const lock = await take(later)
    expect(readdirSync(dir)).toContain('lock.abcdef')
    await lock.release()
    expect(readdirSync(dir)).toEqual([])
  })

  it.each([{ boot: 'another' }, { boot: null }])('of another boot, or none, is refused: %o', async (change) => {
    put(JSON.stringify({ ...old, ...change }))
    for (const takeOver of [false, true]) {
      expect((await refusal(take(later, { takeOver }))).message).toBe('run R is locked by process 100 of svc 1.0')
    }
    expect(readdirSync(dir)).toEqual(['lock'])
  })

  it('cannot read ours', async () => {
    await take(one)
    // What 1.0 needs of a lock: all of these, or it refuses.
    const { pid, at, mark } = read()
    expect(typeof pid === 'number' && typeof at === 'number' && typeof mark === 'string').toBe(false)
  })
})

describe('a holder', () => {
  it('renews its lock in place', async () => {
    await take(one)
    const before = read()
    await vi.waitFor(() => expect(Number(read()['counter'])).toBeGreaterThan(1), { timeout: 5000 })
    expect({ ...read(), counter: 0 }).toEqual({ ...before, counter: 0 })
  })

  it('pays nothing for a check of a lock that was renewed lately', async () => {
    const lock = await take(one, { second: 1000 })
    folder.remove()
    for (let n = 0; n < 1000; n += 1) expect(lock.check()).toBeUndefined()
    await expect(async () => {
      lock.recheck()
      await lock.check()
    }).rejects.toThrow('the lock of run R is gone')
  })

  it.each(['monotonic', 'wall'] as const)('whose %s clock is 20 s ahead reads its lock', async (clock) => {
    const lock = await take(one, { second: 1000 })
    one.later[clock] = 19_000
    expect(lock.check()).toBeUndefined()
    one.later[clock] = 21_000
    const before = read()['counter']
    await lock.check()
    expect(read()['counter']).not.toBe(before)
    expect(lock.check()).toBeUndefined()
    one.later[clock] = 42_000
    put(JSON.stringify({ ...read(), token: 'ab' }).replace('"schema"', '"schema"'))
    const replaced = readFileSync(join(dir, 'lock'), 'utf8')
    const error = await refusal(Promise.resolve(lock.check()))
    expect(error).toMatchObject({ exitCode: 10, message: 'run R was taken over by process 100' })
    expect(lock.lost.aborted).toBe(true)
    expect(lock.lost.reason).toBe(error)
    expect(() => lock.check()).toThrow(error)
    await lock.release()
    expect(readFileSync(join(dir, 'lock'), 'utf8')).toBe(replaced)
  })

  it('whose clock was set back reads its lock', async () => {
    const lock = await take(one, { second: 1000 })
    one.later.wall = -3_600_000
    expect(lock.check()).toBeInstanceOf(Promise)
  })

  it('reads its lock after a question, and all who ask meanwhile wait for that', async () => {
    const lock = await take(one, { second: 1000 })
    lock.recheck()
    const checks = [lock.check(), lock.check()]
    await new Promise((done) => setImmediate(done))
    lock.recheck()
    checks.push(lock.check())
    expect(checks.every((check) => check instanceof Promise)).toBe(true)
    for (const check of checks) await check
    expect(read()['counter']).toBe('0000000002')
    expect(lock.check()).toBeUndefined()
  })

  it('that was taken over while it stood still learns it without asking', async () => {
    const lock = await take(one)
    const { token } = read() as { token: string }
    put(JSON.stringify({ ...read(), pid: 200, start: '2000' }).replace(token, 'ab'), `lock.${token}`)
    await vi.waitFor(() => expect(lock.lost.aborted).toBe(true), { timeout: 5000 })
    expect((lock.lost.reason as SvcError).message).toBe('run R was taken over by process 200')
    const files = readdirSync(dir)
    await lock.release()
    expect(readdirSync(dir)).toEqual(files)
  })

  it('of a lock that is a FIFO, a link or a folder now loses it, and waits for none', async () => {
    for (const make of [
      (path: string) => mkdirSync(path),
      (path: string) => symlinkSync(folder.file('real', ''), path),
      (path: string) => spawnSync('sh', ['-c', 'mkfifo "$1"', 'sh', path]),
    ]) {
      const lock = await take(one, { second: 1000 })
      folder.remove()
      mkdirSync(dir)
      make(join(dir, 'lock'))
      lock.recheck()
      expect((await refusal(Promise.resolve(lock.check()))).message).toContain('the lock of run R is gone')
      folder.remove()
      mkdirSync(dir)
    }
  })

  it('that releases its lock behind a stale one leaves no moment in which two could take it', async () => {
    await abandon(one)
    const lock = await take(later)
    const third = hostOn(machineWith(new Map([[300, '3000']])), 300)
    const handles = await prototypeOfHandles()
    const stat = handles.stat
    let next: Lock | undefined
    let reads = 0
    // One file is removed and one is there yet.
    vi.spyOn(handles, 'stat').mockImplementation(async function (this: FileHandle) {
      reads += 1
      if (reads === 2) next = await take(third)
      return stat.call(this)
    })
    await lock.release()
    next?.recheck()
    await next?.check()
    expect(next?.lost.aborted).toBe(false)
    expect((await refusal(take(hostOn(third.machine ?? machine, 400)))).message).toContain('process 300')
    await next?.release()
    expect(readdirSync(dir)).toEqual([])
  })

  it('a release that fails is quiet', async () => {
    const lock = await take(one)
    folder.remove()
    await lock.release()
    folder.file('../kept', '')
    mkdirSync(dir)
    const other = await take(one)
    const handles = await prototypeOfHandles()
    vi.spyOn(handles, 'stat').mockRejectedValue(systemError('EIO'))
    await other.release()
    expect(readdirSync(dir)).toEqual(['lock'])
  })
})

function systemError(code: string): Error {
  return Object.assign(new Error(code), { code })
}

async function prototypeOfHandles(): Promise<FileHandle> {
  const file = await open(import.meta.filename)
  await file.close()
  return Object.getPrototypeOf(file) as FileHandle
}

describe('a disk', () => {
  it('that is full for less than 30 s changes nothing', async () => {
    const lock = await take(one, { second: 1000 })
    const write = vi.spyOn(await prototypeOfHandles(), 'write').mockRejectedValue(systemError('ENOSPC'))
    one.later.monotonic = 29_000
    await lock.check()
    await lock.check()
    expect(write).toHaveBeenCalledTimes(2)
    expect(lock.lost.aborted).toBe(false)
    write.mockRestore()
    await lock.check()
    one.later.monotonic = 45_000
    expect(lock.check()).toBeUndefined()
  })

  it('that is full for 30 s is the end', async () => {
    const lock = await take(one, { second: 1000 })
    vi.spyOn(await prototypeOfHandles(), 'write').mockRejectedValue(systemError('ENOSPC'))
    one.later.monotonic = 31_000
    const error = await refusal(Promise.resolve(lock.check()))
    expect(error.exitCode).toBe(10)
    expect(error.message).toBe('the lock of run R could not be renewed for 30 s: ENOSPC')
  })

  it('that is full, seen without any check', async () => {
    const lock = await take(one)
    const write = vi.spyOn(await prototypeOfHandles(), 'write').mockRejectedValue(systemError('ENOSPC'))
    await seconds(20)
    expect(lock.lost.aborted).toBe(false)
    await vi.waitFor(() => expect(lock.lost.aborted).toBe(true), { timeout: 5000 })
    expect(write.mock.calls.length).toBeGreaterThan(2)
  })

  it('that does not answer ends every wait after 30 s', async () => {
    const lock = await take(one)
    vi.spyOn(await prototypeOfHandles(), 'stat').mockReturnValue(new Promise(() => undefined))
    lock.recheck()
    const error = await refusal(Promise.resolve(lock.check()))
    expect(error.message).toBe('the lock of run R could not be renewed for 30 s: the disk does not answer')
    expect(lock.lost.reason).toBe(error)
  })

  it('that fills up while the lock is made leaves nothing behind', async () => {
    vi.spyOn(await prototypeOfHandles(), 'writeFile').mockRejectedValue(systemError('ENOSPC'))
    expect((await refusal(take(one))).message).toBe('the lock of run R cannot be taken: ENOSPC')
    expect(readdirSync(dir)).toEqual([])
  })
})

describe('a take-over', () => {
  const away = hostOn(machineWith(processes, { host: 'web-2', boot: '0'.repeat(36) }), 200)

  it('of a lock that stands still for a minute', async () => {
    await abandon(one)
    const waits: string[] = []
    const began = performance.now()
    const lock = await take(away, { takeOver: true, onWait: (held) => waits.push(describeHolder(held)) })
    expect(performance.now() - began).toBeGreaterThanOrEqual(59 * second)
    expect(waits).toEqual(['process 100 on "web-1"'])
    expect(lock.takenOver).toBe(true)
    expect(await lockHolder(one, dir)).toMatchObject({ host: 'web-2', pid: 200 })
    expect((await refusal(take(one))).message).toBe('run R is in use by process 200 on "web-2"')
    await lock.release()
    expect(readdirSync(dir)).toEqual([])
  })

  it('is remembered by whoever comes after it', async () => {
    await abandon(one)
    const lock = await takeLock(away, dir, { what, second, takeOver: true })
    const after = hostOn(machineWith(new Map([[300, '1']]), { host: 'web-2', boot: '0'.repeat(36) }), 300)
    expect((await take(after)).takenOver).toBe(true)
    await lock.release()
  })

  it('of a free lock, or one that is stale by itself, waits for nothing', async () => {
    const onWait = vi.fn<() => void>()
    await abandon(one)
    const lock = await take(later, { takeOver: true, onWait })
    await lock.release()
    await take(two, { takeOver: true, onWait })
    expect(onWait).not.toHaveBeenCalled()
  })

  it('of a lock that is renewed is refused', async () => {
    const lock = await take(one)
    const error = await refusal(take(away, { takeOver: true }))
    expect(error).toMatchObject({ exitCode: 10, message: 'run R is in use by process 100 on "web-1"' })
    expect(error.details.hint).toContain('it has just renewed its lock')
    lock.recheck()
    await lock.check()
    expect(readdirSync(dir)).toEqual(['lock'])
  })

  it('that waits for a lock which is released meanwhile gets it', async () => {
    const lock = await take(one, { second: 1000 })
    const waiting = take(away, { takeOver: true })
    await seconds(3)
    await lock.release()
    expect((await waiting).takenOver).toBe(false)
  })

  it('of a holder that wakes up at that very moment is given up, and the holder keeps its lock', async () => {
    const lock = await take(one, { second: 1000 })
    const original = read()
    let isAwake = false
    // The time is asked for right before the new lock is made.
    const slow: LockHost = {
      ...away,
      now() {
        if (!isAwake && existsAlone()) {
          isAwake = true
          put(readFileSync(join(dir, 'lock'), 'utf8').replace('"0000000000"', '"0000000001"'))
        }
        return Date.now()
      },
    }
    const error = await refusal(take(slow, { takeOver: true }))
    expect(isAwake).toBe(true)
    expect(error.message).toBe('run R is in use by process 100 on "web-1"')
    expect(readdirSync(dir)).toEqual(['lock'])
    expect({ ...read(), counter: '' }).toEqual({ ...original, counter: '' })
    lock.recheck()
    await lock.check()
  })

  function existsAlone(): boolean {
    return readdirSync(dir).length === 1
  }

  it('ends when it is interrupted, and leaves nothing behind', async () => {
    await abandon(one)
    const stop = new AbortController()
    const waiting = take(away, { takeOver: true, signal: stop.signal })
    await seconds(3)
    const reason = new Error('interrupted')
    stop.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    expect(readdirSync(dir)).toEqual(['lock'])
  })

  it('by five at once succeeds for one', async () => {
    await abandon(one)
    const contenders = [1, 2, 3, 4, 5].map((n) =>
      hostOn(machineWith(new Map([[n, '1']]), { host: `host-${n}`, machine: String(n).repeat(32) }), n),
    )
    const results = await Promise.allSettled(contenders.map((host) => take(host, { takeOver: true })))
    const won = results.filter(({ status }) => status === 'fulfilled')
    expect(won).toHaveLength(1)
    for (const result of results) {
      if (result.status === 'rejected')
        expect((result.reason as SvcError).message).toContain('run R is in use by process')
    }
    for (const lock of taken) {
      lock.recheck()
      await lock.check()
    }
  })
})

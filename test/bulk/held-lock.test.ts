import type { FileHandle } from 'node:fs/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Lock } from '../../src/disk/lock.ts'
import type { SvcError } from '../../src/errors.ts'
import { refusal } from '../input/inputs.ts'
import { LockFolder, hostOn, later, machine, machineWith, one } from './lock-world.ts'
import { fileHandles, systemError } from './recorded.ts'

const folder = new LockFolder()
afterEach(() => {
  vi.restoreAllMocks()
})

describe('a holder', () => {
  it('pays nothing for a check of a lock that was renewed lately', async () => {
    const lock = await folder.take(one)
    folder.remove()
    for (let n = 0; n < 1000; n += 1) expect(lock.check()).toBeUndefined()
    await expect(async () => {
      lock.recheck()
      await lock.check()
    }).rejects.toThrow('the lock of run R is gone')
  })

  it.each(['monotonic', 'wall'] as const)(
    'whose %s clock is 20 s ahead reads its lock',
    async (clock) => {
      const lock = await folder.take(one)
      one.later[clock] = 19_000
      expect(lock.check()).toBeUndefined()
      one.later[clock] = 21_000
      const before = folder.read()['counter']
      await lock.check()
      expect(folder.read()['counter']).not.toBe(before)
      expect(lock.check()).toBeUndefined()
      one.later[clock] = 42_000
      folder.put(JSON.stringify({ ...folder.read(), token: 'ab' }))
      const replaced = folder.text()
      const error = await refusal(Promise.resolve(lock.check()))
      expect(error).toMatchObject({ exitCode: 11, message: 'run R was taken over by process 100' })
      expect(lock.lost.aborted).toBe(true)
      expect(lock.lost.reason).toBe(error)
      expect(() => lock.check()).toThrow(error)
      await lock.release()
      expect(folder.text()).toBe(replaced)
    },
  )

  it('whose clock was set back reads its lock', async () => {
    const lock = await folder.take(one)
    one.later.wall = -3_600_000
    expect(lock.check()).toBeInstanceOf(Promise)
  })

  it('reads its lock after a question, and all who ask meanwhile wait for that', async () => {
    const lock = await folder.take(one)
    lock.recheck()
    const checks = [lock.check(), lock.check()]
    await new Promise((done) => setImmediate(done))
    lock.recheck()
    checks.push(lock.check())
    expect(checks.every((check) => check instanceof Promise)).toBe(true)
    for (const check of checks) await check
    expect(folder.read()['counter']).toBe('0000000002')
    expect(lock.check()).toBeUndefined()
  })

  it('that was taken over while it stood still learns it without asking', async () => {
    const lock = await folder.take(one)
    const { token } = folder.read() as { token: string }
    folder.put(
      JSON.stringify({ ...folder.read(), pid: 200, start: '2000' }).replace(token, 'ab'),
      `lock.${token}`,
    )
    one.ring(10)
    await vi.waitFor(() => expect(lock.lost.aborted).toBe(true), { timeout: 60_000 })
    expect((lock.lost.reason as SvcError).message).toBe('run R was taken over by process 200')
    const files = folder.names
    await lock.release()
    expect(folder.names).toEqual(files)
  })

  it('that releases its lock behind a stale one leaves no moment in which two could take it', async () => {
    await folder.abandon(one)
    const lock = await folder.take(later)
    const third = hostOn(machineWith(new Map([[300, '3000']])), 300)
    const handles = await fileHandles()
    const stat = handles.stat
    let next: Lock | undefined
    let reads = 0
    // One file is removed and one is there yet.
    vi.spyOn(handles, 'stat').mockImplementation(async function (this: FileHandle) {
      reads += 1
      if (reads === 2) next = await folder.take(third)
      return stat.call(this)
    })
    await lock.release()
    next?.recheck()
    await next?.check()
    expect(next?.lost.aborted).toBe(false)
    expect((await refusal(folder.take(hostOn(third.place ?? machine, 400)))).message).toContain(
      'process 300',
    )
    await next?.release()
    expect(folder.names).toEqual([])
  })
})

describe('a disk', () => {
  it('that is full for less than 30 s changes nothing', async () => {
    const lock = await folder.take(one)
    const write = vi.spyOn(await fileHandles(), 'write').mockRejectedValue(systemError('ENOSPC'))
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
    const lock = await folder.take(one)
    vi.spyOn(await fileHandles(), 'write').mockRejectedValue(systemError('ENOSPC'))
    one.later.monotonic = 31_000
    const error = await refusal(Promise.resolve(lock.check()))
    expect(error.exitCode).toBe(11)
    expect(error.message).toBe('the lock of run R could not be renewed for 30 s: no space left')
  })

  it('that does not answer ends every wait after 30 s', async () => {
    const lock = await folder.take(one)
    vi.spyOn(await fileHandles(), 'stat').mockReturnValue(new Promise(() => undefined))
    lock.recheck()
    const checking = refusal(Promise.resolve(lock.check()))
    one.ring(30)
    const error = await checking
    expect(error.message).toBe(
      'the lock of run R could not be renewed for 30 s: the disk does not answer',
    )
    expect(lock.lost.reason).toBe(error)
  })
})

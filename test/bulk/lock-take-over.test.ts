import { textOf } from '../../src/message.ts'
import { mkdirSync } from 'node:fs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { takeLock } from '../../src/disk/take.ts'
import { SessionLocks } from '../../src/bulk/sessions/session-locks.ts'
import { describeHolder, findHolder, type LockHost } from '../../src/disk/lock-file.ts'
import { RunStore } from '../../src/bulk/runs/store.ts'
import type { SvcError } from '../../src/errors.ts'
import { nodeHost } from '../../src/host.ts'
import { sleep } from '../../src/world.ts'
import { refusal } from '../input/inputs.ts'
import { LockFolder, hostOn, machineWith, one, processes, what } from './lock-world.ts'

const folder = new LockFolder()
const oneRun = { folderOf: () => folder.path }
afterEach(() => {
  vi.restoreAllMocks()
})

describe('a take-over', () => {
  const away = hostOn(machineWith(processes, { host: 'web-2', boot: '0'.repeat(36) }), 200)

  it('of a lock that stands still for a minute', async () => {
    await folder.abandon(one)
    const waits: string[] = []
    const lock = await folder.take(away, {
      takeOver: true,
      onWait: (held) => waits.push(describeHolder(held)),
    })
    expect(away.later.monotonic).toBe(60_000)
    expect(waits).toEqual(['process 100 on "web-1"'])
    expect(lock.takenOver).toBe(true)
    expect(await findHolder(one, folder.path)).toMatchObject({ host: 'web-2', pid: 200 })
    expect((await refusal(folder.take(one))).message).toBe(
      'run R is in use by process 200 on "web-2"',
    )
    await lock.release()
    expect(folder.names).toEqual([])
  })

  it('after a restart of the machine needs no --take-over: its holder is watched for the minute', async () => {
    await folder.abandon(one)
    const restarted = hostOn(machineWith(processes, { boot: '0'.repeat(36) }), 200)
    const notes: string[] = []
    const session = (host: LockHost) =>
      new SessionLocks(
        {
          host,
          signal: new AbortController().signal,
          note: (message) => notes.push(textOf(message, ({ text }) => text)),
        },
        false,
      )
    const locks = session(restarted)
    await locks.takeRun(oneRun, 'R')
    expect([restarted.later.monotonic, locks.isTakenOver, notes]).toEqual([
      60_000,
      true,
      [
        'process 100 on "web-1" (before a restart) holds the lock, and this machine has restarted since; waiting a minute for a sign of life',
      ],
    ])
    await locks.release()
    await folder.abandon(one)
    const others = [
      { host: 'web-2', boot: '0'.repeat(36) },
      { boot: '0'.repeat(36), machine: 'f'.repeat(32) },
    ]
    for (const other of others) {
      const refused = session(hostOn(machineWith(processes, other), 200)).takeRun(oneRun, 'R')
      expect((await refusal(refused)).exitCode).toBe(11)
    }
  })

  it('of a name and of its run, which one session held, takes one minute', async () => {
    const run = '20260301T101500Z-7f3a'
    const storeOn = (host: LockHost) =>
      new RunStore({ ...nodeHost(process), ...host }, () => folder.path)
    const locked = storeOn(one).folderOf(run)
    const name = 'cleanup'
    mkdirSync(locked, { recursive: true })
    let slept = 0
    const notes: string[] = []
    const { disk, randomBytes } = nodeHost(process)
    const signal = new AbortController().signal
    const session = (host: LockHost, takeOver: boolean) =>
      new SessionLocks(
        { host, signal, note: (message) => notes.push(textOf(message, ({ text }) => text)) },
        takeOver,
      )
    const abandoned = session(one, false)
    await abandoned.takeName(storeOn(one), name)
    await abandoned.takeRun(storeOn(one), run)
    const host = {
      ...away,
      disk,
      randomBytes,
      sleep: (ms: number) => Promise.resolve(void (slept += ms)),
    }
    const store = storeOn(host)
    const locks = session(host, true)
    await locks.takeName(store, name)
    await locks.takeRun(store, run)
    expect([slept, notes.length, locks.isTakenOver]).toEqual([60_000, 1, true])
    await locks.release()
    // The lock of another session is watched by itself.
    await session(one, false).takeName(storeOn(one), name)
    await takeLock(one, locked, { what })
    slept = 0
    const again = session(host, true)
    await again.takeName(store, name)
    await again.takeRun(store, run)
    expect(slept).toBe(120_000)
    await again.release()
  })

  it('of a lock that is renewed is refused', async () => {
    const lock = await folder.take(one)
    const renews = async (): Promise<void> => {
      lock.recheck()
      await lock.check()
    }
    const error = await refusal(folder.take({ ...away, sleep: renews }, { takeOver: true }))
    expect(error).toMatchObject({
      exitCode: 11,
      message: 'run R is in use by process 100 on "web-1"',
    })
    expect(error.details.hint).toContain('it has just renewed its lock')
    lock.recheck()
    await lock.check()
    expect(folder.names).toEqual(['lock'])
  })

  it('of a holder that wakes up at that very moment is given up, and the holder keeps its lock', async () => {
    const lock = await folder.take(one)
    const original = folder.read()
    let isAwake = false
    // The time is asked for right before the new lock is made.
    const slow: LockHost = {
      ...away,
      now() {
        if (!isAwake && existsAlone()) {
          isAwake = true
          folder.put(folder.text().replace('"0000000000"', '"0000000001"'))
        }
        return Date.now()
      },
    }
    const error = await refusal(folder.take(slow, { takeOver: true }))
    expect(isAwake).toBe(true)
    expect(error.message).toBe('run R is in use by process 100 on "web-1"')
    expect(folder.names).toEqual(['lock'])
    expect({ ...folder.read(), counter: '' }).toEqual({ ...original, counter: '' })
    lock.recheck()
    await lock.check()
  })

  function existsAlone(): boolean {
    return folder.names.length === 1
  }

  it('by five at once succeeds for one', async () => {
    await folder.abandon(one)
    const contenders = [1, 2, 3, 4, 5].map((n) =>
      hostOn(
        machineWith(new Map([[n, '1']]), { host: `host-${n}`, machine: String(n).repeat(32) }),
        n,
      ),
    )
    // Whoever has it renews it while the others look.
    const look = (ms: number): Promise<void> => {
      for (const host of contenders) host.ring(Math.floor(ms / 1000))
      return sleep(5)
    }
    const takers = contenders.map((host) => ({ ...host, sleep: look }))
    const results = await Promise.allSettled(
      takers.map((host) => folder.take(host, { takeOver: true })),
    )
    const won = results.filter(({ status }) => status === 'fulfilled')
    expect(won).toHaveLength(1)
    const lost = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as SvcError] : [],
    )
    for (const { message } of lost) expect(message).toContain('run R is in use by process')
    for (const lock of folder.taken) {
      lock.recheck()
      await lock.check()
    }
  })
})

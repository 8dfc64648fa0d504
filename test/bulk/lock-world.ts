/** Machines that do not exist, for the tests of locks: what decides is what a process can read of the machine it runs on. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import type { Lock, LockOptions } from '../../src/disk/lock.ts'
import { takeLock } from '../../src/disk/take.ts'
import type { LockHost } from '../../src/disk/lock-file.ts'
import { identityOf, type Place } from '../../src/disk/place.ts'
import { nodeHost } from '../../src/host.ts'
import { sleep } from '../../src/world.ts'
import { temporaryFolder } from '../input/inputs.ts'

/** The parts of a place's identity, as a process reads them. */
export const here = {
  host: 'web-1',
  machine: 'a'.repeat(32),
  boot: '3eb6b707-bc95-49a9-a8d4-8c4e2c43d235',
  pidNamespace: 'pid:[4026531836]',
} as const satisfies Readonly<Record<string, string>>
export type Parts = Readonly<Record<keyof typeof here, string | null>>

/** Where the same process would be another one. */
export const elsewhere: readonly (readonly [string, Partial<Parts>])[] = [
  ['another machine id', { machine: 'b'.repeat(32) }],
  ['another host name', { host: 'web-2' }],
  ['another boot', { boot: '00000000-0000-0000-0000-000000000000' }],
  ['another pid namespace', { pidNamespace: 'pid:[4026532500]' }],
]

/** The starts of the processes that run, by their numbers. */
export type Processes = ReadonlyMap<number, string>

export function machineWith(processes: Processes, change: Partial<Parts> = {}): Place {
  const parts: Parts = { ...here, ...change }
  return {
    host: parts.host,
    identity: identityOf(Object.values(parts)),
    process(pid) {
      const start = processes.get(pid)
      return start === undefined ? 'gone' : { start }
    },
  }
}

const { randomBytes, disk, computer } = nodeHost(process)

/** A process of number `pid` on that machine. Its clocks stand still until they are put forward, or it sleeps. */
export interface TestHost extends LockHost {
  readonly later: { monotonic: number; wall: number }
  /** So many seconds pass for the timers of its locks. */
  ring(seconds: number): void
  restart(): void
}

export function hostOn(place: Place, pid: number): TestHost {
  const later = { monotonic: 0, wall: 0 }
  const timers = new Set<() => void>()
  let readings = 0
  return {
    pid,
    platform: 'linux',
    place,
    later,
    now: () => Math.floor(Date.UTC(2026, 2, 1) + later.wall),
    // No two readings are alike, as on a real machine.
    monotonic: () => later.monotonic + (readings += 1) * 1e-6,
    random: Math.random,
    randomBytes,
    disk,
    computer,
    every(_, callback) {
      timers.add(callback)
      return { cancel: () => void timers.delete(callback) }
    },
    isRunning: () => true,
    async sleep(ms, signal) {
      later.monotonic += ms
      later.wall += ms
      // Others go on meanwhile; what is a pause between two attempts is one for them too.
      await sleep(ms < 1000 ? ms : 1, signal)
    },
    ring(seconds) {
      for (let n = 0; n < seconds; n += 1) for (const ring of timers) ring()
    },
    restart() {
      timers.clear()
      Object.assign(later, { monotonic: 0, wall: 0 })
    },
  }
}

export const what = 'run R'

export const processes: Processes = new Map([
  [100, '1000'],
  [200, '2000'],
])
export const machine = machineWith(processes)
export const one = hostOn(machine, 100)
export const two = hostOn(machine, 200)
/** The process 100 is gone there. */
export const later = hostOn(machineWith(new Map([[200, '2000']])), 200)

/** A folder for a lock; a new one for each test. */
export class LockFolder {
  #folder = temporaryFolder()
  taken: Lock[] = []

  constructor() {
    this.#folder.remove()
    beforeEach(() => {
      this.#folder = temporaryFolder()
      this.taken = []
      one.restart()
    })
    afterEach(async () => {
      for (const lock of this.taken) await lock.release()
      this.remove()
    })
  }

  get path(): string {
    return this.#folder.path
  }

  get names(): string[] {
    return readdirSync(this.path)
  }

  remove(): void {
    this.#folder.remove()
  }

  empty(): void {
    this.remove()
    this.#folder = temporaryFolder()
  }

  async take(host: LockHost, options: Partial<LockOptions> = {}): Promise<Lock> {
    const lock = await takeLock(host, this.path, { what, ...options })
    this.taken.push(lock)
    return lock
  }

  /** As a killed process leaves it: there, and not renewed any more. */
  async abandon(host: LockHost): Promise<void> {
    await takeLock(host, this.path, { what })
  }

  text(name = 'lock'): string {
    return readFileSync(join(this.path, name), 'utf8')
  }

  read(name = 'lock'): Record<string, unknown> {
    return JSON.parse(this.text(name)) as Record<string, unknown>
  }

  put(content: string, name = 'lock'): void {
    writeFileSync(join(this.path, name), content)
  }
}

/** Machines that do not exist, for the tests of locks: what decides is what a process can read of the machine it runs on. */
import { sleep } from '../../src/host.ts'
import type { LockHost } from '../../src/bulk/lock-holder.ts'
import type { Identity, Machine } from '../../src/bulk/machine.ts'

export const here: Identity = {
  machine: 'a'.repeat(32),
  host: 'web-1',
  boot: '3eb6b707-bc95-49a9-a8d4-8c4e2c43d235',
  pidNamespace: 'pid:[4026531836]',
  bootedAt: null,
}

/** Where the same process would be another one. */
export const elsewhere: readonly (readonly [string, Partial<Identity>])[] = [
  ['another machine id', { machine: 'b'.repeat(32) }],
  ['another host name', { host: 'web-2' }],
  ['another boot', { boot: '00000000-0000-0000-0000-000000000000' }],
  ['another pid namespace', { pidNamespace: 'pid:[4026532500]' }],
]

/** The starts of the processes that run, by their numbers. */
export type Processes = ReadonlyMap<number, string>

export function machineWith(processes: Processes, change: Partial<Identity> = {}): Machine {
  return {
    ...here,
    ...change,
    process(pid) {
      const start = processes.get(pid)
      return start === undefined ? 'gone' : { start }
    },
  }
}

/** A process of number `pid` on that machine. Its clocks can be put forward. */
export interface TestHost extends LockHost {
  readonly later: { monotonic: number; wall: number }
}

export function hostOn(machine: Machine, pid: number): TestHost {
  const later = { monotonic: 0, wall: 0 }
  return {
    pid,
    platform: 'linux',
    machine,
    later,
    now: () => Date.now() + later.wall,
    monotonic: () => performance.now() + later.monotonic,
    random: Math.random,
    isRunning: () => true,
    sleep,
  }
}

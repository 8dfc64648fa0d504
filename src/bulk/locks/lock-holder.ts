/**
 * Who holds a lock. Its first place is the file `lock`. A stale lock is not removed by the one who takes its place, since two
 * could do so and both go on: the next place is the file `lock.<token of the stale one>`, created exclusively. So places
 * stand in a row, and the owner of the last one holds the lock.
 */
import { join } from 'node:path'
import { systemCode } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { isThere } from '../record/disk.ts'
import { readLockFile, type LockFile, type LockRecord } from './lock-file.ts'
import { isSameMachine, readMachine, type Machine, type MachineHost } from './machine.ts'

/** `machine` stands in for this one. */
export type LockHost = MachineHost & Pick<Host, 'monotonic' | 'random' | 'sleep'> & { readonly machine?: Machine }

export interface HeldBy {
  /** Null when the lock does not tell. */
  readonly host: string | null
  readonly pid: number
  /** Milliseconds since 1970, by the holder's clock. */
  readonly since: number
  /** Of this machine, boot and pid namespace: its number means something here. */
  readonly sameMachine: boolean
  readonly sameHost: boolean
}

/** The last place of the row. */
export interface LastPlace {
  readonly path: string
  readonly found: LockFile
  readonly before: readonly { readonly path: string; readonly token: string }[]
  /** Whether a process before it may still be alive. */
  readonly mayLive: boolean
}

/** Only a process of this very machine, boot and pid namespace can be known to be gone. */
export function isGone(record: LockRecord, machine: Machine): boolean {
  if (!isSameMachine(record, machine)) return false
  const state = machine.process(record.pid)
  if (state === 'gone') return true
  return state !== undefined && state.start !== null && record.start !== null && state.start !== record.start
}

/** Reads the row from its first place to its end. Throws the system's error when a place cannot be known. */
export async function lastPlace(first: string, machine: Machine): Promise<LastPlace> {
  const before: { path: string; token: string }[] = []
  let mayLive = false
  let path = first
  for (;;) {
    const found = await readLockFile(path)
    if (typeof found === 'string') return { path, found, before, mayLive }
    const next = `${first}.${found.token}`
    // A row that leads into itself was not written by svc.
    if (next === path || before.some((place) => place.path === next)) {
      return { path, found: 'unreadable', before, mayLive }
    }
    if (!isGone(found, machine)) {
      if (!isThere(next)) return { path, found, before, mayLive }
      mayLive = true
    }
    before.push({ path, token: found.token })
    path = next
  }
}

export function isHeldBy({ found }: LastPlace, token: string): boolean {
  return typeof found === 'object' && found.token === token
}

export function machineOf(host: LockHost): Machine {
  return host.machine ?? readMachine(host)
}

export function heldBy(record: LockRecord, machine: Machine): HeldBy {
  return {
    host: record.host,
    pid: record.pid,
    since: record.since,
    sameMachine: isSameMachine(record, machine),
    sameHost: record.host !== null && record.host === machine.host,
  }
}

/** `process 4711`, `process 4711 on "host-2"`, `an unknown process`. */
export function describeHolder(held: HeldBy | 'unreadable'): string {
  if (held === 'unreadable') return 'an unknown process'
  if (held.sameMachine || held.host === null) return `process ${held.pid}`
  const where = held.sameHost ? ' (in another container, or before a restart)' : ''
  return `process ${held.pid} on "${held.host}"${where}`
}

/** Who holds the lock in `dir`, if anybody. Takes none, writes nothing. `unreadable`: something is there that is no lock. */
export async function lockHolder(host: LockHost, dir: string): Promise<HeldBy | 'unreadable' | undefined> {
  try {
    // Most runs have none, and reading the machine costs more than this.
    const first = join(dir, 'lock')
    if (!isThere(first)) return undefined
    const machine = machineOf(host)
    const { found } = await lastPlace(first, machine)
    if (typeof found === 'object') return heldBy(found, machine)
    return found === 'none' ? undefined : found
  } catch (error) {
    if (systemCode(error) === undefined) throw error
    return 'unreadable'
  }
}

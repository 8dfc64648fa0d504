/** Which machine this is, and what can be told of the processes on it. */
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname, uptime } from 'node:os'
import { systemCode } from '../../errors.ts'
import type { Host } from '../../host.ts'

/** Where a process runs. Null: it cannot be read, and then equals nothing, another null included. */
export interface Identity extends Readonly<Record<'machine' | 'host' | 'boot' | 'pidNamespace', string | null>> {
  /** In milliseconds since 1970, on systems that have no /proc. */
  readonly bootedAt: number | null
}

/** `start` is in ticks since boot. Undefined: this cannot be seen from here. */
export type ProcessState = { readonly start: string | null } | 'gone' | undefined

export interface Machine extends Identity {
  process(pid: number): ProcessState
}

export type MachineHost = Pick<Host, 'pid' | 'platform' | 'now' | 'isRunning'>

/** By which the time of boot, calculated from two clocks, may differ between two processes. */
const clockTolerance = 10_000

/** Whether two processes see each other under the same numbers: one machine, one boot, one pid namespace. */
export function isSameMachine(one: Identity, other: Identity): boolean {
  if (!isSame(one.host, other.host)) return false
  if (one.bootedAt !== null && other.bootedAt !== null) {
    return Math.abs(one.bootedAt - other.bootedAt) <= clockTolerance
  }
  return (
    isSame(one.machine, other.machine) && isSame(one.boot, other.boot) && isSame(one.pidNamespace, other.pidNamespace)
  )
}

function isSame(one: string | null, other: string | null): boolean {
  return one !== null && one === other
}

export function readMachine(host: MachineHost): Machine {
  const name = hostname()
  const common = { host: name === '' ? null : name }
  if (host.platform !== 'linux' && host.platform !== 'android') {
    return {
      ...common,
      machine: null,
      boot: null,
      pidNamespace: null,
      bootedAt: Math.round(host.now() - uptime() * 1000),
      process: (pid) => (host.isRunning(pid) ? { start: null } : 'gone'),
    }
  }
  return {
    ...common,
    machine: readId('/etc/machine-id', /^[0-9a-f]{32}$/) ?? readId('/var/lib/dbus/machine-id', /^[0-9a-f]{32}$/),
    boot: readId('/proc/sys/kernel/random/boot_id', /^[0-9a-f-]{36}$/),
    pidNamespace: readLink('/proc/self/ns/pid'),
    bootedAt: null,
    process: (pid) => processState(host, pid),
  }
}

function readId(path: string, form: RegExp): string | null {
  try {
    const text = readFileSync(path, 'utf8').trim()
    return form.test(text) ? text : null
  } catch {
    return null
  }
}

function readLink(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    return null
  }
}

function processState(host: MachineHost, pid: number): ProcessState {
  // A new pid namespace can have the /proc of the old one, where this number is another process.
  if (readLink('/proc/self') !== String(host.pid)) return undefined
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch (error) {
    const isAbsent = systemCode(error) === 'ENOENT' || systemCode(error) === 'ESRCH'
    // A /proc that is mounted with hidepid leaves out the processes of other users.
    return isAbsent && !host.isRunning(pid) ? 'gone' : undefined
  }
  // The second field is the command in parentheses and may hold blanks and parentheses of its own.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // Field 3 is the state: a zombie or dead process works on nothing. Field 22 is the start.
  if (fields[0] === 'Z' || fields[0] === 'X') return 'gone'
  return { start: fields[22 - 3] ?? null }
}

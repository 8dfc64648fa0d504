/** Identity of the place where a process runs, as one string: machine, boot and pid namespace. Where two are equal, pids mean the same. */
import { createHash } from 'node:crypto'
import { systemCode } from '../errors.ts'
import type { Host } from '../host.ts'

/** `start` is in ticks since boot. Undefined: this cannot be seen from here. */
export type ProcessState = { readonly start: string | null } | 'gone' | undefined

export interface Place {
  /** Name of the computer, for people. Null when it has none. */
  readonly host: string | null
  /** Null when a part of it cannot be read: it then equals nothing, another null included. */
  readonly identity: string | null
  process(pid: number): ProcessState
}

export type PlaceHost = Pick<Host, 'pid' | 'platform' | 'now' | 'isRunning' | 'disk' | 'computer'>

/** By which the time of boot, calculated from two clocks, may differ between two processes. */
const clockTolerance = 10_000

export function identityOf(parts: readonly (string | null)[]): string | null {
  return parts.includes(null) ? null : parts.join(' ')
}

/** Whether two processes see each other under the same numbers: one machine, one boot, one pid namespace. */
export function isSamePlace(one: string | null, other: string | null): boolean {
  if (one === null || other === null) return false
  const [a, b] = [one, other].map((identity) => /^(.*) booted (\d+)$/.exec(identity))
  if (!a || !b) return one === other
  return a[1] === b[1] && Math.abs(Number(a[2]) - Number(b[2])) <= clockTolerance
}

/** Whether one machine, under one name, has booted between the two. */
export function isOtherBoot(one: string | null, other: string | null): boolean {
  if (one === null || other === null) return false
  const [before = [], now = []] = [one, other].map((identity) => identity.split(' '))
  // Name, machine id, boot id and pid namespace.
  if (before.length !== 4 || now.length !== 4) return false
  return before[0] === now[0] && before[1] === now[1] && before[2] !== now[2]
}

/** Identity of the clock that `host.monotonic` reads: a boot, and a time namespace of it. Without /proc: the computer and the time of its boot. */
export function readUptimeClock(host: PlaceHost): string {
  const { hostname, uptime } = host.computer
  const booted = (): string => `${hostname} booted ${Math.round(host.now() - uptime * 1000)}`
  if (host.platform !== 'linux' && host.platform !== 'android') return booted()
  const boot = readOrNull(() => host.disk.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'))
  // A kernel without time namespaces has one time.
  const time = readOrNull(() => host.disk.readlinkSync('/proc/self/ns/time')) ?? ''
  if (boot === null) return booted()
  return createHash('sha256').update(`${boot.trim()} ${time}`).digest('hex').slice(0, 16)
}

export function readPlace(host: PlaceHost): Place {
  const { hostname, uptime } = host.computer
  const name = hostname === '' ? null : hostname
  if (host.platform !== 'linux' && host.platform !== 'android') {
    const identity = identityOf([name, 'booted', String(Math.round(host.now() - uptime * 1000))])
    return {
      host: name,
      identity,
      process: (pid) => (host.isRunning(pid) ? { start: null } : 'gone'),
    }
  }
  const readId = (path: string, form: RegExp) => {
    const text = readOrNull(() => host.disk.readFileSync(path, 'utf8').trim())
    return text !== null && form.test(text) ? text : null
  }
  const parts = [
    name,
    readId('/etc/machine-id', /^[0-9a-f]{32}$/) ??
      readId('/var/lib/dbus/machine-id', /^[0-9a-f]{32}$/),
    readId('/proc/sys/kernel/random/boot_id', /^[0-9a-f-]{36}$/),
    readOrNull(() => host.disk.readlinkSync('/proc/self/ns/pid')),
  ]
  return { host: name, identity: identityOf(parts), process: (pid) => processState(host, pid) }
}

function readOrNull(read: () => string): string | null {
  try {
    return read()
  } catch {
    return null
  }
}

function processState(host: PlaceHost, pid: number): ProcessState {
  // A new pid namespace can have the /proc of the old one, where this number is another process.
  if (readOrNull(() => host.disk.readlinkSync('/proc/self')) !== String(host.pid)) return undefined
  let stat: string
  try {
    stat = host.disk.readFileSync(`/proc/${pid}/stat`, 'utf8')
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

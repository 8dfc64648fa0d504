/**
 * Identity of the place where a process runs, as one string: machine, boot and pid namespace. Where two are equal, pids mean the same.
 * Locks record it, and compare it when they ask whether their holder still runs. `bulk/record/landing.ts` compares uptimes by it.
 */
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

/** Milliseconds by which the time of boot, calculated from two clocks, may differ between two processes. */
const clockTolerance = 10_000

/** The parts as one string; null when one of them is not known. */
export function identityOf(parts: readonly (string | null)[]): string | null {
  return parts.includes(null) ? null : parts.join(' ')
}

/** Whether two processes see each other under the same numbers: one machine, one boot, one pid namespace. */
export function isSamePlace(one: string | null, other: string | null): boolean {
  if (one === null || other === null) return false
  const bootOfOne = parseBoot(one)
  const bootOfOther = parseBoot(other)
  if (bootOfOne === undefined || bootOfOther === undefined) return one === other
  const isSameHost = bootOfOne.host === bootOfOther.host
  const difference = Math.abs(bootOfOne.time - bootOfOther.time)
  return isSameHost && difference <= clockTolerance
}

/** The parts of an identity without /proc: the name of the computer, and when it booted, in milliseconds since 1970. */
function parseBoot(identity: string): { host: string; time: number } | undefined {
  const match = /^(.*) booted (\d+)$/.exec(identity)
  if (match === null) return undefined
  const [, host = '', time] = match
  return { host, time: Number(time) }
}

/** Whether one machine, under one name, has booted between the two. */
export function isOtherBoot(one: string | null, other: string | null): boolean {
  if (one === null || other === null) return false
  const before = one.split(' ')
  const now = other.split(' ')
  // Name, machine id, boot id and pid namespace.
  if (before.length !== 4 || now.length !== 4) return false
  const isSameName = before[0] === now[0]
  const isSameMachine = before[1] === now[1]
  const isSameBoot = before[2] === now[2]
  return isSameName && isSameMachine && !isSameBoot
}

/** Identity of the clock that `host.monotonic` reads: a boot, and a time namespace of it. Without /proc: the computer and the time of its boot. */
export function readUptimeClock(host: PlaceHost): string {
  const bootId = readBootId(host)
  if (bootId === null) return `${host.computer.hostname} booted ${bootTime(host)}`
  // A kernel without time namespaces has one time.
  const timeNamespace = readOrNull(() => host.disk.readlinkSync('/proc/self/ns/time')) ?? ''
  return `${bootId.trim()} ${timeNamespace}`.trim()
}

/** The system's own id of this boot; null without /proc. */
function readBootId(host: PlaceHost): string | null {
  if (!hasProc(host)) return null
  return readOrNull(() => host.disk.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'))
}

function hasProc({ platform }: PlaceHost): boolean {
  return platform === 'linux' || platform === 'android'
}

/** Milliseconds since 1970, as far as two clocks tell. */
function bootTime(host: PlaceHost): number {
  return Math.round(host.now() - host.computer.uptime * 1000)
}

/** The place of this process. Reads the machine's files; one that cannot be read makes the identity null. */
export function readPlace(host: PlaceHost): Place {
  const { hostname } = host.computer
  const name = hostname === '' ? null : hostname
  if (!hasProc(host)) {
    const booted = String(bootTime(host))
    const identity = identityOf([name, 'booted', booted])
    const process = (pid: number): ProcessState => (host.isRunning(pid) ? { start: null } : 'gone')
    return { host: name, identity, process }
  }
  const readId = (path: string, form: RegExp) => {
    const text = readOrNull(() => host.disk.readFileSync(path, 'utf8').trim())
    return text !== null && form.test(text) ? text : null
  }
  const machineId = /^[0-9a-f]{32}$/
  const machine =
    readId('/etc/machine-id', machineId) ?? readId('/var/lib/dbus/machine-id', machineId)
  const boot = readId('/proc/sys/kernel/random/boot_id', /^[0-9a-f-]{36}$/)
  const pidNamespace = readOrNull(() => host.disk.readlinkSync('/proc/self/ns/pid'))
  return {
    host: name,
    identity: identityOf([name, machine, boot, pidNamespace]),
    process: (pid) => processState(host, pid),
  }
}

/** A text of the machine; null where this user may not read it, or there is none. */
function readOrNull(read: () => string): string | null {
  try {
    return read()
  } catch {
    return null
  }
}

function processState(host: PlaceHost, pid: number): ProcessState {
  const self = readOrNull(() => host.disk.readlinkSync('/proc/self'))
  // A new pid namespace can have the /proc of the old one, where this number is another process.
  if (self !== String(host.pid)) return undefined
  let stat: string
  try {
    stat = host.disk.readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch (error) {
    const code = systemCode(error)
    const isAbsent = code === 'ENOENT' || code === 'ESRCH'
    // A /proc that is mounted with hidepid leaves out the processes of other users.
    return isAbsent && !host.isRunning(pid) ? 'gone' : undefined
  }
  // The second field is the command in parentheses and may hold blanks and parentheses of its own.
  const behind = stat.lastIndexOf(')') + ') '.length
  const fields = stat.slice(behind).split(' ')
  // Field 3 is the state: a zombie or dead process works on nothing. Field 22 is the start.
  const [state] = fields
  if (state === 'Z' || state === 'X') return 'gone'
  return { start: fields[22 - 3] ?? null }
}

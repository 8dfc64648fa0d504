/**
 * The place where a process runs: computer, boot and pid namespace. Where two are the same, a process number means one process, so that it can be
 * known to be gone. `claim.ts` asks.
 */
import * as v from 'valibot'
import { systemCode } from '../errors.ts'
import type { Host } from '../host.ts'

export type PlaceHost = Pick<
  Host,
  'pid' | 'platform' | 'now' | 'isRunning' | 'disk' | 'computer'
>

const Text = v.nullable(v.string())

/** Null: it cannot be read. Without /proc `machine` is empty, and `boot` the time of the boot in milliseconds since 1970. */
export const Place = v.object({ host: Text, machine: Text, boot: Text, pids: Text })
export type Place = v.InferOutput<typeof Place>

/** Milliseconds by which the time of a boot, calculated from two clocks, may differ between two processes. */
const clockTolerance = 10_000

export function comparePlaces(
  one: Place,
  other: Place,
): 'same' | 'other boot' | 'elsewhere' {
  const isSameHost = one.host !== null && one.host === other.host
  const isSameMachine = one.machine !== null && one.machine === other.machine
  const areRead = one.boot !== null && other.boot !== null
  if (!isSameHost || !isSameMachine || !areRead) return 'elsewhere'
  const difference = Math.abs(Number(one.boot) - Number(other.boot))
  if (one.machine === '') return difference <= clockTolerance ? 'same' : 'elsewhere'
  if (one.boot !== other.boot) return 'other boot'
  return one.pids !== null && one.pids === other.pids ? 'same' : 'elsewhere'
}

export function readPlace(host: PlaceHost): Place {
  const name = host.computer.hostname === '' ? null : host.computer.hostname
  if (!hasProc(host)) {
    const boot = Math.round(host.now() - host.computer.uptime * 1000)
    return { host: name, machine: '', boot: String(boot), pids: '' }
  }
  const read = (path: string): string | null => {
    const text = readOrNull(() => host.disk.readFileSync(path, 'utf8').trim())
    return text !== null && /^[0-9a-f-]{32,36}$/.test(text) ? text : null
  }
  return {
    host: name,
    machine: read('/etc/machine-id') ?? read('/var/lib/dbus/machine-id'),
    boot: read('/proc/sys/kernel/random/boot_id'),
    pids: readOrNull(() => host.disk.readlinkSync('/proc/self/ns/pid')),
  }
}

function hasProc({ platform }: PlaceHost): boolean {
  return platform === 'linux' || platform === 'android'
}

/** A text of the machine; null if this user may not read it, or if it does not exist. */
function readOrNull(read: () => string): string | null {
  try {
    return read()
  } catch {
    return null
  }
}

/** When a process of this place started, in ticks since the boot; empty where that cannot be seen. `gone`: there is no such process. */
export function startOf(host: PlaceHost, pid: number): string {
  if (!hasProc(host)) return host.isRunning(pid) ? '' : 'gone'
  const self = readOrNull(() => host.disk.readlinkSync('/proc/self'))
  // A new pid namespace can have the /proc of the old one, where this number is another process.
  if (self !== String(host.pid)) return ''
  let stat: string
  try {
    stat = host.disk.readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch (error) {
    const code = systemCode(error)
    const isAbsent = code === 'ENOENT' || code === 'ESRCH'
    // A /proc that is mounted with hidepid leaves out the processes of other users.
    return isAbsent && !host.isRunning(pid) ? 'gone' : ''
  }
  // The second field is the command in parentheses and may hold spaces and parentheses of its own.
  const behind = stat.lastIndexOf(')') + ') '.length
  const fields = stat.slice(behind).split(' ')
  // Field 3 is the state: a zombie or dead process works on nothing. Field 22 is the start.
  const [state] = fields
  if (state === 'Z' || state === 'X') return 'gone'
  return fields[22 - 3] ?? ''
}

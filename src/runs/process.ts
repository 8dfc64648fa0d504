/**
 * Whether the process that holds a run is gone for certain. A process number means one process only on the same computer, in the same boot and the
 * same namespaces; an unknown value never counts as equal.
 */
import { systemCode } from '../errors.ts'
import type { Host } from '../host.ts'
import type { LineOf } from './lines.ts'

export type ProcessHost = Pick<Host, 'pid' | 'now' | 'isRunning' | 'disk' | 'computer'>

/** What tells one process from all others, as its `session` line says it. */
export type ProcessIdentity = Pick<
  LineOf<'session'>,
  'place' | 'boot' | 'pid' | 'start' | 'host'
>

/** `restarted`: its computer was restarted since, but the file was touched after that. */
export type Life = 'dead' | 'restarted' | 'unknown'

/** The identity of this process. */
export function currentIdentity(host: ProcessHost): ProcessIdentity {
  const { pid, computer } = host
  const parts = [machineId(host), namespaceOf(host, 'pid'), namespaceOf(host, 'time')]
  return {
    place: parts.includes(null) ? null : parts.join(' '),
    boot: readLine(host, '/proc/sys/kernel/random/boot_id'),
    pid,
    start: startOf(host, pid) ?? null,
    host: computer.hostname,
  }
}

/** Whether the process of a session is certainly dead. `touchedAt`: the file's modification time in milliseconds since 1970. */
export function lifeOf(
  host: ProcessHost,
  session: ProcessIdentity,
  touchedAt: number,
): Life {
  const here = currentIdentity(host)
  const { place, boot } = session
  const isSame = place !== null && place === here.place && session.host === here.host
  if (!isSame || boot === null || here.boot === null || session.host === '')
    return 'unknown'
  if (boot !== here.boot) {
    const bootedAt = host.now() - host.computer.uptime * 1000
    return touchedAt < bootedAt ? 'dead' : 'restarted'
  }
  const start = startOf(host, session.pid)
  const isOther = start !== null && session.start !== null && start !== session.start
  return start === undefined || isOther ? 'dead' : 'unknown'
}

function machineId(host: ProcessHost): string | null {
  return readLine(host, '/etc/machine-id') ?? readLine(host, '/var/lib/dbus/machine-id')
}

function namespaceOf({ disk }: ProcessHost, kind: 'pid' | 'time'): string | null {
  return orNull(() => disk.readlinkSync(`/proc/self/ns/${kind}`))
}

/** A line of hexadecimal digits that the system wrote. */
function readLine({ disk }: ProcessHost, path: string): string | null {
  const text = orNull(() => disk.readFileSync(path, 'utf8').trim())
  return text !== null && /^[0-9a-f-]{32,36}$/.test(text) ? text : null
}

/** Null if this user may not read it, or it does not exist. */
function orNull(read: () => string): string | null {
  try {
    return read()
  } catch {
    return null
  }
}

/** When a process started, in ticks since the boot; null where that cannot be seen, undefined if there is no such process. */
function startOf(host: ProcessHost, pid: number): string | null | undefined {
  // A new pid namespace can have the /proc of the old one, where this number is another process.
  if (orNull(() => host.disk.readlinkSync('/proc/self')) !== String(host.pid)) return null
  let stat: string
  try {
    stat = host.disk.readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch (error) {
    const code = systemCode(error)
    const isAbsent = code === 'ENOENT' || code === 'ESRCH'
    // A /proc that is mounted with hidepid leaves out the processes of other users.
    return isAbsent && !host.isRunning(pid) ? undefined : null
  }
  // The second field is the command in parentheses and may hold spaces and parentheses of its own.
  const fields = stat.slice(stat.lastIndexOf(')') + ') '.length).split(' ')
  // Field 3 is the state: a zombie or dead process works on nothing. Field 22 is the start.
  const [state] = fields
  return state === 'Z' || state === 'X' ? undefined : (fields[22 - 3] ?? null)
}

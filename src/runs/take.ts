/**
 * Takes a run: opens its file, finds out whether its holder is alive, claims it, and reads on. At any moment another process
 * may do the same; the order of the `session` lines decides, and the slower one starts over. A process number means one
 * process only on the same computer, in the same boot and the same namespaces; an unknown value never counts as equal.
 */
import { SvcError, systemCode, usageError, recordError } from '../errors.ts'
import { say, svc, type Message } from '../message.ts'
import { RunFile, type FileHost, type FileTools } from './file.ts'
import type { RunLog } from './fold.ts'
import type { LineOf, NewLine } from './lines.ts'
import type { RunPlace } from './names.ts'

/** Milliseconds for which a holder is watched for a sign of life. */
const watchFor = 60_000
/** Milliseconds between two looks at its file. */
const lookEvery = 5_000
/** Milliseconds by which the file's time moves at least, when its holder is alive. */
const shortestTouch = 2_000
/** The longest pause, in milliseconds, before a claim that was too late is made again. */
const longestPause = 100

export interface TakeTools extends FileTools {
  host: FileHost & { random(): number }
  note: (message: Message) => void
  signals: { cancelled: AbortSignal }
}

/** The changes with which a session begins. */
type Changes = Pick<LineOf<'session'>, 'unsure' | 'key' | 'reopen'>

export interface TakeOptions {
  /** A holder that may be alive is watched for a minute. */
  takeOver?: boolean | undefined
  /** Creates the file if there is none. */
  canCreate?: boolean
  /** A run with a damaged head is taken too, to be removed. */
  isToRemove?: boolean
  /** Decides by what is recorded: a run that is only shown is not claimed. Throws what forbids the command. */
  decideToClaim: (log: RunLog) => boolean
}

/** A run file that was read. `isHeld`: this process works on it, and may write. */
export interface TakenRun {
  file: RunFile
  isHeld: boolean
}

/**
 * Undefined if there is no such file. Throws exit 7 when another process holds it, 10 when the disk fails, 2 when this user
 * may not, or for a damaged head.
 */
export async function takeRun(
  tools: TakeTools,
  place: RunPlace,
  options: TakeOptions,
): Promise<TakenRun | undefined> {
  const { host, signals } = tools
  try {
    for (;;) {
      const old = await RunFile.open(tools, place)
      if (old === undefined && options.canCreate !== true) return undefined
      const file = old ?? (await RunFile.open(tools, place, 'new'))
      // Another process has just created or removed it.
      if (file === undefined) continue
      const taken = await takeFile(tools, file, options, old !== undefined)
      if (taken !== undefined) return taken
      await file.close()
      await host.sleep(longestPause * host.random(), signals.cancelled)
    }
  } catch (error) {
    if (signals.cancelled.aborted || systemCode(error) === undefined) throw error
    const { run, path } = place
    throw recordError(`the record of run ${run} cannot be used: ${path}`, error).with({
      run,
    })
  }
}

/** Undefined if somebody else was faster, or the file was pruned. */
async function takeFile(
  tools: TakeTools,
  file: RunFile,
  { takeOver = false, isToRemove = false, decideToClaim }: TakeOptions,
  isOld: boolean,
): Promise<TakenRun | undefined> {
  let isHeld = false
  try {
    await file.readAll()
    const { log } = file
    const isUnsure = await awaitHolder(tools, file, takeOver)
    // A file that is about to be removed is no job any more.
    if (!log.isPruned) {
      if (!isToRemove) checkHead(file)
      if (!decideToClaim(log)) return { file, isHeld: false }
    }
    // The lines of a head that a killed process has written may not be on disk.
    if (isOld && log.recorded === undefined) await file.sync()
    const changes: Changes = isUnsure ? { unsure: true } : {}
    isHeld = (await file.claim([sessionLine(tools.host, log, changes)])) === 'held'
    if (!isHeld) return undefined
    if (!log.isPruned) return { file, isHeld }
    // The process that was about to remove it died.
    await file.remove()
    isHeld = false
    return undefined
  } catch (error) {
    if (isHeld) file.free()
    await file.close()
    throw error
  }
}

/** Creates the file of a new run and claims it with these lines. Undefined if there is one of that id. Throws exit 1. */
export async function createRun(
  tools: TakeTools,
  place: RunPlace,
  head: readonly NewLine[],
): Promise<RunFile | undefined> {
  const { run, path } = place
  let file: RunFile | undefined
  try {
    file = await RunFile.open(tools, place, 'new')
    if (file === undefined) return undefined
    if ((await file.claim([sessionLine(tools.host, file.log, {}), ...head])) === 'held')
      return file
    throw new SvcError('local', `the record of run ${run} is gone: ${path}`, { run })
  } catch (error) {
    await file?.close()
    throw recordError(`run ${run} cannot be recorded: ${path}`, error).with({ run })
  }
}

const sessionLine = (host: FileHost, { sessions }: RunLog, changes: Changes) =>
  ({ t: 'session', ...sessions.claim, ...currentIdentity(host), ...changes }) as const

/** Begins a second session, over this process's first: what was asked is on record only after a yes. Throws 11 and 10. */
export const beginAgain = ({ host }: TakeTools, file: RunFile, changes: Changes) =>
  file.claimAgain(sessionLine(host, file.log, changes))

/** Throws exit 2 for a run whose head is not whole although it may have sent something. */
function checkHead({ log, place: { run, path } }: RunFile) {
  if (!log.isHeadDamaged) return
  throw usageError(
    `run ${run} is damaged: the record of what it was going to send is incomplete; nothing was sent`,
    say`its file is ${path}; to remove it:\n  ${svc`runs prune ${run}`}`,
  )
}

/**
 * Finds out whether the holder is alive, and watches it for a minute if that is not known. Returns whether the run must be
 * taken as `unsure`: its holder may still be alive, or may have sent what is not on record. Throws exit 7.
 */
async function awaitHolder(tools: TakeTools, file: RunFile, takeOver: boolean) {
  const { inForce } = file.log.sessions
  if (inForce === undefined) return false
  const session = inForce.line
  // The `session` line was lost, so there is no process to look for: the run is as good as free.
  if (session === undefined) return true
  const life = lifeOf(tools.host, session, file.touchedAt)
  if (life === 'dead') return false
  const { run } = file.place
  const holder = holderWords(session)
  if (life === 'unknown' && !takeOver) {
    const since = new Date(Math.round(file.touchedAt)).toISOString()
    throw new SvcError(
      'busy',
      `run ${run} is in use by ${holder}, whose last sign of life was at ${since}`,
      {
        hint: 'wait until it ends; if it died, run the command again with --take-over, which waits a minute for a sign of life',
        run,
      },
    )
  }
  tools.note(
    `${holder} may still be working on run ${run}; waiting a minute for a sign of life`,
  )
  await watch(tools, file, holder)
  return true
}

/** `process 4711 on "desk-7"`. */
export function holderWords({ pid, host }: LineOf<'session'>): string {
  return `process ${pid} on "${host}"`
}

/** Waits a minute. Throws exit 7 when the file changes meanwhile. */
async function watch(tools: TakeTools, file: RunFile, holder: string) {
  const { host, signals } = tools
  const { disk } = host
  const { path, run } = file.place
  const before = disk.statSync(path)
  const begun = host.monotonic()
  while (host.monotonic() - begun < watchFor) {
    await host.sleep(lookEvery, signals.cancelled)
    const handle = disk.openSync(path, disk.constants.O_RDONLY | disk.constants.O_NOFOLLOW)
    const now = disk.fstatSync(handle)
    disk.closeSync(handle)
    const isSame = now.size === before.size && now.ino === before.ino
    if (isSame && Math.abs(now.mtimeMs - before.mtimeMs) < shortestTouch) continue
    throw new SvcError('busy', `run ${run} is in use by ${holder}`, {
      hint: 'it is still working; wait until it ends',
      run,
    })
  }
}

type ProcessHost = Pick<FileHost, 'pid' | 'now' | 'isRunning' | 'disk' | 'computer'>

/** What tells one process from all others, as its `session` line says it. */
type ProcessIdentity = Pick<LineOf<'session'>, 'place' | 'boot' | 'pid' | 'start' | 'host'>

/**
 * `restarted`: its computer was restarted since, but the file was touched after that, as by a machine with the same id. Such
 * a holder is watched before its run is taken.
 */
type Life = 'dead' | 'restarted' | 'unknown'

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

/**
 * Whether the process of a session is certainly dead. `touchedAt`: the file's modification time in milliseconds since 1970.
 */
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

/**
 * When a process started, in ticks since the boot; null where that cannot be seen, undefined if there is no such process.
 */
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

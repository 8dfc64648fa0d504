/**
 * A lock as a file: created whole and exclusively, read without ever waiting, renewed in place by its owner alone. A line of JSON. The
 * counter has a fixed place and width, so that renewing it changes ten bytes and nothing else. `take.ts` creates and reads them, and
 * `lock.ts` renews; `runs/store.ts` reads who works on a run.
 *
 * The first place of a lock is the file `lock`. A stale lock is not removed by the one who takes its place, since two could do
 * so and both go on: the next place is the file `lock.<token of the stale one>`, created exclusively. So places stand in a
 * row, and the owner of the last one holds the lock.
 */
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { systemCode } from '../errors.ts'
import type { Host } from '../host.ts'
import { isThere, writeNew } from './whole.ts'
import type { DiskHost } from '../world.ts'
import { isOtherBoot, isSamePlace, readPlace, type Place, type PlaceHost } from './place.ts'

/** `place` stands in for that of this process. */
export type LockHost = PlaceHost &
  Pick<Host, 'monotonic' | 'random' | 'randomBytes' | 'sleep' | 'every'> & {
    readonly place?: Place
  }

/** Reads locks, and takes none. */
export type LockReaderHost = PlaceHost & Pick<LockHost, 'place'>

const Count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const Text = v.fallback(v.nullable(v.string()), null)

const Lock = v.object({
  counter: v.pipe(v.string(), v.transform(Number), Count),
  /** Tells this lock from every other one; it becomes a part of a file's name. */
  token: v.pipe(v.string(), v.regex(/^[0-9a-f]{1,64}$/)),
  host: Text,
  /** Identity of the place where the process runs. */
  identity: Text,
  pid: Count,
  /** Start of the process, in ticks since boot. */
  start: Text,
  /** Milliseconds since 1970, by the holder's clock. */
  since: Count,
})

export type LockMark = v.InferOutput<typeof Lock>

/** `unreadable`: something that is no lock. */
export type LockFile = LockMark | 'none' | 'unreadable'

const head = '{"schema":"svc.lock/3","counter":"'
const digits = 10
const longest = 4096
/** Errors of opening a symbolic link, a folder, a socket or a device. */
const notAFile: ReadonlySet<string | undefined> = new Set([
  'ELOOP',
  'EISDIR',
  'ENXIO',
  'ENODEV',
  'EOPNOTSUPP',
])

function counterText(counter: number): string {
  return String(counter).padStart(digits, '0')
}

function decode(text: string): LockMark | 'unreadable' {
  try {
    if (!text.startsWith(head)) return 'unreadable'
    return v.parse(Lock, JSON.parse(text))
  } catch {
    return 'unreadable'
  }
}

/** Opens what is at `path`, be it a FIFO, without waiting for it. Throws the system's error when it cannot be known. */
async function withLock<T>(
  { disk }: DiskHost,
  path: string,
  mode: 'O_RDONLY' | 'O_RDWR',
  use: (lock: LockFile, file?: FileHandle) => Promise<T> | T,
): Promise<T> {
  let file: FileHandle
  try {
    const { O_NONBLOCK, O_NOFOLLOW } = disk.constants
    const flags = disk.constants[mode] | O_NONBLOCK | O_NOFOLLOW
    file = await disk.promises.open(path, flags)
  } catch (error) {
    const code = systemCode(error)
    if (code === 'ENOENT') return use('none')
    if (notAFile.has(code)) return use('unreadable')
    throw error
  }
  try {
    const stats = await file.stat()
    if (!stats.isFile()) return await use('unreadable')
    const { buffer, bytesRead } = await file.read(Buffer.alloc(longest), 0, longest, 0)
    const text = buffer.toString('utf8', 0, bytesRead)
    return await use(decode(text), file)
  } finally {
    await file.close()
  }
}

export function readLockFile(host: DiskHost, path: string): Promise<LockFile> {
  return withLock(host, path, 'O_RDONLY', (lock) => lock)
}

/**
 * Writes the counter into the lock with this token, through the descriptor by which the token was read: a file that took
 * its place is never touched. Nothing when the lock with this token is not there.
 */
export function renewLockFile(
  host: DiskHost,
  path: string,
  { token, counter }: Pick<LockMark, 'token' | 'counter'>,
) {
  return withLock(host, path, 'O_RDWR', async (lock, file) => {
    if (typeof lock === 'string' || lock.token !== token) return
    await file?.write(counterText(counter), head.length)
    await file?.datasync()
  })
}

/** Creates a lock where there is none. Never a moment with half a lock where hard links are possible. */
export async function createLockFile(
  host: DiskHost,
  path: string,
  { counter, ...rest }: LockMark,
): Promise<void> {
  const draft = `${path}.${rest.token}.new`
  const members = JSON.stringify(rest).slice(1)
  const text = `${head}${counterText(counter)}",${members}\n`
  await writeNew(host, draft, [Buffer.from(text)])
  const unlessThere = (error: unknown): void => {
    if (systemCode(error) !== 'EEXIST') throw error
  }
  try {
    await host.disk.promises.link(draft, path)
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') {
      await writeNew(host, path, [Buffer.from(text)]).catch(unlessThere)
    }
  } finally {
    await host.disk.promises.unlink(draft)
  }
}

export async function removeLockFile(host: DiskHost, path: string, token: string): Promise<void> {
  const lock = await readLockFile(host, path)
  if (typeof lock === 'object' && lock.token === token) await host.disk.promises.unlink(path)
}

/** The last place of the row, and the lock that stands there. */
export interface LastPlace {
  readonly path: string
  readonly lock: LockFile
  readonly before: readonly { readonly path: string; readonly token: string }[]
  /** Whether a process before it may still be alive. */
  readonly mayLive: boolean
}

/** Whether the process is known to be gone: only one of this very machine, boot and pid namespace can be. */
export function isGone(mark: LockMark, here: Place): boolean {
  if (!isSamePlace(mark.identity, here.identity)) return false
  const state = here.process(mark.pid)
  if (state === 'gone') return true
  // Another process has its number now.
  const start = state?.start ?? null
  return start !== null && mark.start !== null && start !== mark.start
}

/** Reads the row from its first place to its end. Throws the system's error when a place cannot be known. */
export async function lastPlace(host: DiskHost, first: string, here: Place): Promise<LastPlace> {
  const before: { path: string; token: string }[] = []
  let mayLive = false
  let path = first
  for (;;) {
    const lock = await readLockFile(host, path)
    if (typeof lock === 'string') return { path, lock, before, mayLive }
    const next = `${first}.${lock.token}`
    // A row that leads into itself was not written by svc.
    const isCircle = next === path || before.some((place) => place.path === next)
    if (isCircle) {
      return { path, lock: 'unreadable', before, mayLive }
    }
    if (!isGone(lock, here)) {
      if (!isThere(host, next)) return { path, lock, before, mayLive }
      mayLive = true
    }
    before.push({ path, token: lock.token })
    path = next
  }
}

/** Whether the lock with this token is the one that counts. */
export function isLast({ lock }: LastPlace, token: string): boolean {
  return typeof lock === 'object' && lock.token === token
}

/** The process that has a lock. */
export interface Holder extends Pick<LockMark, 'host' | 'pid'> {
  /** On this machine, boot and pid namespace: its number means something here. */
  readonly isHere: boolean
  readonly isSameHost: boolean
  /** On this machine before it booted: it is gone, unless two machines are copies of one another. */
  readonly isOtherBoot: boolean
}

export function holderOf({ host, pid, identity }: LockMark, here: Place): Holder {
  const isHere = isSamePlace(identity, here.identity)
  const isSameHost = host !== null && host === here.host
  return {
    host,
    pid,
    isHere,
    isSameHost,
    isOtherBoot: isOtherBoot(identity, here.identity),
  }
}

/** `process 4711`, `process 4711 on "host-2"`, `an unknown process`. */
export function describeHolder(holder: Holder | 'unreadable'): string {
  if (holder === 'unreadable') return 'an unknown process'
  if (holder.isHere || holder.host === null) return `process ${holder.pid}`
  const process = `process ${holder.pid} on "${holder.host}"`
  if (holder.isOtherBoot) return `${process} (before a restart)`
  return holder.isSameHost ? `${process} (in another container)` : process
}

/** The holder of the lock in `dir`, if there is one. Takes none, writes nothing. `unreadable`: something is there that is no lock. */
export async function findHolder(
  host: LockHost,
  dir: string,
): Promise<Holder | 'unreadable' | undefined> {
  try {
    // Most runs have none, and reading the machine costs more than this.
    const first = join(dir, 'lock')
    if (!isThere(host, first)) return undefined
    const here = host.place ?? readPlace(host)
    const { lock } = await lastPlace(host, first, here)
    if (typeof lock === 'object') return holderOf(lock, here)
    return lock === 'none' ? undefined : lock
  } catch (error) {
    if (systemCode(error) === undefined) throw error
    return 'unreadable'
  }
}

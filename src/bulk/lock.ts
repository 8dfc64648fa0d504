/**
 * One process at a time works on a run. The lock is a file created exclusively that says who holds it; it is stale only
 * when that process is gone, which boot id and start time tell from another process of the same number.
 *
 * A stale lock is never removed, since two processes could both do so and both go on: who takes over creates the file
 * `lock.<mark of the stale one>`, exclusively again. Stale files therefore never change, and only one process can
 * hold the first place in the row that is not stale.
 */
import { constants } from 'node:fs'
import { link, open, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileError, fileProblem } from '../errno.ts'
import { SvcError, systemCode } from '../errors.ts'
import type { Host } from '../host.ts'

/** What the lock needs of the host. `isRunning` is asked where there is no /proc. */
export type LockHost = Pick<Host, 'pid' | 'now' | 'random' | 'isRunning'>

export interface Lock {
  release(): Promise<void>
}

interface Holder {
  readonly pid: number
  readonly boot: string | null
  readonly start: string | null
  readonly at: number
  /** Tells this lock from every other one. */
  readonly mark: string
}

function parseHolder(text: string): Holder | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null) return undefined
    const { pid, boot, start, at, mark } = value as Partial<Record<keyof Holder, unknown>>
    if (typeof pid !== 'number' || typeof at !== 'number' || typeof mark !== 'string') return undefined
    if (!/^[0-9a-f]+$/.test(mark)) return undefined
    return {
      pid,
      at,
      mark,
      boot: typeof boot === 'string' ? boot : null,
      start: typeof start === 'string' ? start : null,
    }
  } catch {
    return undefined
  }
}

async function bootId(): Promise<string | null> {
  try {
    return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()
  } catch {
    return null
  }
}

/** `ticks`: since boot, when the process started; `gone` when there is none; undefined when this cannot be seen here. */
async function startOf(pid: number): Promise<{ ticks: string } | 'gone' | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    // The second field is the command in parentheses and may hold blanks and parentheses of its own.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // Field 3 is the state: a zombie or dead process works on nothing.
    if (fields[0] === 'Z' || fields[0] === 'X') return 'gone'
    const ticks = fields[22 - 3]
    return ticks === undefined ? undefined : { ticks }
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' && systemCode(error) !== 'ESRCH') return undefined
  }
  try {
    await readFile('/proc/self/stat', 'utf8')
    return 'gone'
  } catch {
    return undefined
  }
}

async function isGone(host: LockHost, holder: Holder): Promise<boolean> {
  const boot = await bootId()
  if (boot !== null && holder.boot !== null && boot !== holder.boot) return true
  const start = await startOf(holder.pid)
  if (start === 'gone') return true
  if (start !== undefined && holder.start !== null) return start.ticks !== holder.start
  // No /proc: a process of that number counts as the holder.
  return !host.isRunning(holder.pid)
}

/** The file with its whole content, or EEXIST; never a moment with an empty one where links are possible. */
async function createExclusively(path: string, content: string, mark: string): Promise<void> {
  const draft = `${path}.${mark}.new`
  const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY
  const file = await open(draft, flags, 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
  try {
    await link(draft, path)
  } catch (error) {
    const code = systemCode(error)
    if (code === 'EEXIST') throw error
    // A file system without hard links.
    const direct = await open(path, flags, 0o600)
    try {
      await direct.writeFile(content)
      await direct.sync()
    } finally {
      await direct.close()
    }
  } finally {
    await unlink(draft)
  }
}

async function readHolder(path: string): Promise<Holder | 'none' | 'unreadable'> {
  let text: string
  try {
    text = await readFile(path, { encoding: 'utf8', flag: constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) })
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return 'none'
    throw fileError('local', `the lock ${path} cannot be read`, error)
  }
  return parseHolder(text) ?? 'unreadable'
}

/** The first place in the row that is not stale: nobody's, or somebody's. */
async function firstPlace(
  host: LockHost,
  dir: string,
): Promise<{ path: string; holder: Holder | 'none' | 'unreadable' }> {
  let path = join(dir, 'lock')
  for (;;) {
    const holder = await readHolder(path)
    if (holder === 'none' || holder === 'unreadable' || !(await isGone(host, holder))) return { path, holder }
    path = join(dir, `lock.${holder.mark}`)
  }
}

/** The process that works on the run in this folder, if there is one. */
export async function lockHolder(host: LockHost, dir: string): Promise<number | undefined> {
  const { holder } = await firstPlace(host, dir)
  return typeof holder === 'object' ? holder.pid : undefined
}

/**
 * Takes the lock of the run in `dir`. Throws exit 10 when another process holds it, this one included, or when it cannot
 * be written.
 */
export async function takeLock(host: LockHost, dir: string, run: string): Promise<Lock> {
  const own = await startOf(host.pid)
  const start = typeof own === 'object' ? own.ticks : null
  const mark = Math.floor(host.random() * 2 ** 48)
    .toString(16)
    .padStart(12, '0')
  const mine: Holder = { pid: host.pid, boot: await bootId(), start, at: host.now(), mark }
  for (;;) {
    try {
      const { path, holder } = await firstPlace(host, dir)
      if (holder === 'unreadable') {
        throw new SvcError('local', `the lock of run ${run} cannot be read: ${path}`, {
          hint: `when no other svc works on this run, remove that file`,
          run,
        })
      }
      if (holder !== 'none') {
        throw new SvcError('local', `run ${run} is being worked on by process ${holder.pid}`, {
          hint: 'wait until it ends, or stop it',
          run,
        })
      }
      await createExclusively(path, `${JSON.stringify(mine)}\n`, mark)
      return { release: () => releaseLock(path, mark) }
    } catch (error) {
      if (error instanceof SvcError) throw error
      // Somebody else was quicker: look again.
      if (systemCode(error) === 'EEXIST') continue
      throw new SvcError('local', `the lock of run ${run} cannot be written: ${fileProblem(error)}`, {
        run,
        cause: error,
      })
    }
  }
}

async function releaseLock(path: string, mark: string): Promise<void> {
  const holder = await readHolder(path)
  if (typeof holder === 'object' && holder.mark === mark) await unlink(path)
}

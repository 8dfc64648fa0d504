/**
 * Takes a lock: a free one, one whose process is gone, or, with `--take-over`, one that stands still for a minute.
 * `bulk/sessions/session-locks.ts`, `bulk/runs/names.ts` and the verbs that write the configuration call it.
 */
import { join } from 'node:path'
import { keptError } from '../errno.ts'
import { SvcError, systemCode } from '../errors.ts'
import { newToken } from './whole.ts'
import { Lock, readClocks, type Contender, type LockOptions } from './lock.ts'
import {
  createLockFile,
  describeHolder,
  holderOf,
  isGone,
  isLast,
  lastPlace,
  readLockFile,
  removeLockFile,
} from './lock-file.ts'
import type { LockHost, LockMark } from './lock-file.ts'
import { isOtherBoot, readPlace } from './place.ts'

/** A take-over reads the counter this often, so many seconds apart: a minute of a clock that never jumps. */
const looks = 30
const lookEvery = 2

/**
 * Takes the lock in the folder `dir`, which must be there. Throws exit 11 when another process holds it, this one included;
 * exit 10 when something stands in its place that is no lock, or when it cannot be written; 2 when this user may not.
 */
export async function takeLock(host: LockHost, dir: string, options: LockOptions): Promise<Lock> {
  const token = options.token ?? newToken(host)
  const here = host.place ?? readPlace(host)
  const first = join(dir, options.file ?? 'lock')
  const contender: Contender = { host, here, first, token, options }
  const { what, run, signal } = options
  try {
    for (let attempt = 0; attempt < 100; attempt += 1) {
      const lock = await tryToTake(contender, attempt)
      if (lock !== undefined) return lock
      await host.sleep(5 + host.random() * 20, signal)
    }
  } catch (error) {
    if (signal?.aborted === true || systemCode(error) === undefined) throw error
    throw keptError(`the lock of ${what} cannot be taken: ${first}`, error).with({ run })
  }
  const hint = 'run the command again later'
  const message = `the lock of ${what} cannot be taken: other processes keep taking it`
  throw new SvcError('busy', message, { hint, run })
}

/** Undefined when somebody else was quicker. */
async function tryToTake(contender: Contender, attempt: number): Promise<Lock | undefined> {
  const { host, first, here, options } = contender
  const { path, lock } = await lastPlace(host, first, here)
  if (lock === 'none') return claim(contender, path)
  if (lock === 'unreadable') {
    // Without hard links a new lock is empty for a moment.
    if (attempt < 5) return undefined
    throw new SvcError('local', `the lock of ${options.what} cannot be read: ${path}`, {
      hint: 'when you are certain that no svc is using it, remove that file',
      run: options.run,
    })
  }
  const isWatched = options.watchesOtherBoot === true && isOtherBoot(lock.identity, here.identity)
  if (options.takeOver !== true && !isWatched) throw inUse(contender, lock)
  if (lock.token !== options.stoodStill && !(await standsStill(contender, path, lock))) {
    return undefined
  }
  return claim(contender, `${first}.${lock.token}`, { path, lock })
}

/** Watches a lock for a minute. False when it is no longer held. Throws exit 11 when it was renewed, unless its holder is waited for. */
async function standsStill(contender: Contender, path: string, mark: LockMark): Promise<boolean> {
  const { host, here, options } = contender
  options.onWait?.(holderOf(mark, here))
  for (let look = 0; look < looks; look += 1) {
    await host.sleep(lookEvery * (options.second ?? 1000), options.signal)
    if (!(await isUnmoved(contender, path, mark))) return false
  }
  return true
}

/** False when the lock is no longer held. Throws exit 11 when it was renewed, unless its holder is waited for. */
async function isUnmoved(contender: Contender, path: string, mark: LockMark): Promise<boolean> {
  const lock = await readLockFile(contender.host, path)
  if (typeof lock === 'string' || lock.token !== mark.token) return false
  if (isGone(lock, contender.here)) return false
  if (lock.counter === mark.counter) return true
  if (contender.options.waits === true) return false
  throw inUse(
    contender,
    mark,
    'it has just renewed its lock, so it was not taken over; wait until it ends',
  )
}

/** Creates the lock at `path` and makes sure that it counts; `over` is the one that it takes over. Undefined when it does not. */
async function claim(
  contender: Contender,
  path: string,
  over?: { readonly path: string; readonly lock: LockMark },
) {
  const { host, here, first, token } = contender
  const self = here.process(host.pid)
  const start = typeof self === 'object' ? self.start : null
  const mark = {
    counter: 0,
    token,
    host: here.host,
    identity: here.identity,
    pid: host.pid,
    start,
    since: host.now(),
  }
  const created = readClocks(host)
  try {
    await createLockFile(host, path, mark)
    const place = await lastPlace(host, first, here)
    const isOver = over === undefined || (await isUnmoved(contender, over.path, over.lock))
    if (isOver && isLast(place, token)) {
      return new Lock(contender, place, created, over?.lock.token)
    }
    await removeLockFile(host, path, token)
    return undefined
  } catch (error) {
    await removeLockFile(host, path, token).catch(() => undefined)
    throw error
  }
}

const takeOverHint =
  'wait until it ends; if it died, run the command again with --take-over, which waits a minute for a sign of life'

function inUse(
  { here, options: { what, run } }: Contender,
  lock: LockMark,
  renewed?: string,
): SvcError {
  const holder = holderOf(lock, here)
  const advice = holder.isHere ? 'wait until it ends, or stop it' : takeOverHint
  const hint = renewed ?? advice
  return new SvcError('busy', `${what} is in use by ${describeHolder(holder)}`, { hint, run })
}

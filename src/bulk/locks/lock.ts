/** Takes a lock: a free one, one whose process is gone, or, with `--take-over`, one that stands still for a minute. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { fileError } from '../../errno.ts'
import { SvcError, systemCode } from '../../errors.ts'
import { Lock, readClocks, type Contender, type LockOptions, type Watch } from './held-lock.ts'
import { createLockFile, readLockFile, removeLockFile, type LockRecord } from './lock-file.ts'
import { describeHolder, heldBy, isGone, isHeldBy, lastPlace, machineOf, type LockHost } from './lock-holder.ts'

/** A take-over reads the counter this often, so many seconds apart: a minute of a clock that never jumps. */
const looks = 30
const lookEvery = 2

/**
 * Takes the lock in the folder `dir`, which must be there. Throws exit 11 when another process holds it, this one included;
 * exit 10 when something stands in its place that is no lock, or when it cannot be written.
 */
export async function takeLock(host: LockHost, dir: string, options: LockOptions): Promise<Lock> {
  const token = randomBytes(8).toString('hex')
  const contender: Contender = {
    host,
    machine: machineOf(host),
    first: join(dir, options.file ?? 'lock'),
    token,
    options,
  }
  const { what, run, signal } = options
  try {
    for (let attempt = 0; attempt < 100; attempt += 1) {
      const lock = await tryToTake(contender, attempt)
      if (lock !== undefined) return lock
      await host.sleep(5 + host.random() * 20, signal)
    }
  } catch (error) {
    if (signal?.aborted === true || systemCode(error) === undefined) throw error
    throw fileError('local', `the lock of ${what} cannot be taken`, error).with({ run })
  }
  throw new SvcError('busy', `the lock of ${what} cannot be taken: other processes keep taking it`, {
    hint: 'run the command again later',
    run,
  })
}

/** Undefined when somebody else was quicker. */
async function tryToTake(contender: Contender, attempt: number): Promise<Lock | undefined> {
  const { first, machine, options } = contender
  const { path, found } = await lastPlace(first, machine)
  if (found === 'none') return claim(contender, path)
  if (found === 'unreadable') {
    // Without hard links a new lock is empty for a moment.
    if (attempt < 5) return undefined
    throw new SvcError('local', `the lock of ${options.what} cannot be read: ${path}`, {
      hint: 'when you are certain that no svc is using it, remove that file',
      run: options.run,
    })
  }
  if (options.takeOver !== true) throw inUse(contender, found)
  if (!(await standsStill(contender, path, found))) return undefined
  return claim(contender, `${first}.${found.token}`, { path, found })
}

/** Watches a lock for a minute. False when it is no longer held. Throws exit 11 when it was renewed, unless its holder is waited for. */
async function standsStill(contender: Contender, path: string, held: LockRecord): Promise<boolean> {
  const { host, machine, options } = contender
  const seen = options.beside?.looks(held) ?? 0
  if (seen < looks) options.onWait?.(heldBy(held, machine))
  for (let look = seen; look < looks; look += 1) {
    await options.beside?.look()
    await host.sleep(lookEvery * (options.second ?? 1000), options.signal)
    if (!(await isUnmoved(contender, path, held))) return false
  }
  await options.beside?.look()
  return true
}

/** Watches the lock in `dir` while that of something else is waited for; it need not be there. */
export function watchLock(host: LockHost, dir: string): Watch {
  const machine = machineOf(host)
  let last: LockRecord | undefined
  let count = 0
  const isLast = ({ token, counter }: LockRecord): boolean => token === last?.token && counter === last.counter
  return {
    async look() {
      const { found } = await lastPlace(join(dir, 'lock'), machine)
      const held = typeof found === 'object' ? found : undefined
      count = held !== undefined && isLast(held) ? count + 1 : 0
      last = held
    },
    looks: (held) => (isLast(held) ? count : 0),
  }
}

/** False when the lock is no longer held. Throws exit 11 when it was renewed, unless its holder is waited for. */
async function isUnmoved(contender: Contender, path: string, held: LockRecord): Promise<boolean> {
  const found = await readLockFile(path)
  if (typeof found === 'string' || found.token !== held.token || isGone(found, contender.machine)) return false
  if (found.counter === held.counter) return true
  if (contender.options.waits === true) return false
  throw inUse(contender, held, 'it has just renewed its lock, so it was not taken over; wait until it ends')
}

/** Creates the lock at `path` and makes sure that it counts; `over` is the one that it takes over. Undefined when it does not. */
async function claim(contender: Contender, path: string, over?: { readonly path: string; readonly found: LockRecord }) {
  const { host, machine, first, token } = contender
  const own = machine.process(host.pid)
  const record: LockRecord = {
    counter: 0,
    token,
    machine: machine.machine,
    host: machine.host,
    boot: machine.boot,
    pidNamespace: machine.pidNamespace,
    bootedAt: machine.bootedAt,
    pid: host.pid,
    start: typeof own === 'object' ? own.start : null,
    since: host.now(),
  }
  const created = readClocks(host)
  try {
    await createLockFile(path, record)
    const place = await lastPlace(first, machine)
    const isOver = over === undefined || (await isUnmoved(contender, over.path, over.found))
    if (isOver && isHeldBy(place, token)) return new Lock(contender, place, created)
    await removeLockFile(path, token)
    return undefined
  } catch (error) {
    await removeLockFile(path, token).catch(() => undefined)
    throw error
  }
}

const takeOverHint =
  'wait until it ends; if it died, run the command again with --take-over, which waits a minute for a sign of life'

function inUse({ machine, options: { what, run } }: Contender, found: LockRecord, why?: string): SvcError {
  const held = heldBy(found, machine)
  const hint = why ?? (held.sameMachine ? 'wait until it ends, or stop it' : takeOverHint)
  return new SvcError('busy', `${what} is in use by ${describeHolder(held)}`, { hint, run })
}

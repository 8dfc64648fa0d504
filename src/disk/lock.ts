/**
 * One process at a time works on a run, and on a name of `--once`. A lock is stale by itself only when its process is known to be gone; any
 * other can be taken over when its counter stands still for a minute. So a holder that may have stood still reads its lock before it goes
 * on. `take.ts` makes it; `bulk/sessions/session-locks.ts` and `bulk/runs/names.ts` hold and release it.
 *
 * A holder that wakes up renews and then looks for a successor; a successor takes its place and then looks at the counter:
 * whatever the order, one of them sees the other.
 */
import { say, svc, type Message } from '../message.ts'
import { fileProblem } from '../errno.ts'
import { SvcError } from '../errors.ts'
import type { Timer } from '../world.ts'
import {
  describeHolder,
  holderOf,
  isLast,
  lastPlace,
  removeLockFile,
  renewLockFile,
} from './lock-file.ts'
import type { Holder, LastPlace, LockHost } from './lock-file.ts'
import type { Place } from './place.ts'

/** In seconds: how often a lock is renewed, how long it is then trusted, and when its holder gives up. */
const renewEvery = 10
const trustedFor = 20
const giveUpAfter = 30

export interface LockOptions {
  /** For messages: `run 20260301T101500Z-7f3a`, `the name "cleanup"`. */
  readonly what: string
  readonly run?: string | undefined
  readonly takeOver?: boolean | undefined
  /** A holder of this machine before it booted is watched for the minute without `takeOver`. */
  readonly watchesOtherBoot?: boolean | undefined
  /** The name of the lock's file; `lock` unless this says otherwise. */
  readonly file?: string | undefined
  /** Ends the minute of a take-over; `takeLock` then rejects with its reason. */
  readonly signal?: AbortSignal | undefined
  /** Tells this lock from every other one; all locks of a session have the same. */
  readonly token?: string | undefined
  /** Token of a session that another one of its locks has shown to stand still: its locks need no minute each. */
  readonly stoodStill?: string | undefined
  readonly onWait?: ((holder: Holder) => void) | undefined
  /** How many milliseconds a second has; shorter for a lock that is held for moments. */
  readonly second?: number | undefined
  /** A holder that renews its lock is waited for, as long as there are attempts, and is no reason to give up. */
  readonly waits?: boolean | undefined
}

/** A process that wants a lock. */
export interface Contender {
  readonly host: LockHost
  readonly here: Place
  /** The first place of the row: the path of the file that a free lock would be. */
  readonly first: string
  readonly token: string
  readonly options: LockOptions
}

/** In milliseconds. */
interface Clocks {
  readonly monotonic: number
  readonly wall: number
}

export function readClocks(host: LockHost): Clocks {
  return { monotonic: host.monotonic(), wall: host.now() }
}

export class Lock {
  /** A holder before this one may still be alive: batches without an accepted answer are ambiguous. */
  readonly takenOver: boolean
  /** Token of the lock that stood still, and was taken over. */
  readonly stoodStill: string | undefined
  readonly #contender: Contender
  readonly #place: LastPlace
  readonly #second: number
  readonly #timer: Timer
  readonly #loss = new AbortController()
  readonly #lossKnown: Promise<void>
  #counter = 0
  /** When the last renewal began that found the lock to be ours. */
  #renewed: Clocks
  #renewing: Promise<void> | undefined
  /** Seconds since then in which this process ran. */
  #ticks = 0
  #problem: unknown
  /** By the monotonic clock: a renewal that began before is not trusted. */
  #recheckedAt = -Infinity

  constructor(contender: Contender, place: LastPlace, created: Clocks, stoodStill?: string) {
    this.#contender = contender
    this.#place = place
    this.#second = contender.options.second ?? 1000
    this.#renewed = created
    this.takenOver = place.mayLive
    this.stoodStill = stoodStill
    this.#lossKnown = new Promise((resolve) => {
      this.lost.addEventListener('abort', () => resolve(), { once: true })
    })
    this.#timer = contender.host.every(this.#second, () => this.#tick(), 'weak')
  }

  /** Aborted, with the error as its reason, when the lock is known to be lost: cuts off what is in flight. */
  get lost(): AbortSignal {
    return this.#loss.signal
  }

  /**
   * To be called before each `try`, and before any other line of the journal. Costs two readings of clocks when the lock was
   * renewed lately, else it reads the lock. Throws, or rejects with, exit 11 when the lock is lost.
   */
  check(): void | Promise<void> {
    this.lost.throwIfAborted()
    return this.#isTrusted() ? undefined : this.#confirm()
  }

  /** The next check reads the lock whatever the clocks say: after a question, which can take any time. */
  recheck(): void {
    this.#recheckedAt = this.#contender.host.monotonic()
  }

  /** Removes the lock and the stale ones before it. Never throws: a lock that stays is stale when this process is gone. */
  async release(): Promise<void> {
    this.#timer.cancel()
    if (this.lost.aborted) return
    await this.#renewing
    if (!this.#isRenewedWithin(trustedFor)) await this.#renew()
    const { path, before } = this.#place
    try {
      // From the first on: another process finds a free place only when this one is done.
      for (const place of [...before, { path, token: this.#contender.token }]) {
        if (this.lost.aborted || !this.#isRenewedWithin(trustedFor)) return
        await removeLockFile(this.#contender.host, place.path, place.token)
      }
    } catch {
      // Nothing that a person could do now.
    }
  }

  #tick(): void {
    this.#ticks += 1
    if (this.#ticks >= giveUpAfter) this.#giveUp()
    else if (this.#ticks >= renewEvery || !this.#isTrusted()) void this.#renew()
  }

  #isRenewedWithin(seconds: number): boolean {
    const { monotonic, wall } = readClocks(this.#contender.host)
    const limit = seconds * this.#second
    // The monotonic clock may stand still while a laptop sleeps; the other one may be set.
    return (
      monotonic - this.#renewed.monotonic <= limit && Math.abs(wall - this.#renewed.wall) <= limit
    )
  }

  #isTrusted(): boolean {
    return this.#renewed.monotonic > this.#recheckedAt && this.#isRenewedWithin(trustedFor)
  }

  async #confirm(): Promise<void> {
    // One that is in flight may have read the lock before this was asked.
    await this.#renewing
    if (!this.#isTrusted()) await this.#renew()
    if (!this.#isRenewedWithin(giveUpAfter)) this.#giveUp()
    this.lost.throwIfAborted()
  }

  /** Never rejects; ends at the latest when the lock is given up. */
  #renew(): Promise<void> {
    this.#renewing ??= Promise.race([this.#renewAndLook(), this.#lossKnown]).finally(() => {
      this.#renewing = undefined
    })
    return this.#renewing
  }

  async #renewAndLook(): Promise<void> {
    const { host, here, first, token } = this.#contender
    const begun = readClocks(host)
    this.#counter += 1
    let problem: unknown
    try {
      await renewLockFile(host, this.#place.path, { token, counter: this.#counter })
    } catch (error) {
      problem = error
    }
    try {
      const place = await lastPlace(host, first, here)
      if (!isLast(place, token)) {
        this.#lose(supersededError(this.#contender, place))
        return
      }
    } catch (error) {
      problem ??= error
    }
    this.#problem = problem
    if (problem !== undefined) return
    this.#renewed = begun
    this.#ticks = 0
  }

  #giveUp(): void {
    const { what, run } = this.#contender.options
    const why =
      this.#problem === undefined ? 'the disk does not answer' : fileProblem(this.#problem)
    const message = `the lock of ${what} could not be renewed for ${giveUpAfter} s: ${why}`
    this.#lose(new SvcError('busy', message, { hint: hintOf(run), run, cause: this.#problem }))
  }

  #lose(error: SvcError): void {
    this.#timer.cancel()
    this.#loss.abort(error)
  }
}

function supersededError(
  { here, options: { what, run } }: Contender,
  { lock }: LastPlace,
): SvcError {
  const message =
    typeof lock === 'object'
      ? `${what} was taken over by ${describeHolder(holderOf(lock, here))}`
      : `the lock of ${what} is gone: another process may have taken it over`
  return new SvcError('busy', message, { hint: hintOf(run), run })
}

/** No summary follows: what becomes of the run is not known here. */
function hintOf(run: string | undefined): Message {
  const sent = 'nothing more was sent from here'
  return run === undefined
    ? sent
    : say`${sent}; to see what became of the run:\n  ${svc`runs show ${run}`}`
}

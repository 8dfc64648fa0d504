/**
 * How a command line ends early: the first signal cancels it, the second one or the end of the grace period
 * aborts it.
 */
import { setMaxListeners } from 'node:events'
import { SvcError } from '../errors.ts'
import type { Host, Signal } from '../host.ts'
import type { Timer } from '../world.ts'

const signalNumbers: Record<Signal, number> = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 }
/** The grace period after the first signal, in milliseconds. */
const gracePeriod: Record<Signal, number> = {
  SIGINT: 10_000,
  SIGTERM: 5_000,
  SIGHUP: 5_000,
}
/** How long aborted work may take to report its result. A reader that does not read must not block svc. */
const abortGrace = 500

const interruption = new SvcError('interrupted', 'interrupted')

export class Signals {
  caught: Signal | undefined
  readonly #host: Host
  readonly #cancel = new AbortController()
  readonly #abort = new AbortController()
  /** Aborted by the first signal. */
  readonly cancelled = this.#cancel.signal
  /** Aborted by the second signal, or at the end of the grace period. */
  readonly aborted = this.#abort.signal
  /** Changes and bulk runs in flight. The first signal lets them finish. */
  readonly #changes = new Set<Promise<unknown>>()
  #stopListening: (() => void) | undefined
  #grace: Timer | undefined

  constructor(host: Host) {
    this.#host = host
    // Every request in flight listens, so many listeners are not a leak.
    setMaxListeners(0, this.cancelled, this.aborted)
  }

  /**
   * Handles signals from now on, until `close`. Called once there is something to end properly: a file, a record, an output
   * or a request. Before that, a signal ends the process at once, also while it parses a long text.
   */
  listen() {
    this.#stopListening ??= this.#host.onSignal((signal) => this.#take(signal))
  }

  #take(signal: Signal) {
    const isFirst = this.caught === undefined
    this.caught ??= signal
    this.#cancel.abort(interruption)
    const abort = () => this.#abort.abort(interruption)
    // Only a change in flight is worth waiting for.
    if (isFirst && this.#changes.size > 0)
      this.#grace = this.#host.after(gracePeriod[signal], abort)
    else abort()
  }

  /**
   * Result of the work; when it is aborted and does not end, rejects a moment after the last change has ended, which a slow
   * disk can delay.
   */
  async untilAborted<T>(work: Promise<T>): Promise<T> {
    const aborted = new Promise<never>((_resolve, reject) => {
      const give = async () => {
        await Promise.allSettled(this.#changes)
        this.#host.after(abortGrace, () => reject(interruption), 'weak')
      }
      this.aborted.addEventListener('abort', () => void give(), { once: true })
    })
    return Promise.race([work, aborted])
  }

  /** Runs a change or a bulk run: a first signal lets it end. */
  readonly runCritical = async <T>(work: () => Promise<T>): Promise<T> => {
    this.listen()
    const change = work()
    this.#changes.add(change)
    try {
      return await change
    } finally {
      this.#changes.delete(change)
    }
  }

  /** From now on a signal ends the process at once. */
  close() {
    this.#grace?.cancel()
    this.#stopListening?.()
  }

  /** Exit code that a shell sees: the signal that was caught, else `code`. */
  code(code: number): number {
    return this.caught === undefined ? code : 128 + signalNumbers[this.caught]
  }

  /** Ends the process by the signal that was caught, so that shell loops stop. */
  end(code: number): number {
    if (this.caught !== undefined) this.#host.raise(this.caught)
    return this.code(code)
  }
}

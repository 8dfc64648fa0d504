/**
 * How a command line ends early. The first signal cancels it: nothing new begins. If a change is in flight, the second
 * signal or the end of the grace period aborts it; otherwise the first does so at once.
 */
import { setMaxListeners } from 'node:events'
import { signalCodes, SvcError } from '../errors.ts'
import type { Host, Signal } from '../host.ts'
import type { Timer } from '../world.ts'

/** The grace period after the first signal, in milliseconds. */
const gracePeriod: Record<Signal, number> = {
  SIGINT: 10_000,
  SIGTERM: 5_000,
  SIGHUP: 5_000,
}
/**
 * Milliseconds that aborted work has to report its result. A pipe whose other end has stopped reading must not block svc.
 */
const abortGrace = 500

const interruption = new SvcError('interrupted', 'interrupted')

export class Signals {
  caught: Signal | undefined
  readonly #host: Host
  readonly #cancel = new AbortController()
  readonly #abort = new AbortController()
  /** Aborted by the first signal. */
  readonly cancelled = this.#cancel.signal
  /** Aborted by the second signal or at the end of the grace period; by the first if no change is in flight. */
  readonly aborted = this.#abort.signal
  /** Single changes and runs in flight. The first signal lets them finish. */
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
   * The result of `work`. After an abort it waits for the changes in flight, which a slow disk can delay, and then only a
   * moment more for the work. Then it rejects.
   */
  async untilAborted<T>(work: Promise<T>): Promise<T> {
    const surrender = new Promise<never>((_resolve, reject) => {
      const giveUp = async () => {
        await Promise.allSettled(this.#changes)
        // A weak timer does not keep the process alive.
        this.#host.after(abortGrace, () => reject(interruption), 'weak')
      }
      this.aborted.addEventListener('abort', () => void giveUp(), { once: true })
    })
    return Promise.race([work, surrender])
  }

  /** Runs a single change or a run: the first signal lets it end. */
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
  code(code: number) {
    return this.caught === undefined ? code : signalCodes[this.caught]
  }

  /** Ends the process by the signal that was caught, so that shell loops stop. */
  end(code: number) {
    if (this.caught !== undefined) this.#host.raise(this.caught)
    return this.code(code)
  }
}

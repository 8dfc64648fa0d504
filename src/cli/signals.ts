/**
 * How a signal ends a command. The first signal cancels the command: nothing new begins. Without a change in flight, it also
 * aborts the command. With one, the change may end until the second signal or the end of the grace period.
 */
import { setMaxListeners } from 'node:events'
import { SvcError } from '../errors.ts'
import { signalCodes, type Host, type Signal } from '../host.ts'
import type { Timer } from '../world.ts'

/** How long a change in flight may go on after the first signal. */
const gracePeriodMs: Record<Signal, number> = {
  SIGINT: 10_000,
  SIGTERM: 5_000,
  SIGHUP: 5_000,
}
/** How long aborted work has to report its result. Otherwise a reader that does not read would block svc. */
const abortGraceMs = 500

const interruption = new SvcError('interrupted', 'interrupted')

export class Signals {
  /** The first signal. */
  caught: Signal | undefined
  readonly #host: Host
  readonly #cancel = new AbortController()
  readonly #abort = new AbortController()
  /** Fires at the first signal. */
  readonly cancelled = this.#cancel.signal
  /** Fires when no change may go on any longer. */
  readonly aborted = this.#abort.signal
  /** Single changes and runs in flight. */
  readonly #changes = new Set<Promise<unknown>>()
  #stopListening: (() => void) | undefined
  #grace: Timer | undefined

  constructor(host: Host) {
    this.#host = host
    // Every request in flight adds a listener, so Node should not warn about many.
    setMaxListeners(0, this.cancelled, this.aborted)
  }

  /**
   * Catches signals from now on, until `close`. It is called when there is something to end properly: a file, a record, an
   * output or a request. Before that, a signal ends the process at once, even while svc parses a long text.
   */
  listen() {
    this.#stopListening ??= this.#host.onSignal((signal) => this.#take(signal))
  }

  #take(signal: Signal) {
    const isFirst = this.caught === undefined
    this.caught ??= signal
    this.#cancel.abort(interruption)
    const abort = () => this.#abort.abort(interruption)
    if (isFirst && this.#changes.size > 0)
      this.#grace = this.#host.after(gracePeriodMs[signal], abort)
    else abort()
  }

  /**
   * Waits for the work and returns its result. After an abort, it waits until the changes in flight have ended, which a slow
   * disk can delay, gives the work a moment more, and then throws an interruption.
   */
  async untilAborted<T>(work: Promise<T>): Promise<T> {
    const interrupted = new Promise<never>((_resolve, reject) => {
      const giveUp = async () => {
        await Promise.allSettled(this.#changes)
        // A weak timer does not keep the process alive.
        this.#host.after(abortGraceMs, () => reject(interruption), 'weak')
      }
      this.aborted.addEventListener('abort', () => void giveUp(), { once: true })
    })
    return Promise.race([work, interrupted])
  }

  /** Does the work of a single change or a run, which the first signal lets end. */
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

  /** Stops catching signals: the next one ends the process at once. */
  close() {
    this.#grace?.cancel()
    this.#stopListening?.()
  }

  /** The exit code that a shell sees: that of the caught signal, or else `code`. */
  code(code: number) {
    return this.caught === undefined ? code : signalCodes[this.caught]
  }

  /** Ends the process by the caught signal, so that shell loops stop. Returns the exit code. */
  end(code: number) {
    if (this.caught !== undefined) this.#host.raise(this.caught)
    return this.code(code)
  }
}

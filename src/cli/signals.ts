/**
 * How a signal ends a command. The first signal cancels the command: nothing new begins. If no change is in flight, this signal
 * also aborts the command. Otherwise the change may finish, until a second signal or the end of the grace period aborts it.
 */
import { setMaxListeners } from 'node:events'
import { SvcError } from '../errors.ts'
import { signalCodes, type Host, type Signal, type Timer } from '../host.ts'

/** How long a change in flight may take to finish after the first signal. */
const gracePeriodMs: Record<Signal, number> = {
  SIGINT: 10_000,
  SIGTERM: 5_000,
  SIGHUP: 5_000,
}
/** How long aborted work may take to print its result. Otherwise svc would wait forever for a program that does not read it. */
const reportPeriodMs = 500

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
  /** The changes in flight, each a single one or a run. */
  readonly #changes = new Set<Promise<unknown>>()
  #stopListening: (() => void) | undefined
  #isPrinting = false
  #gracePeriod: Timer | undefined

  constructor(host: Host) {
    this.#host = host
    // Every request in flight adds a listener, so Node should not warn about many.
    setMaxListeners(0, this.cancelled, this.aborted)
  }

  /**
   * Catches signals from now on, until `close`. A command calls this before it has something to end properly: a file, a record,
   * an output or a request. Until then, a signal ends the process at once: while svc parses a long text, a listener would run
   * only afterwards.
   */
  listen() {
    this.#stopListening ??= this.#host.onSignal((signal) => this.#onSignal(signal))
  }

  /** From now on, the first signal lets the output of the command finish. */
  protectOutput() {
    this.#isPrinting = true
  }

  #onSignal(signal: Signal) {
    const isBusy = this.#isPrinting || this.#changes.size > 0
    const mayFinish = this.caught === undefined && isBusy
    this.caught ??= signal
    this.#cancel.abort(interruption)
    const abort = () => this.#abort.abort(interruption)
    if (mayFinish) this.#gracePeriod = this.#host.after(gracePeriodMs[signal], abort)
    else abort()
  }

  /**
   * Returns the result of the work. After an abort, it waits for the changes in flight, which a slow disk can delay, and then a
   * moment for the result. If there is none, it throws an interruption.
   */
  async untilAborted<T>(work: Promise<T>): Promise<T> {
    const interrupted = new Promise<never>((_resolve, reject) => {
      const giveUp = async () => {
        await Promise.allSettled(this.#changes)
        // A weak timer does not keep the process alive.
        this.#host.after(reportPeriodMs, () => reject(interruption), 'weak')
      }
      this.aborted.addEventListener('abort', () => void giveUp(), { once: true })
    })
    return Promise.race([work, interrupted])
  }

  /** Makes a single change or a run, which may finish after the first signal. Returns its result. */
  async runCritical<T>(work: () => Promise<T>): Promise<T> {
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
    this.#gracePeriod?.cancel()
    this.#stopListening?.()
  }

  /** The exit code that a shell sees: that of the caught signal, or else `code`. */
  exitCode(code: number) {
    return this.caught === undefined ? code : signalCodes[this.caught]
  }

  /** Ends the process by the caught signal, so that a loop of a shell stops too. Without one, returns the exit code. */
  endProcess(code: number) {
    if (this.caught !== undefined) this.#host.raise(this.caught)
    return this.exitCode(code)
  }
}

/**
 * The world of a command in this process, with streams, a clock, signals and a terminal that a test
 * chooses.
 */
import { Readable, type Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Host, Signal, Terminal } from '../../src/host.ts'
import { realHost } from './real-host.ts'

/** What a test may say of a host. All else is this process, or not there. */
export interface HostOptions extends Partial<
  Pick<Host, 'disk' | 'isWindows' | 'openDatabase' | 'random' | 'randomBytes' | 'spawn'>
> {
  readonly stdin?: string | Buffer | Readable
  readonly stdout?: Writable
  readonly stderr?: Writable
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Terminals: none unless said. */
  readonly isTerminal?: Partial<Host['isTerminal']>
  readonly columns?: number
  readonly terminal?: () => Terminal | undefined
  /** The terminal of the command was closed. */
  readonly hasLostTerminal?: () => boolean
  /** A clock that stands still: milliseconds since 1970. */
  readonly now?: number
  /** Milliseconds by which a clock that runs is ahead. */
  readonly clockOffset?: number
  /**
   * `true`: sleeping takes no time. A function: each sleep lasts until its promise resolves, and
   * takes `ms` by the clock.
   */
  readonly fast?: boolean | ((ms: number) => Promise<void>)
  /** Names of the user and the computer. */
  readonly by?: { readonly userName: string; readonly hostname: string }
  /** Called with a function that delivers a signal, once the program listens. */
  readonly signals?: (deliver: (signal: Signal) => void) => void
}

export function fakeHost(
  options: HostOptions & Pick<Host, 'argv' | 'env' | 'stdout' | 'stderr'> & { folder: string },
): Host {
  const { argv, env, folder, stdout, stderr, stdin = '', fast = false } = options
  const { disk, isWindows, openDatabase, random, randomBytes, spawn } = { ...realHost, ...options }
  const isStill = fast === true && options.now !== undefined
  /** Milliseconds of sleep that were skipped: the monotonic clock must show them. */
  let skipped = 0
  const monotonic = () => (isStill ? 0 : performance.now()) + skipped
  return {
    ...realHost,
    argv,
    env,
    stdout,
    stderr,
    monotonic,
    disk,
    isWindows,
    openDatabase,
    random,
    randomBytes,
    spawn,
    // Writes all to the streams above.
    writeAtOnce: (text) => Buffer.from(text),
    // Where sleeping takes no time, nothing is late enough to be drawn.
    after: (ms, callback, kind) =>
      fast === true && kind === 'weak'
        ? { cancel: () => undefined }
        : realHost.after(ms, callback, kind),
    self: [process.execPath, fileURLToPath(new URL('../../bin/svc.js', import.meta.url))],
    cwd: () => folder,
    stdin:
      stdin instanceof Readable
        ? stdin
        : Readable.from(stdin.length === 0 ? [] : [Buffer.from(stdin)]),
    isTerminal: { stdin: false, stdout: false, stderr: false, ...options.isTerminal },
    columns: () => options.columns,
    terminal: options.terminal ?? (() => undefined),
    hasLostTerminal: options.hasLostTerminal ?? (() => false),
    now: () => options.now ?? Date.now() + (options.clockOffset ?? 0),
    async sleep(ms, signal) {
      if (fast === false) return realHost.sleep(ms, signal)
      const due = monotonic() + ms
      await (fast === true ? realHost.sleep(0, signal) : fast(ms))
      // Sleeps of the same time pass together.
      skipped += Math.max(0, due - monotonic())
    },
    onSignal(callback) {
      options.signals?.(callback)
      return () => undefined
    },
    raise: () => undefined,
    computer: { ...realHost.computer, ...options.by },
    // A test may have dropped its rights since.
    userId: process.geteuid?.() ?? -1,
  }
}

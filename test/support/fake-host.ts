/** The host of a command in this process, with parts that a test chooses. */
import { Readable, type Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Host, Signal } from '../../src/host.ts'
import { realHost } from './real-host.ts'

type OwnParts = 'openDatabase' | 'random' | 'randomBytes' | 'spawn' | 'terminal' | 'hasLostTerminal'

/** What a test may say of a host. All else is this process, or not there. */
export interface HostOptions extends Partial<Pick<Host, 'disk' | 'isWindows' | OwnParts>> {
  readonly stdin?: string | Buffer | Readable
  readonly stdout?: Writable
  readonly stderr?: Writable
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Terminals: none unless said. */
  readonly isTerminal?: Partial<Host['isTerminal']>
  readonly columns?: number
  /** A clock that stands still: milliseconds since 1970. */
  readonly now?: number
  /** Milliseconds by which a clock that runs is ahead. */
  readonly clockOffset?: number
  /** Sleeping takes no time. */
  readonly fast?: boolean
  readonly by?: { readonly userName: string; readonly hostname: string }
  /** Called with a function that delivers a signal, once the program listens. */
  readonly signals?: (deliver: (signal: Signal) => void) => void
}

export function fakeHost(
  options: HostOptions & Pick<Host, 'argv' | 'env' | 'stdout' | 'stderr'> & { folder: string },
): Host {
  const { folder, stdin = '', fast = false, now, clockOffset = 0, columns, by, ...parts } = options
  const { signals, isTerminal, ...own } = parts
  /** Milliseconds of sleep that were skipped: the monotonic clock must show them. */
  let skipped = 0
  const monotonic = () => (fast ? 0 : performance.now()) + skipped
  return {
    ...realHost,
    terminal: () => undefined,
    hasLostTerminal: () => false,
    ...own,
    monotonic,
    // Writes all to the streams.
    writeAtOnce: (text) => Buffer.from(text),
    // Where sleeping takes no time, nothing is late enough to be drawn.
    after: (ms, callback, kind) =>
      fast && kind === 'weak' ? { cancel: () => undefined } : realHost.after(ms, callback, kind),
    self: [process.execPath, fileURLToPath(new URL('../../bin/svc.js', import.meta.url))],
    cwd: () => folder,
    stdin:
      stdin instanceof Readable
        ? stdin
        : Readable.from(stdin.length === 0 ? [] : [Buffer.from(stdin)]),
    isTerminal: { stdin: false, stdout: false, stderr: false, ...isTerminal },
    columns: () => columns,
    now: () => now ?? Date.now() + clockOffset,
    async sleep(ms, signal) {
      if (!fast) return realHost.sleep(ms, signal)
      const due = monotonic() + ms
      await realHost.sleep(0, signal)
      // Sleeps of the same time pass together.
      skipped += Math.max(0, due - monotonic())
    },
    onSignal(callback) {
      signals?.(callback)
      return () => undefined
    },
    raise: () => undefined,
    computer: { ...realHost.computer, ...by },
    // A test may have dropped its rights since.
    userId: process.geteuid?.() ?? -1,
  }
}

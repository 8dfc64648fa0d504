/** The world of a command in this process, with streams, a clock, signals and a terminal that a test chooses. */
import { PassThrough, Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Disk, Host, Signal, Terminal } from '../../src/host.ts'
import { realHost } from './real-host.ts'

/** What a test may say of a host. */
export interface HostOptions {
  readonly stdin?: string | Buffer | Readable
  readonly stdout?: Writable
  readonly stderr?: Writable
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Terminals: none unless said. */
  readonly isTerminal?: Partial<Host['isTerminal']>
  readonly columns?: number
  readonly terminal?: () => Terminal | undefined
  /** A clock that stands still: milliseconds since 1970. */
  readonly now?: number
  /** Milliseconds by which a clock that runs is ahead. */
  readonly clockOffset?: number
  /** `true`: sleeping takes no time. A function: each sleep lasts until its promise resolves, and takes `ms` by the clock. */
  readonly fast?: boolean | ((ms: number) => Promise<void>)
  /** The disk, with its faults. */
  readonly disk?: (disk: Disk) => Disk
  readonly openDatabase?: Host['openDatabase']
  readonly random?: () => number
  readonly randomBytes?: Host['randomBytes']
  /** Names of the user and the computer: this machine's unless said. */
  readonly by?: { readonly userName: string; readonly hostname: string }
  /** Called with a function that delivers a signal, once the program listens. */
  readonly signals?: (deliver: (signal: Signal) => void) => void
}

/** A host that is this process but for its streams, its environment, its current folder and what else is said. */
export function fakeHost(
  options: HostOptions & Pick<Host, 'argv' | 'env' | 'stdout' | 'stderr'> & { folder: string },
): Host {
  const { argv, env, folder, stdout, stderr, stdin = '', fast = false } = options
  const isStill = fast === true && options.now !== undefined
  /** Milliseconds of sleep that were skipped: the monotonic clock must show them. */
  let skipped = 0
  const monotonic = () => (isStill ? 0 : performance.now()) + skipped
  const { isRunning, every, turn, random, randomBytes, spawn, openDatabase } = realHost
  const { disk: change = (same) => same } = options
  return {
    disk: change(realHost.disk),
    ...{ isRunning, every, turn, spawn },
    openDatabase: options.openDatabase ?? openDatabase,
    ...{ argv, env, stdout, stderr, monotonic },
    // Where sleeping takes no time, nothing is late enough to be drawn.
    after: (ms, callback, kind) =>
      fast === true && kind === 'weak'
        ? { cancel: () => undefined }
        : realHost.after(ms, callback, kind),
    nodeVersion: process.versions.node,
    pid: process.pid,
    self: [process.execPath, fileURLToPath(new URL('../../bin/svc.js', import.meta.url))],
    cwd: () => folder,
    stdin:
      stdin instanceof Readable
        ? stdin
        : Readable.from(stdin.length === 0 ? [] : [Buffer.from(stdin)]),
    isTerminal: { stdin: false, stdout: false, stderr: false, ...options.isTerminal },
    columns: () => options.columns,
    terminal: options.terminal ?? (() => undefined),
    now: () => options.now ?? Date.now() + (options.clockOffset ?? 0),
    async sleep(ms, signal) {
      if (fast === false) return realHost.sleep(ms, signal)
      const due = monotonic() + ms
      await (fast === true ? realHost.sleep(0, signal) : fast(ms))
      // Sleeps of the same time pass together.
      skipped += Math.max(0, due - monotonic())
    },
    random: options.random ?? random,
    randomBytes: options.randomBytes ?? randomBytes,
    onSignal(callback) {
      options.signals?.(callback)
      return () => undefined
    },
    raise: () => undefined,
    computer: { ...realHost.computer, ...options.by },
    userId: process.geteuid?.() ?? -1,
  }
}

export class Collector extends Writable {
  readonly chunks: Buffer[] = []

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: () => void): void {
    this.chunks.push(Buffer.from(chunk))
    callback()
  }

  get text(): string {
    return Buffer.concat(this.chunks).toString('utf8')
  }
}

/** A terminal on which answers are typed, each followed by Enter. `shown` returns what was written to it. */
export function typing(...answers: readonly string[]) {
  const shown = new Collector()
  return {
    terminal: (): Terminal => {
      const input = new PassThrough()
      for (const answer of answers) input.write(`${answer}\n`)
      return { input, output: shown, close: () => input.destroy() }
    },
    shown: () => shown.text,
  }
}

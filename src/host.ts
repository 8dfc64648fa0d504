/**
 * The outside world as one value: `nodeHost(process)`, or one that a test or a simulation makes. No other file of `src` reads
 * `process`, or takes files, timers, randomness and programs from Node. Also the types of a wire to a service.
 */
import type { ChildProcess, SpawnOptions } from 'node:child_process'
import type { LookupAddress } from 'node:dns'
import * as fs from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import manifest from '../package.json' with { type: 'json' }

/** The version of the package. */
export const version: string = manifest.version

/** The signals that svc handles, and the exit code that a shell shows for each. */
export const signalCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

export type Signal = keyof typeof signalCodes

export type Disk = typeof fs

export interface Timer {
  cancel(): void
}

/** The person's terminal, which can be used even if stdin and stdout are pipes. Each question opens it again. */
export interface Terminal {
  input: Readable
  output: Writable
  columns: number
  close(): void
}

export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>

/** A signed request. */
export interface WireRequest {
  method: string
  path: string
  headers: Record<string, string>
  body: Buffer
  /** Whether it gets a connection of its own, which no request uses before or after it. */
  needsNewConnection: boolean
}

/** The result of a request: an answer, or an error and whether any byte of the request was sent. */
export type Exchange =
  | { kind: 'response'; status: number; headers: AnswerHeaders; body: Buffer }
  | { kind: 'failed'; sent: boolean; error: Error }

export interface WireResult {
  exchange: Exchange
  /** Gives the connection back. `canReuse` says that no rest of the answer can follow, which would be taken for the next one. */
  release: (canReuse: boolean) => void
}

/** The connections to one service. */
export interface Wire {
  /** Sends a request within `timeoutMs` milliseconds, or until the signal aborts it. Never rejects. */
  send(request: WireRequest, timeoutMs: number, signal: AbortSignal): Promise<WireResult>
  /** Aborts the requests in flight. Nothing is sent afterwards. */
  close(): void
}

export interface Host {
  /** The words after `svc`. */
  argv: readonly string[]
  env: Record<string, string | undefined>
  nodeVersion: string
  pid: number
  /** How to start this program again: an executable and its first arguments. */
  self: readonly [string, ...string[]]
  /** The current folder. Throws ENOENT if it was deleted. */
  cwd(): string
  stdin: Readable
  stdout: Writable
  stderr: Writable
  /**
   * Writes without opening a stream, which would take 2 ms (`npm run bench`: help, a usage error). A stream of stderr that is open may
   * hold earlier text, so nothing is written beside it. Returns the bytes that were not written.
   */
  writeAtOnce?: (text: string, to: 'stdout' | 'stderr') => Uint8Array
  isTerminal: Record<'stdin' | 'stdout' | 'stderr', boolean>
  /** The width in cells of stdout if it is a terminal, or else of stderr; undefined if neither is one. */
  columns(): number | undefined
  /** Opens the controlling terminal, for questions. Returns undefined if there is none, as in a cron job. */
  terminal(): Terminal | undefined
  /**
   * Resolves to the addresses of a host name. Rejects with ENOTFOUND, or with EAI_AGAIN if a later lookup may succeed.
   */
  lookup(name: string): Promise<readonly LookupAddress[]>
  /** Replaces the network, for a test or a simulation. */
  openWire?: (baseUrl: string) => Wire
  /** Node's `fs`, with its promises. */
  disk: Disk
  /** Node's `spawn`. */
  spawn(file: string, words: readonly string[], options: SpawnOptions): ChildProcess
  /** Milliseconds since 1970, from this machine's clock. */
  now(): number
  /** Milliseconds of uptime, which never jump. */
  monotonic(): number
  /** Resolves after `ms` milliseconds. Rejects with the signal's reason if the signal is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Calls back once after `ms` milliseconds. The process ends without waiting for a weak timer. */
  after(ms: number, callback: () => void, kind?: 'weak'): Timer
  /** Calls back every `ms` milliseconds. The process ends without waiting for this. */
  every(ms: number, callback: () => void): Timer
  /** Lets Node handle all events that are waiting now. */
  turn(): Promise<void>
  /** A number from 0 up to, not including, 1. */
  random(): number
  /** Bytes that nobody can predict. */
  randomBytes(size: number): Buffer
  /** Calls back on every signal. The returned function ends that. */
  onSignal(callback: (signal: Signal) => void): () => void
  /** Calls back with Node's own warnings, which are then not printed by Node. */
  onWarning?(callback: (text: string) => void): void
  /** Ends this process by the signal, as if svc did not handle signals. */
  raise(signal: Signal): void
  /** Whether a process with this number exists, of any user. */
  isRunning(pid: number): boolean
  /** The user whose rights this process has. */
  userId: number
  computer: {
    hostname: string
    /** Undefined if the user has only a number, as in a container. */
    userName: string | undefined
    /** The folder for temporary files. */
    temporaryFolder: string
    /** The numbers of the signals, by their names. */
    signals: Record<string, number>
  }
}

/** The host that Node gives. `executable` is how to start this program again, if it is an executable and no script that Node runs. */
export function nodeHost(node: NodeJS.Process, executable?: Host['self']): Host {
  let stdin: Readable | undefined
  let stderr: Writable | undefined
  const terminals = {
    stdin: isTerminal(0, node),
    stdout: isTerminal(1, node),
    stderr: isTerminal(2, node),
  }
  return {
    ...timers,
    ...signalsOf(node),
    argv: node.argv.slice(2),
    env: node.env,
    nodeVersion: node.versions.node,
    pid: node.pid,
    self: executable ?? [node.execPath, ...node.argv.slice(1, 2)],
    cwd: () => node.cwd(),
    get stdin() {
      return (stdin ??= standardInput(node))
    },
    get stdout() {
      return node.stdout
    },
    get stderr() {
      // If nobody reads stderr anymore, that cannot be said anywhere.
      return (stderr ??= node.stderr.on('error', () => undefined))
    },
    writeAtOnce(text, to) {
      const bytes = Buffer.from(text)
      const hasStream = to === 'stderr' && stderr !== undefined
      return hasStream ? bytes : writeNow(to === 'stdout' ? 1 : 2, bytes)
    },
    isTerminal: terminals,
    columns() {
      if (terminals.stdout) return widthOf(node.stdout)
      return terminals.stderr ? widthOf(node.stderr) : undefined
    },
    terminal: () => openTerminal(node),
    lookup: async (name) => (await import('node:dns/promises')).lookup(name, { all: true }),
    disk: fs,
    spawn: (file, words, options) =>
      node.getBuiltinModule('node:child_process').spawn(file, words, options),
    now: () => Date.now(),
    // Not performance.now(), which loads all of node:perf_hooks.
    monotonic() {
      const [seconds, nanoseconds] = node.hrtime()
      return seconds * 1000 + nanoseconds / 1e6
    },
    random: () => Math.random(),
    randomBytes: (size) => node.getBuiltinModule('node:crypto').randomBytes(size),
    // Every system that svc runs on has users. Without one, nothing would be trusted.
    userId: node.geteuid?.() ?? -1,
    computer: computerOf(node),
  }
}

function signalsOf(
  node: NodeJS.Process,
): Pick<Host, 'onSignal' | 'onWarning' | 'raise' | 'isRunning'> {
  return {
    onSignal(callback) {
      const listener = (signal: NodeJS.Signals) => callback(signal as Signal)
      for (const signal of Object.keys(signalCodes)) node.on(signal, listener)
      return () => {
        for (const signal of Object.keys(signalCodes)) node.off(signal, listener)
      }
    },
    onWarning(callback) {
      node.removeAllListeners('warning')
      node.on('warning', ({ name, message }) => callback(`${name}: ${message}`))
    },
    raise(signal) {
      node.removeAllListeners(signal)
      node.kill(node.pid, signal)
    },
    isRunning(pid) {
      try {
        return node.kill(pid, 0)
      } catch (error) {
        // A process of another user exists, but cannot be signaled.
        return error instanceof Error && 'code' in error && error.code === 'EPERM'
      }
    },
  }
}

/** The timers of Node. */
const timers: Pick<Host, 'sleep' | 'after' | 'every' | 'turn'> = {
  async sleep(ms, signal) {
    const { setTimeout } = await import('node:timers/promises')
    try {
      await setTimeout(ms, undefined, { signal })
    } catch {
      throw signal?.reason as Error
    }
  },
  after(ms, callback, kind) {
    const timer = setTimeout(callback, ms)
    if (kind === 'weak') timer.unref()
    return { cancel: () => clearTimeout(timer) }
  },
  every(ms, callback) {
    const timer = setInterval(callback, ms).unref()
    return { cancel: () => clearInterval(timer) }
  },
  turn: () => new Promise((resolve) => setImmediate(resolve)),
}

/** This machine and its user, each fact read when it is asked for. */
function computerOf(node: NodeJS.Process): Host['computer'] {
  const os = () => node.getBuiltinModule('node:os')
  return {
    get hostname() {
      return os().hostname()
    },
    get userName() {
      try {
        return os().userInfo().username
      } catch {
        return undefined
      }
    },
    get temporaryFolder() {
      return os().tmpdir()
    },
    get signals() {
      return os().constants.signals
    },
  }
}

/** Whether a terminal understands escape sequences. */
export const hasEscapes = ({ env: { TERM = '' } }: Pick<Host, 'env'>) =>
  TERM !== 'dumb' && TERM !== ''

/** Whether an output gets colors. `isSeen` says whether it is a terminal. */
export function hasColors(host: Pick<Host, 'env'>, isSeen: boolean) {
  const { NO_COLOR = '', FORCE_COLOR = '' } = host.env
  if (NO_COLOR !== '') return false
  if (FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
  return isSeen && hasEscapes(host)
}

function openTerminal(node: NodeJS.Process): Terminal | undefined {
  const { ReadStream, WriteStream } = node.getBuiltinModule('node:tty')
  let inputFd: number | undefined
  try {
    inputFd = fs.openSync('/dev/tty', 'r')
    const outputFd = fs.openSync('/dev/tty', 'w')
    const input = new ReadStream(inputFd)
    const output = new WriteStream(outputFd)
    const close = () => {
      input.destroy()
      output.destroy()
    }
    return { input, output, columns: widthOf(output) ?? 80, close }
  } catch {
    if (inputFd !== undefined) fs.closeSync(inputFd)
    return undefined
  }
}

/**
 * The stream of standard input. For a folder, for example, Node gives a placeholder that just ends. A file stream of the
 * descriptor is then returned, whose first read fails with the reason.
 */
function standardInput(node: NodeJS.Process): Readable {
  const { Readable } = node.getBuiltinModule('node:stream')
  const isPlaceholder = Object.getPrototypeOf(node.stdin) === Readable.prototype
  return isPlaceholder ? fs.createReadStream('', { fd: 0, autoClose: false }) : node.stdin
}

/** Whether a descriptor is a terminal. */
function isTerminal(fd: number, node: NodeJS.Process) {
  // Loading `node:tty` takes 2 ms (`npm run bench`: start-up), so it is not asked about files and pipes.
  return isDevice(fd) && node.getBuiltinModule('node:tty').isatty(fd)
}

/** Whether a descriptor is a device other than the null device. */
function isDevice(fd: number) {
  try {
    const status = fs.fstatSync(fd)
    return status.isCharacterDevice() && status.rdev !== fs.statSync('/dev/null').rdev
  } catch {
    return false
  }
}

/** Writes to a descriptor, without waiting for a slow reader. Returns the bytes that were not written. */
function writeNow(fd: number, bytes: Uint8Array): Uint8Array {
  let written = 0
  try {
    while (written < bytes.length) written += fs.writeSync(fd, bytes, written)
  } catch {
    // A full pipe, a reader that is gone or a full disk. The caller writes the rest to a stream, which waits or fails.
  }
  return bytes.subarray(written)
}

/** The width of a terminal in cells; undefined if it is unknown, for which Node has 0. */
function widthOf(terminal: { columns?: number }): number | undefined {
  return terminal.columns === 0 ? undefined : terminal.columns
}

const loopbackPattern =
  /^(?:localhost|::1|\[::1\]|127(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3})$/

/**
 * Whether a host is 127.0.0.0/8, ::1 (with or without brackets) or the name localhost. svc may use plain http with such a host,
 * asks no name server for it, and never uses a proxy.
 */
export function isLoopback(hostname: string) {
  return loopbackPattern.test(hostname)
}

/** The addresses of the name localhost. */
export const localhost: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

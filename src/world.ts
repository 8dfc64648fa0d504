/**
 * The part of the outside world that Node's modules provide: timers, files, randomness, programs, standard streams and the
 * terminal. No other file of `src` takes them from Node, so that a test or a simulation can replace each of them. Also facts of
 * this machine and its user, and the types of a wire to a service.
 */
import type { ChildProcess, SpawnOptions } from 'node:child_process'
import type { LookupAddress } from 'node:dns'
import * as fs from 'node:fs'
import type { Readable, Writable } from 'node:stream'

export type Disk = typeof fs
export type DiskHost = Pick<World, 'disk'>
export interface Timer {
  cancel(): void
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
  | {
      kind: 'response'
      status: number
      headers: AnswerHeaders
      body: Buffer
    }
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

/** Resolves after `ms` milliseconds. Rejects with the signal's reason if the signal is aborted first. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  const { setTimeout } = await import('node:timers/promises')
  try {
    await setTimeout(ms, undefined, { signal })
  } catch {
    throw signal?.reason as Error
  }
}

interface Computer {
  hostname: string
  /** Undefined if the user has only a number, as in a container. */
  userName: string | undefined
  /** The folder for temporary files. */
  temporaryFolder: string
  /** The numbers of the signals, by their names. */
  signals: Record<string, number>
}

export interface World {
  /** Resolves after `ms` milliseconds. Rejects with the signal's reason if the signal is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Calls back once after `ms` milliseconds. The process ends without waiting for a weak timer. */
  after(ms: number, callback: () => void, kind?: 'weak'): Timer
  /** Calls back every `ms` milliseconds. The process ends without waiting for this. */
  every(ms: number, callback: () => void): Timer
  /** Lets Node handle all events that are waiting now. */
  turn(): Promise<void>
  /** Node's `fs`, with its promises. */
  disk: Disk
  computer: Computer
  /** A number from 0 up to, not including, 1. */
  random(): number
  /** Bytes that nobody can predict. */
  randomBytes(size: number): Buffer
  /** Replaces the network, for a test or a simulation. */
  openWire?: (baseUrl: string) => Wire
  /** Node's `spawn`. */
  spawn(file: string, words: readonly string[], options: SpawnOptions): ChildProcess
}

/** The world of a process of Node. */
export function worldOf(node: NodeJS.Process) {
  return {
    sleep,
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
    disk: fs,
    computer: computerOf(node),
    random: () => Math.random(),
    randomBytes: (size) => node.getBuiltinModule('node:crypto').randomBytes(size),
    spawn: (file, words, options) =>
      node.getBuiltinModule('node:child_process').spawn(file, words, options),
  } satisfies World
}

function computerOf(node: NodeJS.Process): Computer {
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

/** The person's terminal, which can be used even if stdin and stdout are pipes. Each question opens it again. */
export interface Terminal {
  input: Readable
  output: Writable
  columns: number
  close(): void
}

type TerminalHost = Readonly<{
  env: Readonly<Record<string, string | undefined>>
  platform: NodeJS.Platform
}>

/** Whether a terminal understands escape sequences. Windows has no TERM. */
export function hasEscapes({ env, platform }: TerminalHost) {
  return env['TERM'] !== 'dumb' && (platform === 'win32' || (env['TERM'] ?? '') !== '')
}

/** Whether an output gets colors. `isTerminal` says whether it is a terminal. */
export function hasColors(host: TerminalHost, isTerminal: boolean) {
  const { NO_COLOR = '', FORCE_COLOR = '' } = host.env
  if (NO_COLOR !== '') return false
  if (FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
  return isTerminal && hasEscapes(host)
}

/** Opens the terminal for a question. Returns undefined if the process has none, as in a cron job. */
export function openTerminal(node: NodeJS.Process): Terminal | undefined {
  const isWindows = node.platform === 'win32'
  const { ReadStream, WriteStream } = node.getBuiltinModule('node:tty')
  let inputFd: number | undefined
  try {
    inputFd = fs.openSync(isWindows ? '\\\\.\\CONIN$' : '/dev/tty', 'r')
    const outputFd = fs.openSync(isWindows ? '\\\\.\\CONOUT$' : '/dev/tty', 'w')
    const input = new ReadStream(inputFd)
    const output = new WriteStream(outputFd)
    return {
      input,
      output,
      columns: widthOf(output) ?? 80,
      close: () => {
        input.destroy()
        output.destroy()
      },
    }
  } catch {
    if (inputFd !== undefined) fs.closeSync(inputFd)
    return undefined
  }
}

/**
 * The stream of standard input. For a folder, for example, Node gives a placeholder that just ends. A file stream of the
 * descriptor is then returned, whose first read fails with the reason.
 */
export function standardInput(node: NodeJS.Process): Readable {
  const isPlaceholder =
    Object.getPrototypeOf(node.stdin) ===
    node.getBuiltinModule('node:stream').Readable.prototype
  return isPlaceholder ? fs.createReadStream('', { fd: 0, autoClose: false }) : node.stdin
}

/** Whether a descriptor is a terminal. */
export function isTerminal(fd: number, node: NodeJS.Process) {
  // Loading `node:tty` takes 2 ms, so it is not asked about files and pipes.
  const mayBeTerminal = node.platform === 'win32' || isDevice(fd)
  return mayBeTerminal && node.getBuiltinModule('node:tty').isatty(fd)
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
export function writeNow(fd: number, bytes: Uint8Array): Uint8Array {
  let written = 0
  try {
    while (written < bytes.length) written += fs.writeSync(fd, bytes, written)
  } catch {
    // A full pipe, a reader that is gone or a full disk. The caller writes the rest to a stream, which waits or fails.
  }
  return bytes.subarray(written)
}

/** The width of a terminal in cells; undefined if it is unknown, for which Node has 0. */
export function widthOf(terminal: { columns?: number }): number | undefined {
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

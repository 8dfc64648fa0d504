/**
 * The world as Node provides it: timers, files, names, randomness, the wire, and this process's standard streams and
 * terminal. Nothing else in `src` takes them from Node, so that a test or a simulation can replace each.
 */
import type { ChildProcess, SpawnOptions } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import * as fs from 'node:fs'

export type Disk = typeof fs
export type DiskHost = Pick<World, 'disk'>
export interface Timer {
  cancel(): void
}

export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>

/** One request as it goes out, and its connection. */
export interface WireRequest {
  method: string
  path: string
  headers: Record<string, string>
  body: Buffer
  /** It has a connection of its own. */
  isAlone: boolean
}

/** The result of a request on its connection. `sent`: whether bytes of it left. */
export type Exchange =
  | {
      kind: 'response'
      status: number
      headers: AnswerHeaders
      body: Buffer
    }
  | { kind: 'failed'; sent: boolean; error: Error }

/** A result, and the end of the use of its connection: it is not used again until it is released. */
export interface Exchanged {
  exchange: Exchange
  /** `trusted`: the answer made sense, so nothing of it can be left over on the connection. */
  release: (trusted: boolean) => void
}

/** Connections to one service. */
export interface Wire {
  /** Never rejects. `deadline` in milliseconds from now; the signal aborts at once. */
  exchange(request: WireRequest, deadline: number, signal: AbortSignal): Promise<Exchanged>
  /** Aborts requests in flight; nothing is sent anymore. */
  close(): void
}

/** Resolves after so many milliseconds. Rejects with the signal's reason if the signal is aborted. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  const { setTimeout } = await import('node:timers/promises')
  try {
    await setTimeout(ms, undefined, { signal })
  } catch {
    throw signal?.reason as Error
  }
}

export interface World {
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted before. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Calls back once after `ms`. The process ends without waiting for a weak timer. */
  after(ms: number, callback: () => void, isWeak?: 'weak'): Timer
  /** Calls back again and again. The process ends without waiting for it. */
  every(ms: number, callback: () => void): Timer
  /** Resolves when everything that is ready now was handled. */
  turn(): Promise<void>
  /** Files and folders: Node's `fs`, its promises included. */
  disk: Disk
  /** Name of this machine, the user's name, the folder for temporary files, and the numbers of signals by their names. */
  computer: ReturnType<typeof computerOf>
  /** From 0 up to, not including, 1. */
  random(): number
  /** As many bytes that nobody can foresee. */
  randomBytes(size: number): Buffer
  /** Stands in for the network: the service of this base URL. */
  openWire?: (baseUrl: string) => Wire
  /** Starts a program: Node's `spawn`. */
  spawn(file: string, words: readonly string[], options: SpawnOptions): ChildProcess
}

/** As Node has them. */
export function worldOf(node: NodeJS.Process) {
  return {
    sleep,
    after(ms, callback, isWeak) {
      const timer = setTimeout(callback, ms)
      if (isWeak === 'weak') timer.unref()
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

function computerOf(node: NodeJS.Process) {
  const os = () => node.getBuiltinModule('node:os')
  return {
    get hostname() {
      return os().hostname()
    },
    get userName() {
      try {
        return os().userInfo().username
      } catch {
        // A number without a name, as in a container.
        return undefined
      }
    },
    get temporaryFolder() {
      return os().tmpdir()
    },
    get signals(): Record<string, number> {
      return os().constants.signals
    },
  }
}

/** The person's terminal itself, which is there even when stdin and stdout are pipes. Each question opens it anew. */
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

/** Whether an output has colors; `FORCE_COLOR=0` is no as well. */
export function hasColors(host: TerminalHost, isTerminal: boolean) {
  const { NO_COLOR = '', FORCE_COLOR = '' } = host.env
  if (NO_COLOR !== '') return false
  if (FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
  return isTerminal && hasEscapes(host)
}

/** The terminal itself, for questions, even if stdin and stdout are not the terminal; undefined if there is none. */
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
    // No controlling terminal (cron, CI, a detached process): callers say so with exit code 2.
    if (inputFd !== undefined) fs.closeSync(inputFd)
    return undefined
  }
}

/**
 * Standard input, of any kind. If the descriptor is not a file, pipe, socket or terminal (a folder, for example), Node has
 * an empty stream. Reading the descriptor itself then says what is wrong with it.
 */
export function standardInput(node: NodeJS.Process): Readable {
  const isEmptyOne =
    Object.getPrototypeOf(node.stdin) ===
    node.getBuiltinModule('node:stream').Readable.prototype
  return isEmptyOne ? fs.createReadStream('', { fd: 0, autoClose: false }) : node.stdin
}

/** `node:tty` takes 2 ms to load: it is not asked about files and pipes. */
export function isTerminal(fd: number, node: NodeJS.Process) {
  return (
    (node.platform === 'win32' || isDevice(fd)) &&
    node.getBuiltinModule('node:tty').isatty(fd)
  )
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

/** Writes to a descriptor; returns what it did not take, which a stream can wait for or explain. */
export function writeNow(fd: number, bytes: Uint8Array): Uint8Array {
  let written = 0
  try {
    while (written < bytes.length) written += fs.writeSync(fd, bytes, written)
  } catch {
    // A full pipe, a reader that went away, a full disk: the stream meets it again.
  }
  return bytes.subarray(written)
}

/** A terminal that does not know its size has 0 columns. */
export function widthOf(terminal: { columns?: number } | undefined): number | undefined {
  return terminal?.columns === 0 ? undefined : terminal?.columns
}

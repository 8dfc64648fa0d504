/**
 * The outside world as one value: streams, files, time, the network, this process and its machine. `node-host.ts` takes it from
 * Node; a test or a simulation makes another. Other files of `src` get these things from it; connections are opened in `http/` and
 * `sandbox/` alone.
 */
import type { ChildProcess, SpawnOptions } from 'node:child_process'
import type { LookupAddress } from 'node:dns'
import type * as fs from 'node:fs'
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
  cwd: () => string
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
  columns: () => number | undefined
  /** Opens the controlling terminal, for questions. Returns undefined if there is none, as in a cron job. */
  terminal: () => Terminal | undefined
  /**
   * Resolves to the addresses of a host name. Rejects with ENOTFOUND, or with EAI_AGAIN if a later lookup may succeed.
   */
  lookup: (name: string) => Promise<readonly LookupAddress[]>
  /** Replaces the network, for a test or a simulation. */
  openWire?: (baseUrl: string) => Wire
  /** Node's `fs`, with its promises. */
  disk: Disk
  /** Node's `spawn`. */
  spawn: (file: string, words: readonly string[], options: SpawnOptions) => ChildProcess
  /** Milliseconds since 1970, from this machine's clock. */
  now: () => number
  /** Milliseconds of uptime, which never jump. */
  monotonic: () => number
  /** Resolves after `ms` milliseconds. Rejects with the signal's reason if the signal is aborted first. */
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** Calls back once after `ms` milliseconds. The process ends without waiting for a weak timer. */
  after: (ms: number, callback: () => void, kind?: 'weak') => Timer
  /** Calls back every `ms` milliseconds. The process ends without waiting for this. */
  every: (ms: number, callback: () => void) => Timer
  /** Lets Node handle all events that are waiting now. */
  turn: () => Promise<void>
  /** A number from 0 up to, not including, 1. */
  random: () => number
  /** Bytes that nobody can predict. */
  randomBytes: (size: number) => Buffer
  /** Calls back on every signal. The returned function ends that. */
  onSignal: (callback: (signal: Signal) => void) => () => void
  /** Calls back with Node's own warnings, which are then not printed by Node. */
  onWarning?: (callback: (text: string) => void) => void
  /** Ends this process by the signal, as if svc did not handle signals. */
  raise: (signal: Signal) => void
  /** Whether a process with this number exists, of any user. */
  isRunning: (pid: number) => boolean
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

const loopbackPattern =
  /^(?:localhost|::1|\[::1\]|127(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3})$/

/** Whether a host name is 127.0.0.0/8, ::1 (with or without brackets) or localhost. */
export function isLoopback(hostname: string) {
  return loopbackPattern.test(hostname)
}

/** The addresses of the name localhost. */
export const localhost: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/** The outside world as one value: `nodeHost(process)`, or one that a test makes. No other file of `src` reads `process`. */
import type { LookupAddress } from 'node:dns'
import type { Readable, Writable } from 'node:stream'
import manifest from '../package.json' with { type: 'json' }
import {
  isTerminal,
  openTerminal,
  standardInput,
  widthOf,
  writeNow,
  worldOf,
  type Terminal,
  type World,
} from './world.ts'

/** The version of the package. */
export const version: string = manifest.version

/** The signals that svc handles, and the exit code that a shell shows for each. */
export const signalCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

export type Signal = keyof typeof signalCodes

export interface Host extends World {
  /** The words after `svc`. */
  argv: readonly string[]
  env: Record<string, string | undefined>
  platform: NodeJS.Platform
  nodeVersion: string
  pid: number
  /** How to start this program again: an executable and its first arguments. */
  self: readonly [string, ...string[]]
  /**
   * Resolves to the addresses of a host name. Rejects with ENOTFOUND, or with EAI_AGAIN if a later lookup may succeed.
   */
  lookup(name: string): Promise<readonly LookupAddress[]>
  /** The current folder. Throws ENOENT if it was deleted. */
  cwd(): string
  stdin: Readable
  stdout: Writable
  stderr: Writable
  /**
   * Writes without opening a stream, which would take 2 ms. A stream of stderr that is open may hold earlier text, so nothing is
   * written beside it. Returns the bytes that were not written.
   */
  writeAtOnce?: (text: string, to: 'stdout' | 'stderr') => Uint8Array
  isTerminal: {
    stdin: boolean
    stdout: boolean
    stderr: boolean
  }
  /** The width in cells of stdout if it is a terminal, or else of stderr; undefined if neither is one. */
  columns(): number | undefined
  /** Opens the controlling terminal, for questions. Returns undefined if there is none. */
  terminal(): Terminal | undefined
  /** Milliseconds since 1970, from this machine's clock. */
  now(): number
  /** Milliseconds of uptime, which never jump. */
  monotonic(): number
  /** Calls back on every signal. The returned function ends that. */
  onSignal(callback: (signal: Signal) => void): () => void
  /** Calls back with Node's own warnings, which are then not printed by Node. */
  onWarning?(callback: (text: string) => void): void
  /** Ends this process by the signal, as if svc did not handle signals. Does nothing on Windows. */
  raise(signal: Signal): void
  /** Whether a process with this number exists, of any user. */
  isRunning(pid: number): boolean
  /** The user whose rights this process has; undefined on Windows. */
  userId: number | undefined
}

function onSignal(node: NodeJS.Process, callback: (signal: Signal) => void): () => void {
  const listener = (signal: NodeJS.Signals) => callback(signal as Signal)
  for (const signal of Object.keys(signalCodes)) node.on(signal, listener)
  return () => {
    for (const signal of Object.keys(signalCodes)) node.off(signal, listener)
  }
}

/** The real world. `executable` is how to start this program again, if it is an executable and no script that Node runs. */
export function nodeHost(node: NodeJS.Process, executable?: Host['self']): Host {
  let stdin: Readable | undefined
  let stderr: Writable | undefined
  const terminals = {
    stdin: isTerminal(0, node),
    stdout: isTerminal(1, node),
    stderr: isTerminal(2, node),
  }
  return {
    ...worldOf(node),
    argv: node.argv.slice(2),
    env: node.env,
    platform: node.platform,
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
      // A terminal of Windows has an encoding of its own, which its stream knows.
      const needsStream = node.platform === 'win32' && terminals[to]
      if (hasStream || needsStream) return bytes
      return writeNow(to === 'stdout' ? 1 : 2, bytes)
    },
    isTerminal: terminals,
    columns() {
      if (terminals.stdout) return widthOf(node.stdout)
      return terminals.stderr ? widthOf(node.stderr) : undefined
    },
    terminal: () => openTerminal(node),
    lookup: async (name) => (await import('node:dns/promises')).lookup(name, { all: true }),
    now: () => Date.now(),
    // Not performance.now(), which loads all of node:perf_hooks.
    monotonic() {
      const [seconds, nanoseconds] = node.hrtime()
      return seconds * 1000 + nanoseconds / 1e6
    },
    onSignal: (callback) => onSignal(node, callback),
    onWarning(callback) {
      node.removeAllListeners('warning')
      node.on('warning', ({ name, message }) => callback(`${name}: ${message}`))
    },
    raise(signal) {
      // Windows has no signals: `kill` would end the process at once, with exit code 1.
      if (node.platform === 'win32') return
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
    userId: node.platform === 'win32' ? undefined : node.geteuid?.(),
  }
}

/** The outside world as one value: `nodeHost(process)`, or a test's own. Nothing else in `src` reads `process`. */
import type { LookupAddress } from 'node:dns'
import type { Readable, Writable } from 'node:stream'
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

export type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

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
   * The addresses of a host name, as the system knows them; rejects with ENOTFOUND, or with EAI_AGAIN where that may change.
   */
  lookup(name: string): Promise<readonly LookupAddress[]>
  /** The current folder; throws ENOENT when it was deleted. */
  cwd(): string
  stdin: Readable
  stdout: Writable
  stderr: Writable
  /** Writes without opening a stream, which takes 2 ms. Returns what is left for the stream. */
  writeAtOnce?: (text: string, to: 'stdout' | 'stderr') => Uint8Array
  isTerminal: {
    stdin: boolean
    stdout: boolean
    stderr: boolean
  }
  /** Width in cells of the terminal that stdout or stderr is, undefined when neither is one. */
  columns(): number | undefined
  /** Opens the controlling terminal, for prompts; undefined if there is none. */
  terminal(): Terminal | undefined
  /** Milliseconds since 1970, from this machine's clock. */
  now(): number
  /** Milliseconds on a clock that never jumps. */
  monotonic(): number
  /** Calls back on every signal until the returned function is called. */
  onSignal(callback: (signal: Signal) => void): () => void
  /** Hands on Node's own warnings, which it would print in lines of its own. */
  onWarning?(callback: (text: string) => void): void
  /** Lets this process die by the signal, as if it had never been caught. */
  raise(signal: Signal): void
  /** Whether a process of this number exists, of whatever user. */
  isRunning(pid: number): boolean
  /** By whose rights this process reads and writes; undefined on Windows. */
  userId: number | undefined
}

const signals: readonly Signal[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

function listen(node: NodeJS.Process, callback: (signal: Signal) => void): () => void {
  const listener = (signal: NodeJS.Signals) => callback(signal as Signal)
  for (const event of signals) node.on(event, listener)
  return () => {
    for (const event of signals) node.off(event, listener)
  }
}

/** The real world. `executable`: how this program is started again, if it is an executable and no script of Node's. */
export function nodeHost(node: NodeJS.Process, executable?: Host['self']): Host {
  let stdin: Readable | undefined
  let stderr: Writable | undefined
  const terminals = {
    stdin: isTerminal(0, node),
    stdout: isTerminal(1, node),
    stderr: isTerminal(2, node),
  }
  return {
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
      // When nobody reads it any more, there is no third place to say so.
      return (stderr ??= node.stderr.on('error', () => undefined))
    },
    writeAtOnce(text, to) {
      const bytes = Buffer.from(text)
      const hasStream = to === 'stderr' && stderr !== undefined
      // A terminal of Windows has letters of its own, which its stream knows.
      if (hasStream || (node.platform === 'win32' && terminals[to])) return bytes
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
    ...worldOf(node),
    onSignal: (callback) => listen(node, callback),
    onWarning(callback) {
      node.removeAllListeners('warning')
      node.on('warning', ({ name, message }) => callback(`${name}: ${message}`))
    },
    raise(signal) {
      // Windows knows no signals: the process would end there and then, with exit code 1.
      if (node.platform === 'win32') return
      node.removeAllListeners(signal)
      node.kill(node.pid, signal)
    },
    isRunning(pid) {
      try {
        return node.kill(pid, 0)
      } catch (error) {
        // A process of another user cannot be signaled, but it is there.
        return error instanceof Error && 'code' in error && error.code === 'EPERM'
      }
    },
    userId: node.platform === 'win32' ? undefined : node.geteuid?.(),
  }
}

/** The outside world as one value: `nodeHost(process)`, or a test's own. Nothing else in `src` reads `process`. */
import type { LookupAddress } from 'node:dns'
import { closeSync, createReadStream, fstatSync, openSync, statSync, writeSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import type { Program, ProgramResult, withFiles } from './programs.ts'

export type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

/** The person's terminal itself, which is there even when stdin and stdout are pipes. */
export interface Terminal {
  input: Readable
  output: Writable
  columns: number
  /** Questions are asked line by line, and nothing is drawn again: `ACCESSIBLE=1`. */
  isPlain?: boolean
  close(): void
}

export interface Host {
  /** The words after `svc`. */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  readonly nodeVersion: string
  readonly pid: number
  /** How to start this program again: an executable and its first arguments. */
  readonly self: readonly [string, ...string[]]
  /** Whether the certificate authorities of the system are trusted beside Node's own. */
  readonly trustsSystem?: boolean
  /** The addresses of a host name, as the system knows them; rejects with ENOTFOUND, or with EAI_AGAIN where that may change. */
  lookup(name: string): Promise<readonly LookupAddress[]>
  /** The current folder; throws ENOENT when it was deleted. */
  cwd(): string
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
  /** Writes without opening a stream, which takes 2 ms. Returns what is left for the stream. */
  readonly writeAtOnce?: (text: string, to: 'stdout' | 'stderr') => Uint8Array
  readonly isTerminal: { readonly stdin: boolean; readonly stdout: boolean; readonly stderr: boolean }
  /** Width in cells of the terminal that stdout or stderr is, undefined when neither is one. */
  columns(): number | undefined
  /** Opens the controlling terminal, for prompts; undefined when there is none. */
  terminal(): Terminal | undefined
  /** Milliseconds since 1970, from this machine's clock. */
  now(): number
  /** Milliseconds on a clock that never jumps. */
  monotonic(): number
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted before. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** From 0 up to, not including, 1. */
  random(): number
  /** Calls back on every signal until the returned function is called. */
  onSignal(callback: (signal: Signal) => void): () => void
  /** Lets this process die by the signal, as if it had never been caught. */
  raise(signal: Signal): void
  /** Runs a program to its end. Rejects when it cannot be started, and when it is aborted. */
  run(program: Program): Promise<ProgramResult>
  /** Files for a program, this user's alone, for as long as the work takes. */
  withFiles: typeof withFiles
  /** Ends a process at once, or a process group by its negative number; one that is gone already stays so. */
  kill(pid: number): void
  /** Whether a process of this number exists, of whatever user. */
  isRunning(pid: number): boolean
  /** By whose rights this process reads and writes; undefined on Windows. */
  readonly userId: number | undefined
  /** The policies for all users of this machine, and who alone may write them; undefined on Windows, which has no such owners. */
  readonly machinePolicy?: { readonly path: string; readonly owner: number | undefined }
  /** The groups whose rights it has too. */
  readonly groupIds?: readonly number[] | undefined
}

export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  const { setTimeout } = await import('node:timers/promises')
  try {
    await setTimeout(ms, undefined, { signal })
  } catch {
    throw signal?.reason as Error
  }
}

/** Whether what is shown should suit a screen reader: no drawing, no layout in columns. */
export function isAccessible(env: Host['env']): boolean {
  return (env['ACCESSIBLE'] ?? '') !== '' && env['ACCESSIBLE'] !== '0'
}

function openTerminal(node: NodeJS.Process, columns: Host['columns']): Terminal | undefined {
  const { platform, env } = node
  const { ReadStream, WriteStream } = node.getBuiltinModule('node:tty')
  const [inputPath, outputPath] =
    platform === 'win32' ? (['\\\\.\\CONIN$', '\\\\.\\CONOUT$'] as const) : (['/dev/tty', '/dev/tty'] as const)
  let inputFd: number | undefined
  try {
    inputFd = openSync(inputPath, 'r')
    const outputFd = openSync(outputPath, 'w')
    const input = new ReadStream(inputFd)
    const output = new WriteStream(outputFd)
    return {
      input,
      output,
      // That of a stream of the process follows a window that is resized.
      get columns() {
        return columns() ?? widthOf(output) ?? 80
      },
      isPlain: isAccessible(env),
      close: () => {
        input.destroy()
        output.destroy()
      },
    }
  } catch {
    // No controlling terminal (cron, CI, a detached process): callers say so with exit code 9.
    if (inputFd !== undefined) closeSync(inputFd)
    return undefined
  }
}

/**
 * Standard input, whatever it is. For a descriptor that is no file, pipe, socket or terminal, a folder above all, Node has a
 * stream that is empty; reading the descriptor itself says what is wrong with it.
 */
function standardInput(node: NodeJS.Process): Readable {
  const isEmptyOne = Object.getPrototypeOf(node.stdin) === node.getBuiltinModule('node:stream').Readable.prototype
  return isEmptyOne ? createReadStream('', { fd: 0, autoClose: false }) : node.stdin
}

/** `node:tty` takes 2 ms to load: it is not asked about files and pipes. */
function isTerminal(fd: number, node: NodeJS.Process): boolean {
  return (node.platform === 'win32' || isDevice(fd)) && node.getBuiltinModule('node:tty').isatty(fd)
}

/** Whether a descriptor is a device other than the null device. */
function isDevice(fd: number): boolean {
  try {
    const status = fstatSync(fd)
    return status.isCharacterDevice() && status.rdev !== statSync('/dev/null').rdev
  } catch {
    return false
  }
}

/** Writes to a descriptor; returns what it did not take, which a stream can wait for or explain. */
function writeNow(fd: number, bytes: Uint8Array): Uint8Array {
  let written = 0
  try {
    while (written < bytes.length) written += writeSync(fd, bytes, written)
  } catch {
    // A full pipe, a reader that went away, a full disk: the stream meets it again.
  }
  return bytes.subarray(written)
}

const signals: readonly Signal[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** A terminal that does not know its size has 0 columns. */
function widthOf(terminal: { readonly columns?: number } | undefined): number | undefined {
  return terminal?.columns === 0 ? undefined : terminal?.columns
}

function listen(node: NodeJS.Process, callback: (signal: Signal) => void): () => void {
  // Ctrl-Break, which only Windows has, is meant as Ctrl-C is.
  const events: NodeJS.Signals[] = node.platform === 'win32' ? [...signals, 'SIGBREAK'] : [...signals]
  const listener = (signal: NodeJS.Signals): void => callback(signal === 'SIGBREAK' ? 'SIGINT' : (signal as Signal))
  for (const event of events) node.on(event, listener)
  return () => {
    for (const event of events) node.off(event, listener)
  }
}

/** By an option of Node, wherever it was given. */
function isToldToTrustSystem({ env, execArgv }: NodeJS.Process): boolean {
  const options = [...execArgv, ...(env['NODE_OPTIONS'] ?? '').split(/\s+/)]
  return options.includes('--use-system-ca') || env['NODE_USE_SYSTEM_CA'] === '1'
}

function kill(node: NodeJS.Process, pid: number): void {
  try {
    node.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

function isRunning(node: NodeJS.Process, pid: number): boolean {
  try {
    return node.kill(pid, 0)
  } catch (error) {
    // A process of another user cannot be signaled, but it is there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function rightsOf(node: NodeJS.Process): Pick<Host, 'userId' | 'groupIds' | 'machinePolicy'> {
  // No variable may lead elsewhere, not even the one that Windows has for this folder.
  if (node.platform === 'win32')
    return { userId: undefined, machinePolicy: { path: 'C:\\ProgramData\\svc\\policy.json', owner: undefined } }
  return {
    userId: node.geteuid?.(),
    groupIds: node.getegid === undefined ? undefined : [node.getegid(), ...(node.getgroups?.() ?? [])],
    machinePolicy: { path: '/etc/svc/policy.json', owner: 0 },
  }
}

/** The real world. `executable`: how this program is started again, if it is an executable and no script of Node's. */
export function nodeHost(node: NodeJS.Process, executable?: Host['self']): Host {
  let stdin: Readable | undefined
  let stderr: Writable | undefined
  const terminals = { stdin: isTerminal(0, node), stdout: isTerminal(1, node), stderr: isTerminal(2, node) }
  const columns = () => widthOf(terminals.stdout ? node.stdout : terminals.stderr ? node.stderr : undefined)
  return {
    argv: node.argv.slice(2),
    env: node.env,
    platform: node.platform,
    nodeVersion: node.versions.node,
    pid: node.pid,
    self: executable ?? [node.execPath, ...node.argv.slice(1, 2)],
    trustsSystem: executable !== undefined || isToldToTrustSystem(node),
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
      const isOpen = to === 'stderr' && stderr !== undefined
      // A terminal of Windows has letters of its own, which its stream knows.
      if (isOpen || (node.platform === 'win32' && terminals[to])) return bytes
      return writeNow(to === 'stdout' ? 1 : 2, bytes)
    },
    isTerminal: terminals,
    columns,
    terminal: () => openTerminal(node, columns),
    lookup: async (name) => (await import('node:dns/promises')).lookup(name, { all: true }),
    now: () => Date.now(),
    // Not performance.now(), which loads all of node:perf_hooks.
    monotonic() {
      const [seconds, nanoseconds] = node.hrtime()
      return seconds * 1000 + nanoseconds / 1e6
    },
    sleep,
    random: () => Math.random(),
    onSignal: (callback) => listen(node, callback),
    raise(signal) {
      // Windows knows no signals: the process would end there and then, with exit code 1.
      if (node.platform === 'win32') return
      node.removeAllListeners(signal)
      node.kill(node.pid, signal)
    },
    run: async (program) => (await import('./programs.ts')).runProgram(program),
    withFiles: async (files, work) => (await import('./programs.ts')).withFiles(files, work),
    kill: (pid) => kill(node, pid),
    isRunning: (pid) => isRunning(node, pid),
    ...rightsOf(node),
  }
}

/** The outside world as Node gives it. No other file of `src` reads `process`, or takes files, clocks and programs from Node. */
import * as fs from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { signalCodes, type Host, type Signal, type Terminal } from './host.ts'

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

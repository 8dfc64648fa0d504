/** Standard streams of a process, and the terminal behind them. */
import * as fs from 'node:fs'
import type { Readable, Writable } from 'node:stream'

/** The person's terminal itself, which is there even when stdin and stdout are pipes. */
export interface Terminal {
  input: Readable
  output: Writable
  columns: number
  /** Questions are asked line by line, and nothing is drawn again: `ACCESSIBLE=1`. */
  isPlain?: boolean
  close(): void
}

/** Whether what is shown should suit a screen reader: no drawing, no layout in columns. */
export function isAccessible(env: Readonly<Record<string, string | undefined>>): boolean {
  return (env['ACCESSIBLE'] ?? '') !== '' && env['ACCESSIBLE'] !== '0'
}

export function openTerminal(
  node: NodeJS.Process,
  columns: () => number | undefined,
): Terminal | undefined {
  const { platform, env } = node
  const { ReadStream, WriteStream } = node.getBuiltinModule('node:tty')
  const [inputPath, outputPath] =
    platform === 'win32'
      ? (['\\\\.\\CONIN$', '\\\\.\\CONOUT$'] as const)
      : (['/dev/tty', '/dev/tty'] as const)
  let inputFd: number | undefined
  try {
    inputFd = fs.openSync(inputPath, 'r')
    const outputFd = fs.openSync(outputPath, 'w')
    const input = new ReadStream(inputFd)
    const output = new WriteStream(outputFd)
    return {
      input,
      output,
      // A stream of the process follows a window that is resized.
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
    if (inputFd !== undefined) fs.closeSync(inputFd)
    return undefined
  }
}

/**
 * Standard input, whatever it is. For a descriptor that is no file, pipe, socket or terminal, a folder above all, Node has a
 * stream that is empty; reading the descriptor itself says what is wrong with it.
 */
export function standardInput(node: NodeJS.Process): Readable {
  const isEmptyOne =
    Object.getPrototypeOf(node.stdin) === node.getBuiltinModule('node:stream').Readable.prototype
  return isEmptyOne ? fs.createReadStream('', { fd: 0, autoClose: false }) : node.stdin
}

/** `node:tty` takes 2 ms to load: it is not asked about files and pipes. */
export function isTerminal(fd: number, node: NodeJS.Process): boolean {
  return (node.platform === 'win32' || isDevice(fd)) && node.getBuiltinModule('node:tty').isatty(fd)
}

/** Whether a descriptor is a device other than the null device. */
function isDevice(fd: number): boolean {
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
export function widthOf(terminal: { readonly columns?: number } | undefined): number | undefined {
  return terminal?.columns === 0 ? undefined : terminal?.columns
}

/** The file of `--log-file`: a JSON object per line, appended with one write each, so that processes can share it. */
import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { fileProblem } from '../errno.ts'

// Windows has neither: nobody can put a pipe in the way there.
const flags =
  constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

export class LogFile {
  readonly #path: string
  #file: number | undefined
  #failed = false

  /** The file is made, mode 0600, when there is something to write. */
  constructor(path: string) {
    this.#path = path
  }

  /** Returns why nothing more is logged, in words for a note, once. */
  append(line: string): string | undefined {
    if (this.#failed) return undefined
    try {
      this.#file ??= openLog(this.#path)
      const bytes = Buffer.from(`${line}\n`)
      if (writeSync(this.#file, bytes) < bytes.length) throw new Error('only a part of a line could be written')
      return undefined
    } catch (error) {
      this.#failed = true
      return `the log "${this.#path}" cannot be written: ${fileProblem(error)}; this command continues without it`
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }
}

/** A line that a full disk cut off must not take the next one with it. Throws what is wrong. */
function openLog(path: string): number {
  const file = openSync(path, flags, 0o600)
  try {
    const status = fstatSync(file)
    if (!status.isFile()) throw new Error('it is not a file')
    const last = Buffer.alloc(1)
    if (status.size > 0 && readSync(file, last, 0, 1, status.size - 1) === 1 && last[0] !== 0x0a) writeSync(file, '\n')
    return file
  } catch (error) {
    closeSync(file)
    throw error
  }
}

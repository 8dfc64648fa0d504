/**
 * Bytes in a temporary file without a name, so that memory holds few of them: this user's alone, and gone with the process. For output
 * that must be whole before any of it is shown (`render.ts`: xlsx, html), and for the people of a table (`directory/people.ts`).
 */
import { join } from 'node:path'
import { fileError } from '../errno.ts'
import type { Host } from '../host.ts'

export type SpoolHost = Pick<Host, 'disk' | 'computer' | 'randomBytes'>

/** Bytes that wait in memory before they are written. */
const bufferSize = 1 << 18
/** Bytes that are read at once where one read follows the other. */
const pieceSize = 1 << 16

/** Reads and writes at once: the page cache answers, and a trip through the thread pool for each text would cost more. `close` must follow. */
export class Spool {
  size = 0
  readonly #disk: SpoolHost['disk']
  readonly #path: string
  /** Opened when the first bytes are written: a few fit in memory. */
  #file: number | undefined
  /** The last bytes, which are not in the file yet. */
  #unwritten: Buffer[] = []
  #written = 0
  /** Bytes of the file that were read last, the place of the first one, and where the last read ended. */
  #read: Buffer = Buffer.alloc(0)
  #readFrom = 0
  #readTo = 0

  constructor({ disk, computer, randomBytes }: SpoolHost) {
    this.#disk = disk
    this.#path = join(computer.temporaryFolder, `svc-${randomBytes(16).toString('hex')}.part`)
  }

  /** Throws exit 10 when the disk is full. */
  push(bytes: Buffer): void {
    this.#unwritten.push(bytes)
    this.size += bytes.length
    if (this.size - this.#written >= bufferSize) this.#flush()
  }

  /** The bytes from one place up to another one. Where one read follows another, those behind them are read with them. */
  read(from: number, to: number): Buffer {
    const isSplit = from < this.#written && to > this.#written
    if (isSplit) this.#flush()
    if (from >= this.#written) {
      const unwritten = this.#join()
      return unwritten.subarray(from - this.#written, to - this.#written)
    }
    const isRead = from >= this.#readFrom && to <= this.#readFrom + this.#read.length
    if (!isRead) {
      const isNext = from === this.#readTo
      const ahead = Math.min(from + pieceSize, this.#written)
      this.#read = this.#fromFile(from, isNext ? Math.max(to, ahead) : to)
      this.#readFrom = from
    }
    this.#readTo = to
    return this.#read.subarray(from - this.#readFrom, to - this.#readFrom)
  }

  #fromFile(from: number, to: number): Buffer {
    const bytes = Buffer.allocUnsafe(to - from)
    this.#onFile((file) => {
      let at = 0
      while (at < bytes.length) {
        at += this.#disk.readSync(file, bytes, at, bytes.length - at, from + at)
      }
    })
    return bytes
  }

  close(): void {
    if (this.#file === undefined) return
    this.#disk.closeSync(this.#file)
    this.#disk.rmSync(this.#path, { force: true })
  }

  #join(): Buffer {
    if (this.#unwritten.length > 1) this.#unwritten = [Buffer.concat(this.#unwritten)]
    return this.#unwritten[0] ?? Buffer.alloc(0)
  }

  #flush(): void {
    const bytes = this.#join()
    this.#onFile((file) => {
      let at = 0
      // A call may write less than it was given.
      while (at < bytes.length) {
        at += this.#disk.writeSync(file, bytes, at, bytes.length - at, this.#written + at)
      }
    })
    this.#unwritten = []
    this.#written = this.size
  }

  #onFile(work: (file: number) => void): void {
    try {
      this.#file ??= this.#open()
      work(this.#file)
    } catch (error) {
      const hint = 'free some space, or name another folder with TMPDIR'
      throw fileError('local', `the temporary file ${this.#path} cannot be used`, error, hint)
    }
  }

  #open(): number {
    const file = this.#disk.openSync(this.#path, 'wx+', 0o600)
    // It goes with the process, however that ends. Where an open file keeps its name, it goes at the end.
    this.#disk.rmSync(this.#path, { force: true })
    return file
  }
}

/** The same bytes, handed on only when all of them are there: what fails midway leaves nothing. Throws exit 10 when there is no room. */
export async function* spoolBytes(
  host: SpoolHost,
  pieces: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  const spool = new Spool(host)
  try {
    for await (const piece of pieces) spool.push(piece)
    for (let at = 0; at < spool.size; at += pieceSize) {
      const end = Math.min(at + pieceSize, spool.size)
      yield spool.read(at, end)
    }
  } finally {
    spool.close()
  }
}

/** Texts in a temporary file without a name, so that memory holds where each begins and nothing else. */
import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileError } from '../errno.ts'
import { Numbers } from './numbers.ts'

const bufferSize = 1 << 18

/** Reads and writes at once: the page cache answers, and a trip through the thread pool for each text would cost more. */
export class LineSpool {
  readonly #path = join(tmpdir(), `svc-${randomUUID()}.part`)
  readonly #file: number
  /** Where each text begins; the end of all as the last one. */
  readonly #starts = new Numbers(true)
  #unwritten: Buffer[] = []
  #waiting = 0
  #end = 0
  /** A piece of the file, from a place on. */
  #window: Buffer = Buffer.alloc(0)
  #windowStart = 0

  /** Throws exit 10. */
  constructor() {
    this.#file = this.#try(() => {
      const file = openSync(this.#path, 'wx+', 0o600)
      // It goes with the process, however that ends. Where an open file keeps its name, it goes at the end.
      rmSync(this.#path, { force: true })
      return file
    })
    this.#starts.push(0)
  }

  get length(): number {
    return this.#starts.length - 1
  }

  /** Throws exit 10 when the disk is full. */
  push(text: string): void {
    const bytes = Buffer.from(text)
    this.#unwritten.push(bytes)
    this.#waiting += bytes.length
    this.#end += bytes.length
    this.#starts.push(this.#end)
    if (this.#waiting >= bufferSize) this.#flush()
  }

  at(index: number): string {
    this.#flush()
    const start = this.#starts.at(index)
    const length = this.#starts.at(index + 1) - start
    const place = start - this.#windowStart
    if (place >= 0 && place + length <= this.#window.length) return this.#window.toString('utf8', place, place + length)
    const bytes = Buffer.allocUnsafe(Math.min(Math.max(length, bufferSize), this.#end - start))
    this.#try(() => {
      for (let at = 0; at < bytes.length;) at += readSync(this.#file, bytes, at, bytes.length - at, start + at)
    })
    this.#window = bytes
    this.#windowStart = start
    return bytes.toString('utf8', 0, length)
  }

  close(): void {
    closeSync(this.#file)
    rmSync(this.#path, { force: true })
  }

  #flush(): void {
    if (this.#waiting === 0) return
    const bytes = Buffer.concat(this.#unwritten)
    this.#unwritten = []
    this.#waiting = 0
    const start = this.#end - bytes.length
    this.#try(() => {
      for (let at = 0; at < bytes.length;) at += writeSync(this.#file, bytes, at, bytes.length - at, start + at)
    })
  }

  #try<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      const hint = 'free some space, or name another folder with TMPDIR'
      throw fileError('local', `the temporary file ${this.#path} cannot be used`, error, hint)
    }
  }
}

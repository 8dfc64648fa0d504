/** Texts in a temporary file without a name, so that memory holds where each begins and nothing else. */
import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileError } from '../errno.ts'

const bufferSize = 1 << 18
/** Texts are asked for forward, backward and in any order: windows begin where one of this size can. */
const windowSize = 1 << 16

/** Whole numbers in a typed array that grows: a million of them take four megabytes, or eight when they may be large. */
export class Numbers {
  length = 0
  #values: Uint32Array | Float64Array

  constructor(isLarge = false) {
    this.#values = isLarge ? new Float64Array(1024) : new Uint32Array(1024)
  }

  push(value: number): void {
    if (this.length === this.#values.length) {
      const old = this.#values
      this.#values = old instanceof Uint32Array ? new Uint32Array(old.length * 2) : new Float64Array(old.length * 2)
      this.#values.set(old)
    }
    this.#values[this.length] = value
    this.length += 1
  }

  at(index: number): number {
    return this.#values[index] ?? 0
  }

  set(index: number, value: number): void {
    this.#values[index] = value
  }
}

/** Reads and writes at once: the page cache answers, and a trip through the thread pool for each text would cost more. */
export class LineSpool {
  readonly #path = join(tmpdir(), `svc-${randomUUID()}.part`)
  /** Opened when the first texts are written: a few fit in memory. */
  #file: number | undefined
  /** Where each text begins; the end of all as the last one. */
  readonly #starts = new Numbers(true)
  #unwritten: Buffer[] = []
  #written = 0
  #end = 0
  #window: Buffer = Buffer.alloc(0)
  #windowStart = 0

  constructor() {
    this.#starts.push(0)
  }

  /** Throws exit 10 when the disk is full. */
  push(text: string): void {
    const bytes = Buffer.from(text)
    this.#unwritten.push(bytes)
    this.#end += bytes.length
    this.#starts.push(this.#end)
    if (this.#end - this.#written >= bufferSize) this.#flush()
  }

  at(index: number): string {
    const [start, end] = [this.#starts.at(index), this.#starts.at(index + 1)]
    if (start >= this.#written) {
      const bytes = this.#unwritten.length === 1 ? this.#unwritten[0] : Buffer.concat(this.#unwritten)
      this.#unwritten = bytes === undefined ? [] : [bytes]
      return bytes?.toString('utf8', start - this.#written, end - this.#written) ?? ''
    }
    if (start < this.#windowStart || end > this.#windowStart + this.#window.length) this.#readWindow(start, end)
    return this.#window.toString('utf8', start - this.#windowStart, end - this.#windowStart)
  }

  close(): void {
    if (this.#file === undefined) return
    closeSync(this.#file)
    rmSync(this.#path, { force: true })
  }

  #readWindow(start: number, end: number): void {
    const from = start - (start % windowSize)
    const bytes = Buffer.allocUnsafe(Math.min(Math.max(end - from, windowSize), this.#written - from))
    this.#onFile((file) => {
      for (let at = 0; at < bytes.length;) at += readSync(file, bytes, at, bytes.length - at, from + at)
    })
    this.#window = bytes
    this.#windowStart = from
  }

  #flush(): void {
    const bytes = Buffer.concat(this.#unwritten)
    this.#onFile((file) => {
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at, bytes.length - at, this.#written + at)
    })
    this.#unwritten = []
    this.#written = this.#end
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
    const file = openSync(this.#path, 'wx+', 0o600)
    // It goes with the process, however that ends. Where an open file keeps its name, it goes at the end.
    rmSync(this.#path, { force: true })
    return file
  }
}

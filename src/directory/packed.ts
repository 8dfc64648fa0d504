/**
 * Numbers in typed arrays, texts as bytes and records in a temporary file: a table of people or an address book has millions, which take
 * few bytes here, and the garbage collector walks through none of them. `people.ts` keeps contacts in them, `sought.ts` the rows of a
 * table, and `value-index.ts` their values.
 */
import { Spool, type SpoolHost } from '../output/spool.ts'

type NumberArray = Uint8Array | Uint32Array | Float64Array

/** Whole numbers in a typed array that grows, each as large as its kind can hold. */
export class Numbers {
  length = 0
  readonly #Kind: new (length: number) => NumberArray
  #values: NumberArray

  constructor(Kind: new (length: number) => NumberArray) {
    this.#Kind = Kind
    this.#values = new Kind(1024)
  }

  push(value: number): void {
    if (this.length === this.#values.length) {
      const grown = new this.#Kind(this.length * 2)
      grown.set(this.#values)
      this.#values = grown
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

/** The first byte of a text, which says how the others are read: in latin1 where it can be, which has half the bytes. */
const encodings = ['latin1', 'utf16le'] as const
const lastOfLatin1 = 0xff

/** Texts in the order in which they were added, each as it was, half a pair of surrogates included. */
export class Texts {
  #bytes = Buffer.allocUnsafeSlow(1 << 16)
  /** Where each text begins, which is where the one before it ends. */
  readonly #starts = new Numbers(Float64Array)
  #end = 0

  constructor() {
    this.#starts.push(0)
  }

  push(text: string): void {
    const mark = isLatin1(text) ? 0 : 1
    const encoding = encodings[mark]
    const from = this.#end
    this.#end = from + 1 + Buffer.byteLength(text, encoding)
    if (this.#end > this.#bytes.length) this.#grow(from)
    this.#bytes[from] = mark
    this.#bytes.write(text, from + 1, encoding)
    this.#starts.push(this.#end)
  }

  at(index: number): string {
    const from = this.#starts.at(index)
    const encoding = encodings[this.#bytes[from] ?? 0]
    return this.#bytes.toString(encoding, from + 1, this.#starts.at(index + 1))
  }

  #grow(used: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#end))
    this.#bytes.copy(grown, 0, 0, used)
    this.#bytes = grown
  }
}

function isLatin1(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    if (text.charCodeAt(at) > lastOfLatin1) return false
  }
  return true
}

/** Values that are JSON, in a temporary file. `close` must follow. */
export class Records<T> {
  readonly #spool: Spool
  /** Where each record begins, which is where the one before it ends. */
  readonly #starts = new Numbers(Float64Array)
  size = 0

  constructor(host: SpoolHost) {
    this.#spool = new Spool(host)
    this.#starts.push(0)
  }

  /** Throws exit 10 when the disk is full. */
  push(record: T): void {
    this.#spool.push(Buffer.from(JSON.stringify(record)))
    this.#starts.push(this.#spool.size)
    this.size += 1
  }

  at(index: number): T {
    const bytes = this.#spool.read(this.#starts.at(index), this.#starts.at(index + 1))
    // This class wrote it itself.
    return JSON.parse(bytes.toString()) as T
  }

  close(): void {
    this.#spool.close()
  }
}

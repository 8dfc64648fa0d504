/**
 * Unique ids in the order in which they were first seen, in typed arrays: an id is twelve bytes of key, its line, and
 * its letter case where it has capitals, about 25 bytes with its place in the hash table. A million ids need 25 MB;
 * a Set of strings would need six times that.
 */
import { usageError } from '../errors.ts'
import { groupDigits } from '../words.ts'
import { idLength, readIdWords, type IdWords } from './id.ts'

const encodeAtOnce = 4096
/** Most tables have no more: the first block is small until then. */
const fewIds = 1024
const [openBracket = 0, comma = 0, closeBracket = 0] = Buffer.from('[,]', 'latin1')
/**
 * A slot holds a position + 1 in its lower bits and some of the hash in its upper ones, so that an id is compared with
 * another one only when it is probably the same: each comparison misses the processor's cache.
 */
const positionBits = 24
const positionMask = 2 ** positionBits - 1
/** An input has no more, whatever part of it is sent. */
const mostIds = 10_000_000

const lower = Buffer.from('0123456789abcdef', 'latin1')
const upper = Buffer.from('0123456789ABCDEF', 'latin1')

function hash(w0: number, w1: number, w2: number): number {
  let h = Math.imul(w0, 0x9e3779b1) + Math.imul(w1, 0x85ebca77) + Math.imul(w2, 0xc2b2ae3d)
  h = Math.imul(h ^ (h >>> 15), 0x27d4eb2f)
  return h ^ (h >>> 13)
}

function slotsFor(ids: number): number {
  let slots = 1024
  while (slots * 5 < ids * 8) slots *= 2
  return slots
}

export class IdTable {
  size = 0
  #slots = new Uint32Array(slotsFor(0))
  readonly #keys: Uint32Array[] = []
  /** Line of the first id of each block, and of all its ids where those are not the lines that follow (0: no id has one). */
  readonly #firstLines: number[] = []
  readonly #lines: (Uint32Array | undefined)[] = []
  /** Undefined for a block without any capital letter: the usual case, which then costs nothing. */
  readonly #capitals: (Uint32Array | undefined)[] = []
  readonly #words: IdWords = { w0: 0, w1: 0, w2: 0, capitals: 0 }
  readonly #scratch = Buffer.alloc(idLength)

  /** Makes room for about `count` more ids at once, instead of growing step by step. */
  expect(count: number): void {
    const slots = slotsFor(Math.min(this.size + count, mostIds))
    if (slots > this.#slots.length) this.#resize(slots)
  }

  /** Gives up what adding and finding ids takes, a third of the memory, until one is added or sought again. */
  settle(): void {
    this.#slots = new Uint32Array(0)
  }

  /** Adds an id, first seen on `line` (0: it has none). False when it is already there, in whatever letter case. */
  add(words: IdWords, line: number): boolean {
    const { w0, w1, w2, capitals } = words
    if (this.#slots.length === 0) this.#resize(slotsFor(this.size))
    const slots = this.#slots
    const code = hash(w0, w1, w2)
    const slot = this.#slotOf(code, w0, w1, w2)
    if (slots[slot] !== 0) return false
    const index = this.size
    if (index === mostIds)
      throw usageError(
        `there are more than ${groupDigits(mostIds)} ids, which are the most of an input`,
        'split it',
      )
    const block = index >>> blockBits
    const place = index & blockMask
    if (place === 0 || index === fewIds) this.#grow(block, index === 0 ? fewIds : blockSize)
    const keys = this.#keys[block]
    if (keys === undefined) throw new RangeError('an id block is missing')
    keys[place * 3] = w0
    keys[place * 3 + 1] = w1
    keys[place * 3 + 2] = w2
    if (place === 0) this.#firstLines[block] = line
    this.size = index + 1
    if (line !== this.#lineAt(block, place))
      (this.#lines[block] ??= this.#linesOf(block, keys.length / 3))[place] = line
    if (capitals !== 0) {
      const marks = (this.#capitals[block] ??= new Uint32Array(blockSize))
      marks[place] = capitals
    }
    slots[slot] = ((code >>> positionBits) << positionBits) | (index + 1)
    if (this.size * 8 > slots.length * 5) this.#resize(slots.length * 2)
    return true
  }

  /** Adds the id that 24 bytes are; undefined when they are none, or end in eight zeros, which may be a spreadsheet's rounding. */
  addBytes(bytes: Buffer, at: number, line: number): boolean | undefined {
    const words = this.#words
    return readIdWords(bytes, at, words) && words.w2 !== 0 ? this.add(words, line) : undefined
  }

  #grow(block: number, size: number): void {
    const keys = new Uint32Array(size * 3)
    keys.set(this.#keys[block] ?? [])
    this.#keys[block] = keys
    if (this.#lines[block] !== undefined) this.#lines[block] = this.#linesOf(block, size)
  }

  #linesOf(block: number, size: number): Uint32Array {
    return Uint32Array.from({ length: size }, (_, place) => this.#lineAt(block, place))
  }

  #lineAt(block: number, place: number): number {
    const first = this.#firstLines[block] ?? 0
    return this.#lines[block]?.[place] ?? (first === 0 ? 0 : first + place)
  }

  /** Adds an id given as 24 hexadecimal digits. Throws RangeError when it is none. */
  addText(id: string, line: number): boolean {
    if (!this.#read(id)) throw new RangeError('not an id')
    return this.add(this.#words, line)
  }

  has(id: string): boolean {
    return this.indexOf(id) >= 0
  }

  /** Position of an id, in whatever letter case; -1 when it is not there or is no id. */
  indexOf(id: string): number {
    if (!this.#read(id)) return -1
    if (this.#slots.length === 0) this.#resize(slotsFor(this.size))
    const { w0, w1, w2 } = this.#words
    const found = this.#slots[this.#slotOf(hash(w0, w1, w2), w0, w1, w2)] ?? 0
    return (found & positionMask) - 1
  }

  /** The slot of an id with this hash, or the free one where it would be. */
  #slotOf(code: number, w0: number, w1: number, w2: number): number {
    const slots = this.#slots
    const mask = slots.length - 1
    const tag = code >>> positionBits
    let slot = code & mask
    for (;;) {
      const found = slots[slot] ?? 0
      if (found === 0) return slot
      if (found >>> positionBits === tag && this.#is((found & positionMask) - 1, w0, w1, w2))
        return slot
      slot = (slot + 1) & mask
    }
  }

  /** The id at a position (from 0), as it was first written. */
  id(index: number): string {
    this.#write(index, this.#scratch, 0, true)
    return this.#scratch.toString('latin1', 0, idLength)
  }

  /** The line on which the id at this position was first seen; 0 for an argument. */
  line(index: number): number {
    this.#check(index)
    return this.#lineAt(index >>> blockBits, index & blockMask)
  }

  /** Ids from position `from` up to, not including, `to`, as first written. */
  slice(from: number, to: number): string[] {
    const lines: string[] = []
    for (const piece of this.encode(from, Math.min(to, this.size)))
      lines.push(...piece.toString('latin1', 0, piece.length - 1).split('\n'))
    return lines
  }

  /** The same, one id at least, as the text of a JSON array. */
  json(from: number, to: number): Buffer {
    const step = '["'.length + idLength + '"'.length
    const text = Buffer.alloc((to - from) * step + 1, '"')
    for (let i = 0; i < to - from; i += 1) {
      text[i * step] = i === 0 ? openBracket : comma
      this.#write(from + i, text, i * step + 2, true)
    }
    text[text.length - 1] = closeBracket
    return text
  }

  *[Symbol.iterator](): Generator<string> {
    for (let index = 0; index < this.size; index += 1) yield this.id(index)
  }

  /** The ids as a file holds them: one a line, each line ended. A piece is valid until the next one is asked for. */
  *encode(from = 0, to = this.size, order?: Uint32Array): Generator<Buffer> {
    const all = Buffer.alloc(Math.min(encodeAtOnce, to - from) * (idLength + 1), 0x0a)
    for (let start = from; start < to; start += encodeAtOnce) {
      const piece = all.subarray(0, (to - start) * (idLength + 1))
      for (let at = 0; at < piece.length; at += idLength + 1) {
        const index = start + at / (idLength + 1)
        this.#write(order?.[index] ?? index, piece, at, order === undefined)
      }
      yield piece
    }
  }

  /** The same as a set: lower case and sorted. */
  encodeSet(): Generator<Buffer> {
    return this.encode(0, this.size, sortedPositions(this.#keys, this.size))
  }

  #read(id: string): boolean {
    if (id.length !== idLength) return false
    // A wide character written as latin1 could pass for another one.
    for (let i = 0; i < idLength; i += 1) if (id.charCodeAt(i) > 0x7f) return false
    this.#scratch.write(id, 0, idLength, 'latin1')
    return readIdWords(this.#scratch, 0, this.#words)
  }

  #is(index: number, w0: number, w1: number, w2: number): boolean {
    const keys = this.#keys[index >>> blockBits]
    if (keys === undefined) return false
    const at = (index & blockMask) * 3
    return keys[at + 2] === w2 >>> 0 && keys[at + 1] === w1 >>> 0 && keys[at] === w0 >>> 0
  }

  #check(index: number): void {
    if (!Number.isInteger(index) || index < 0 || index >= this.size) {
      throw new RangeError(`no id at position ${index} of ${this.size}`)
    }
  }

  #write(index: number, into: Buffer, at: number, asWritten: boolean): void {
    this.#check(index)
    const block = index >>> blockBits
    const place = index & blockMask
    const keys = this.#keys[block]
    const capitals = asWritten ? (this.#capitals[block]?.[place] ?? 0) : 0
    for (let word = 0; word < 3; word += 1) {
      const digits = keys?.[place * 3 + word] ?? 0
      for (let i = 0; i < 8; i += 1) {
        const digit = (digits >>> (28 - i * 4)) & 15
        const bit = (capitals >>> (23 - word * 8 - i)) & 1
        into[at + word * 8 + i] = (bit === 1 ? upper : lower)[digit] ?? 0
      }
    }
  }

  #resize(count: number): void {
    const slots = new Uint32Array(count)
    const mask = count - 1
    for (let index = 0; index < this.size; index += 1) {
      const keys = this.#keys[index >>> blockBits]
      const at = (index & blockMask) * 3
      const code = hash(keys?.[at] ?? 0, keys?.[at + 1] ?? 0, keys?.[at + 2] ?? 0)
      let slot = code & mask
      while (slots[slot] !== 0) slot = (slot + 1) & mask
      slots[slot] = ((code >>> positionBits) << positionBits) | (index + 1)
    }
    this.#slots = slots
  }
}

/** Ids lie in blocks, so that a table grows without being copied. */
const blockBits = 16
const blockSize = 1 << blockBits
const blockMask = blockSize - 1

/** Three words of eight digits an id. */
type Blocks = readonly Uint32Array[]

/** An id is sorted by so many bits at a time. */
const digitBits = 8
const digits = 12

/** The positions of the first `size` ids, sorted by id: by one digit after the other, the last one first. */
function sortedPositions(blocks: Blocks, size: number): Uint32Array {
  let order = new Uint32Array(size)
  for (let index = 0; index < size; index += 1) order[index] = index
  let next = new Uint32Array(size)
  for (let digit = digits - 1; digit >= 0; digit -= 1) {
    const places = firstPlaces(blocks, size, digit)
    if (places === undefined) continue
    for (let i = 0; i < size; i += 1) {
      const index = order[i] ?? 0
      const value = digitOf(blocks, index, digit)
      const place = places[value] ?? 0
      next[place] = index
      places[value] = place + 1
    }
    ;[order, next] = [next, order]
  }
  return order
}

/** By value of this digit: how many ids have a smaller one. Undefined when all ids have the same. */
function firstPlaces(blocks: Blocks, size: number, digit: number): Uint32Array | undefined {
  const counts = new Uint32Array(1 << digitBits)
  for (let index = 0; index < size; index += 1) {
    const value = digitOf(blocks, index, digit)
    counts[value] = (counts[value] ?? 0) + 1
  }
  if (counts.includes(size)) return undefined
  let before = 0
  return counts.map((count) => {
    before += count
    return before - count
  })
}

/** The `digit`th of twelve. */
function digitOf(blocks: Blocks, index: number, digit: number): number {
  const word = blocks[index >>> blockBits]?.[(index & blockMask) * 3 + (digit >>> 2)] ?? 0
  return (word >>> (24 - (digit & 3) * 8)) & 255
}

/**
 * Unique ids in the order in which they were first seen, in typed arrays: an id is twelve bytes of key, its line, and
 * its letter case where it has capitals, about 25 bytes with its place in the hash table. A million ids need 25 MB;
 * a Set of strings would need six times that. `reader.ts`, `pairs.ts` and `annotated.ts` fill one from an input, `bulk/record/run-files.ts` from
 * the file of a run, `plans` from a plan, and `directory` with the contacts that it reads; runs and verbs are handed theirs.
 *
 * How it works. Ids lie in blocks of 65,536, in the order in which they came; the position of an id is its number in that order. A hash
 * table with open addressing leads from an id to its position. Each part of it that most inputs do not need (letter case, lines that do not
 * follow each other) is made only for the blocks that need it.
 */
import { usageError, type SvcError } from '../errors.ts'
import { groupDigits } from '../words.ts'
import { blockBits, blockMask, blockSize, sortedPositions, wordsOfId } from './id-blocks.ts'
import { idLength, readIdWords, type IdWords } from './id.ts'

/** How many ids a piece of `encode` has. */
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
  const first = Math.imul(w0, 0x9e3779b1)
  const second = Math.imul(w1, 0x85ebca77)
  const third = Math.imul(w2, 0xc2b2ae3d)
  const sum = first + second + third
  const mixed = Math.imul(sum ^ (sum >>> 15), 0x27d4eb2f)
  return mixed ^ (mixed >>> 13)
}

/** Five eighths of the slots are taken at most: with more, the next free one is too far away. */
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
  readonly #words: IdWords = {
    w0: 0,
    w1: 0,
    w2: 0,
    capitals: 0,
  }
  readonly #scratch = Buffer.alloc(idLength)

  /** Makes room for about `count` more ids at once, instead of growing step by step. */
  expect(count: number): void {
    const most = Math.min(this.size + count, mostIds)
    const slots = slotsFor(most)
    if (slots > this.#slots.length) this.#resize(slots)
  }

  /** Gives up what adding and finding ids takes, a third of the memory, until one is added or sought again. */
  settle(): void {
    this.#slots = new Uint32Array(0)
  }

  /** Adds an id, first seen on `line` (0: it has none). False when it is already there, in whatever letter case. */
  add(words: IdWords, line: number): boolean {
    const { w0, w1, w2, capitals } = words
    // It was given up by `settle`.
    if (this.#slots.length === 0) this.#resize(slotsFor(this.size))
    const slots = this.#slots
    const code = hash(w0, w1, w2)
    const slot = this.#slotOf(code, w0, w1, w2)
    if (slots[slot] !== 0) return false
    const index = this.size
    if (index === mostIds) throw tooManyIds()
    const block = index >>> blockBits
    const place = index & blockMask
    // The first block is small until it is full.
    const isFull = place === 0 || index === fewIds
    if (isFull) {
      const ids = index === 0 ? fewIds : blockSize
      this.#grow(block, ids)
    }
    const keys = this.#keys[block]
    if (keys === undefined) throw new RangeError('an id block is missing')
    const at = place * wordsOfId
    keys[at] = w0
    keys[at + 1] = w1
    keys[at + 2] = w2
    if (place === 0) this.#firstLines[block] = line
    this.size = index + 1
    if (line !== this.#lineAt(block, place)) {
      const room = keys.length / wordsOfId
      const lines = (this.#lines[block] ??= this.#linesOf(block, room))
      lines[place] = line
    }
    if (capitals !== 0) {
      const marks = (this.#capitals[block] ??= new Uint32Array(blockSize))
      marks[place] = capitals
    }
    slots[slot] = slotValue(code, index)
    if (this.size * 8 > slots.length * 5) this.#resize(slots.length * 2)
    return true
  }

  /** Adds the id that 24 bytes are; undefined when they are none, or end in eight zeros, which may be a spreadsheet's rounding. */
  addBytes(bytes: Buffer, at: number, line: number): boolean | undefined {
    const words = this.#words
    if (!readIdWords(bytes, at, words)) return undefined
    return words.w2 === 0 ? undefined : this.add(words, line)
  }

  /** Makes room for `size` ids in a block, with those that are there. */
  #grow(block: number, size: number): void {
    const keys = new Uint32Array(size * wordsOfId)
    keys.set(this.#keys[block] ?? [])
    this.#keys[block] = keys
    if (this.#lines[block] !== undefined) this.#lines[block] = this.#linesOf(block, size)
  }

  /** The lines of a block's ids one by one, once they are not those that follow the first one. */
  #linesOf(block: number, size: number): Uint32Array {
    return Uint32Array.from({ length: size }, (_, place) => this.#lineAt(block, place))
  }

  #lineAt(block: number, place: number): number {
    const line = this.#lines[block]?.[place]
    if (line !== undefined) return line
    const first = this.#firstLines[block] ?? 0
    return first === 0 ? 0 : first + place
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
    const code = hash(w0, w1, w2)
    const slot = this.#slotOf(code, w0, w1, w2)
    const value = this.#slots[slot] ?? 0
    return positionIn(value)
  }

  /** The slot of an id with this hash, or the free one where it would be. */
  #slotOf(code: number, w0: number, w1: number, w2: number): number {
    const slots = this.#slots
    const mask = slots.length - 1
    const tag = code >>> positionBits
    let slot = code & mask
    for (;;) {
      const value = slots[slot] ?? 0
      if (value === 0) return slot
      const isLikely = value >>> positionBits === tag
      if (isLikely && this.#is(positionIn(value), w0, w1, w2)) return slot
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
    const block = index >>> blockBits
    const place = index & blockMask
    return this.#lineAt(block, place)
  }

  /** Ids from position `from` up to, not including, `to`, as first written. */
  slice(from: number, to: number): string[] {
    const lines: string[] = []
    for (const piece of this.encode(from, Math.min(to, this.size))) {
      const text = piece.toString('latin1', 0, piece.length - 1)
      lines.push(...text.split('\n'))
    }
    return lines
  }

  /** The same, one id at least, as the text of a JSON array. */
  json(from: number, to: number): Buffer {
    const before = '["'.length
    const step = before + idLength + '"'.length
    const count = to - from
    // All quotes are there from the beginning, and the rest is written over them.
    const text = Buffer.alloc(count * step + 1, '"')
    for (let i = 0; i < count; i += 1) {
      const at = i * step
      text[at] = i === 0 ? openBracket : comma
      this.#write(from + i, text, at + before, true)
    }
    text[text.length - 1] = closeBracket
    return text
  }

  *[Symbol.iterator](): Generator<string> {
    for (let index = 0; index < this.size; index += 1) yield this.id(index)
  }

  /** The ids as a file holds them: one a line, each line ended. A piece is valid until the next one is asked for. */
  *encode(from = 0, to = this.size, order?: Uint32Array): Generator<Buffer> {
    const lineLength = idLength + 1
    const most = Math.min(encodeAtOnce, to - from)
    const lines = Buffer.alloc(most * lineLength, 0x0a)
    for (let start = from; start < to; start += encodeAtOnce) {
      const piece = lines.subarray(0, (to - start) * lineLength)
      let index = start
      for (let at = 0; at < piece.length; at += lineLength) {
        this.#write(order?.[index] ?? index, piece, at, order === undefined)
        index += 1
      }
      yield piece
    }
  }

  /** The same as a set: lower case and sorted. */
  encodeSet(): Generator<Buffer> {
    const order = sortedPositions(this.#keys, this.size)
    return this.encode(0, this.size, order)
  }

  /** Reads an id into `#words`; false when it is none. */
  #read(id: string): boolean {
    if (id.length !== idLength) return false
    // A wide character written as latin1 could pass for another one.
    for (let i = 0; i < idLength; i += 1) {
      if (id.charCodeAt(i) > 0x7f) return false
    }
    this.#scratch.write(id, 0, idLength, 'latin1')
    return readIdWords(this.#scratch, 0, this.#words)
  }

  #is(index: number, w0: number, w1: number, w2: number): boolean {
    const keys = this.#keys[index >>> blockBits]
    if (keys === undefined) return false
    const at = (index & blockMask) * wordsOfId
    // The last word differs most often. Words are signed here, and unsigned in the array.
    if (keys[at + 2] !== w2 >>> 0) return false
    if (keys[at + 1] !== w1 >>> 0) return false
    return keys[at] === w0 >>> 0
  }

  #check(index: number): void {
    if (!Number.isInteger(index) || index < 0 || index >= this.size) {
      throw new RangeError(`no id at position ${index} of ${this.size}`)
    }
  }

  /** Writes the 24 digits of an id into a buffer, in their letter case or in small letters. */
  #write(index: number, into: Buffer, at: number, asWritten: boolean): void {
    this.#check(index)
    const block = index >>> blockBits
    const place = index & blockMask
    const keys = this.#keys[block]
    const capitals = asWritten ? (this.#capitals[block]?.[place] ?? 0) : 0
    for (let word = 0; word < wordsOfId; word += 1) {
      const digits = keys?.[place * wordsOfId + word] ?? 0
      for (let i = 0; i < 8; i += 1) {
        const digit = (digits >>> (28 - i * 4)) & 15
        const bit = (capitals >>> (23 - word * 8 - i)) & 1
        const letters = bit === 1 ? upper : lower
        into[at + word * 8 + i] = letters[digit] ?? 0
      }
    }
  }

  /** Makes the hash table anew, with `count` slots: a power of two. */
  #resize(count: number): void {
    const slots = new Uint32Array(count)
    const mask = count - 1
    for (let index = 0; index < this.size; index += 1) {
      const keys = this.#keys[index >>> blockBits]
      const at = (index & blockMask) * wordsOfId
      const w0 = keys?.[at] ?? 0
      const w1 = keys?.[at + 1] ?? 0
      const w2 = keys?.[at + 2] ?? 0
      const code = hash(w0, w1, w2)
      let slot = code & mask
      while (slots[slot] !== 0) slot = (slot + 1) & mask
      slots[slot] = slotValue(code, index)
    }
    this.#slots = slots
  }
}

function tooManyIds(): SvcError {
  const words = `there are more than ${groupDigits(mostIds)} ids, which are the most of an input`
  return usageError(words, 'split it')
}

/** A slot that leads to an id with this hash. */
function slotValue(code: number, position: number): number {
  const tag = code >>> positionBits
  return (tag << positionBits) | (position + 1)
}

/** The position that a slot leads to; -1 for a free one. */
function positionIn(value: number): number {
  return (value & positionMask) - 1
}

/**
 * Items of a run: ids or pairs by position, the file `items` that holds them, the batches they are cut into, and the checksums by which inputs, plans
 * and runs are compared. `read.ts` and plans make items, `read-run.ts` reads those of a run.
 */
import { idPattern } from '../../values.ts'
import { sha256 } from './header.ts'

/** The most ids or pairs that a command sends and a plan holds. */
export const mostSent = 1_000_000

export interface Item {
  readonly id: string
  /** Line of the input; 0 for an argument. */
  readonly line: number
  /** The second party of a pair. */
  readonly other?: string
  /** The assignee that the ticket of an undo must have. */
  readonly from?: string
}

export class Items {
  readonly kind: 'ids' | 'pairs'
  readonly #ids: readonly string[]
  readonly #lines: Uint32Array
  readonly #pairs: readonly Pick<Item, 'other' | 'from'>[]
  #positions: Map<string, number> | undefined

  private constructor(
    ids: readonly string[],
    lines: Uint32Array,
    pairs?: readonly Pick<Item, 'other' | 'from'>[],
  ) {
    this.kind = pairs === undefined ? 'ids' : 'pairs'
    this.#ids = ids
    this.#lines = lines
    this.#pairs = pairs ?? []
  }

  /** Ids with their lines. */
  static ofIds(ids: readonly string[], lineOf: (position: number) => number): Items {
    return new Items(
      ids,
      Uint32Array.from(ids, (_, position) => lineOf(position)),
    )
  }

  static ofPairs(pairs: readonly Item[]): Items {
    const ids = pairs.map(({ id }) => id)
    return new Items(
      ids,
      Uint32Array.from(pairs, ({ line }) => line),
      pairs,
    )
  }

  /** The items in the bytes of an items file; undefined if they are not such a file. The caller compares the checksum. */
  static parse(text: string, kind: 'ids' | 'pairs'): Items | undefined {
    if (text !== '' && !text.endsWith('\n')) return undefined
    const items: Item[] = []
    for (const line of text === '' ? [] : text.slice(0, -1).split('\n')) {
      const words = line.split(' ')
      const number = Number(words.pop())
      const [id = '', other, from] = words
      const isWhole = [id, ...words].every((word) => idPattern.test(word))
      const isOfKind = (kind === 'pairs') === (other !== undefined)
      if (!isWhole || !isOfKind || !Number.isSafeInteger(number)) return undefined
      items.push({
        id,
        line: number,
        ...(other === undefined ? {} : { other }),
        ...(from === undefined ? {} : { from }),
      })
    }
    if (kind === 'pairs') return Items.ofPairs(items)
    return Items.ofIds(
      items.map(({ id }) => id),
      (position) => items[position]?.line ?? 0,
    )
  }

  get size(): number {
    return this.#ids.length
  }

  get ids(): readonly string[] {
    return this.#ids
  }

  /** The items as pairs, for the checks of an operation. */
  get pairs(): readonly {
    readonly id: string
    readonly other: string
    readonly line: number
  }[] {
    return this.#ids.map((_, position) => ({ other: '', ...this.at(position) }))
  }

  /** Whether no id appears twice. */
  get isUnique(): boolean {
    return new Set(this.#ids.map((_, position) => this.#key(position))).size === this.size
  }

  at(position: number): Item {
    const id = this.#ids[position]
    if (id === undefined) throw new RangeError(`no item at ${position}`)
    const { other, from } = this.#pairs[position] ?? {}
    const item = { id, line: this.#lines[position] ?? 0 }
    if (other === undefined) return item
    return from === undefined ? { ...item, other } : { ...item, other, from }
  }

  slice(from: number, to: number): readonly string[] {
    return this.#ids.slice(from, to)
  }

  /** The position of an id in either letter case; -1 if it is missing. */
  indexOf(id: string): number {
    this.#positions ??= new Map(
      this.#ids.map((each, position) => [each.toLowerCase(), position]),
    )
    return this.#positions.get(id.toLowerCase()) ?? -1
  }

  /** The file of a run: an item per line, with its line in the input. */
  *bytes(): Generator<Buffer> {
    yield* this.#encode(
      (position) => `${this.#words(position)} ${this.#lines[position] ?? 0}\n`,
    )
  }

  /** SHA-256 of them as they are sent, one per line. */
  sha256(): string {
    return sha256(this.#encode((position) => `${this.#words(position)}\n`))
  }

  /** Checksum as a set: no matter their order, letter case and duplicates. */
  setSha256(): string {
    const keys = new Set(this.#ids.map((_, position) => this.#key(position)))
    return sha256([...keys].sort().map((key) => `${key}\n`))
  }

  /** Ids in small letters; a name as it was typed. */
  #key(position: number): string {
    const words = this.#words(position)
    const other = this.#pairs[position]?.other
    return other === undefined || idPattern.test(other)
      ? words.toLowerCase()
      : words.slice(0, 24).toLowerCase() + words.slice(24)
  }

  #words(position: number): string {
    const { other, from } = this.#pairs[position] ?? {}
    const id = this.#ids[position] ?? ''
    if (other === undefined) return id
    return from === undefined ? `${id} ${other}` : `${id} ${other} ${from}`
  }

  *#encode(lineOf: (position: number) => string): Generator<Buffer> {
    const atOnce = 8192
    for (let start = 0; start < this.size; start += atOnce) {
      let text = ''
      const end = Math.min(start + atOnce, this.size)
      for (let position = start; position < end; position += 1) text += lineOf(position)
      yield Buffer.from(text)
    }
  }
}

/** Consecutive positions, cut into batches; the last one may be shorter. A recorded run is cut again from its size and batch size alone. */
export class Batches {
  readonly items: number
  readonly size: number
  readonly total: number

  constructor(items: number, size: number) {
    this.items = items
    this.size = size
    this.total = Math.ceil(items / size)
  }

  /** Positions of a batch, from 1: `from` up to, not including, `to`. */
  range(batch: number): { readonly from: number; readonly to: number } {
    if (batch < 1 || batch > this.total)
      throw new RangeError(`no batch ${batch} of ${this.total}`)
    const from = (batch - 1) * this.size
    return { from, to: Math.min(from + this.size, this.items) }
  }

  /** The batch of a position. */
  at(position: number): number {
    return 1 + Math.floor(position / this.size)
  }

  /** How many items these batches have. */
  count(batches: Iterable<number>): number {
    let count = 0
    for (const batch of batches) {
      const { from, to } = this.range(batch)
      count += to - from
    }
    return count
  }

  /** Numbers of all batches. */
  *numbers(): Generator<number> {
    for (let batch = 1; batch <= this.total; batch += 1) yield batch
  }
}

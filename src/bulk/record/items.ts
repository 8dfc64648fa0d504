/**
 * Items of a run: ids or pairs by position, the file `items` that holds them, the batches they are cut into, and the checksums by which inputs, plans
 * and runs are compared. `read.ts` and plans make items, `read-run.ts` reads those of a run.
 */
import { idPattern } from '../../values.ts'
import { sha256 } from './header.ts'

/** A command sends no more ids or pairs, and a plan holds no more. */
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
  readonly #items: readonly Item[]
  #positions: Map<string, number> | undefined

  private constructor(kind: 'ids' | 'pairs', items: readonly Item[]) {
    this.kind = kind
    this.#items = items
  }

  /** Ids with their lines. */
  static ofIds(ids: readonly string[], lineOf: (position: number) => number): Items {
    return new Items(
      'ids',
      ids.map((id, position) => ({ id, line: lineOf(position) })),
    )
  }

  static ofPairs(pairs: readonly Item[]): Items {
    return new Items('pairs', pairs)
  }

  /** The items of a file of a run; undefined when it is none. Its checksum is compared by the caller. */
  static parse(text: string, kind: 'ids' | 'pairs'): Items | undefined {
    const items: Item[] = []
    const lines = text.split('\n')
    if (lines.pop() !== '') return undefined
    for (const line of lines) {
      const words = line.split(' ')
      const number = Number(words.pop())
      const [id = '', other, from] = words
      const isWhole = [id, ...words].every((word) => idPattern.test(word))
      const isOfKind = (kind === 'pairs') === (other !== undefined)
      if (!isWhole || !isOfKind || !Number.isSafeInteger(number)) return undefined
      const pair = {
        ...(other !== undefined && { other }),
        ...(from !== undefined && { from }),
      }
      items.push({ id, line: number, ...pair })
    }
    return new Items(kind, items)
  }

  get size(): number {
    return this.#items.length
  }

  get ids(): readonly string[] {
    return this.slice(0, this.size)
  }

  /** The items as pairs, for the checks of an operation. */
  get pairs(): readonly (Item & { readonly other: string })[] {
    return this.#items.map((item) => ({ other: '', ...item }))
  }

  /** Whether none is there twice. */
  get isUnique(): boolean {
    return this.#keys().size === this.size
  }

  at(position: number): Item {
    const item = this.#items[position]
    if (item === undefined) throw new RangeError(`no item at ${position}`)
    return item
  }

  slice(from: number, to: number): readonly string[] {
    return this.#items.slice(from, to).map(({ id }) => id)
  }

  /** Position of an id in either letter case; -1 when it is not there. */
  indexOf(id: string): number {
    this.#positions ??= new Map(
      this.#items.map((item, position) => [item.id.toLowerCase(), position]),
    )
    return this.#positions.get(id.toLowerCase()) ?? -1
  }

  /** The file of a run: an item per line, with its line in the input. */
  bytes(): Generator<Buffer> {
    return this.#encode((item) => `${wordsOf(item)} ${item.line}\n`)
  }

  /** SHA-256 of them as they are sent, one per line. */
  sha256(): string {
    return sha256(this.#encode((item) => `${wordsOf(item)}\n`))
  }

  /** Checksum as a set: no matter their order, letter case and duplicates. */
  setSha256(): string {
    return sha256([...this.#keys()].sort().map((key) => `${key}\n`))
  }

  #keys(): ReadonlySet<string> {
    return new Set(this.#items.map(keyOf))
  }

  *#encode(lineOf: (item: Item) => string): Generator<Buffer> {
    const atOnce = 8192
    for (let start = 0; start < this.size; start += atOnce) {
      const lines = this.#items.slice(start, start + atOnce).map(lineOf)
      yield Buffer.from(lines.join(''))
    }
  }
}

/** `id`, `id other`, or in an undo `id other from`. */
const wordsOf = ({ id, other, from }: Item): string =>
  [id, other, from].filter((word) => word !== undefined).join(' ')

/** Ids in small letters; a name as it was typed. */
function keyOf(item: Item): string {
  const words = wordsOf(item)
  const { other } = item
  return other === undefined || idPattern.test(other)
    ? words.toLowerCase()
    : words.slice(0, 24).toLowerCase() + words.slice(24)
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

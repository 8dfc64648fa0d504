/**
 * The items of a run, ids or pairs by position; the batches that they are cut into, their form in `ids` lines, and the
 * checksums by which inputs and runs are compared.
 */
import { createHash } from 'node:crypto'
import { idPattern } from '../values.ts'
import type { InputCounts, ItemTuple, NewLineOf } from './lines.ts'

/** The most ids or pairs that a command sends. */
export const mostSent = 1_000_000

export interface Item {
  id: string
  /** Line of the input; 0 for an argument. */
  line: number
  /** The second party of a pair. */
  other?: string | undefined
  /** The assignee that the ticket of an undo must have. */
  expected?: string | undefined
}

type Parties = Pick<Item, 'other' | 'expected'>

/** SHA-256 of all pieces together, in hexadecimal. */
export function sha256(pieces: Iterable<Uint8Array | string>): string {
  const sum = createHash('sha256')
  for (const piece of pieces) sum.update(piece)
  return sum.digest('hex')
}

/** Digits of an id. */
const idLength = 24

/** How many lines are hashed at once: a call for each takes several times as long. */
const linesAtOnce = 4096

/** SHA-256 of texts, one per line. */
function sha256OfLines(texts: readonly string[]) {
  const sum = createHash('sha256')
  for (let from = 0; from < texts.length; from += linesAtOnce)
    sum.update(`${texts.slice(from, from + linesAtOnce).join('\n')}\n`)
  return sum.digest('hex')
}

export class Items {
  readonly kind: 'ids' | 'pairs'
  readonly ids: readonly string[]
  readonly #lines: Uint32Array
  readonly #pairs: readonly Parties[]
  #positions: Map<string, number> | undefined

  private constructor(
    ids: readonly string[],
    lines: Uint32Array,
    pairs?: readonly Parties[],
  ) {
    this.kind = pairs === undefined ? 'ids' : 'pairs'
    this.ids = ids
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

  get size() {
    return this.ids.length
  }

  /** The items as pairs, for the checks of an operation. */
  get pairs(): readonly {
    id: string
    other: string
    line: number
  }[] {
    return this.ids.map((id, position) => {
      const { other = '', line } = this.at(position)
      return { id, other, line }
    })
  }

  at(position: number): Item {
    const id = this.ids[position]
    if (id === undefined) throw new RangeError(`no item at ${position}`)
    const { other, expected } = this.#pairs[position] ?? {}
    return { id, line: this.#lines[position] ?? 0, other, expected }
  }

  /** The position of an id in either letter case; -1 if it is missing. */
  indexOf(id: string) {
    this.#positions ??= new Map(
      this.ids.map((each, position) => [each.toLowerCase(), position]),
    )
    return this.#positions.get(id.toLowerCase()) ?? -1
  }

  /** The `ids` lines of a run. */
  *idsLines(batches: Batches): Generator<NewLineOf<'ids'>> {
    for (const b of batches.numbers()) {
      const { from, to } = batches.range(b)
      const ids: ItemTuple[] = []
      for (let position = from; position < to; position += 1)
        ids.push(this.#tuple(position))
      yield { t: 'ids', b, ids }
    }
  }

  #tuple(position: number): ItemTuple {
    const { id, line, other, expected } = this.at(position)
    if (other === undefined) return [id, line]
    return expected === undefined ? [id, line, other] : [id, line, other, expected]
  }

  /** SHA-256 of them as they are sent, one per line. */
  sha256() {
    return sha256OfLines(
      this.kind === 'ids' ? this.ids : this.ids.map((_, position) => this.#text(position)),
    )
  }

  /** Checksum as a set: no matter their order, letter case and duplicates. */
  setSha256() {
    const sorted = this.ids.map((_, position) => this.#key(position)).sort()
    return sha256OfLines(sorted.filter((key, n) => key !== sorted[n - 1]))
  }

  /** Whether these are the same ids in the same order, from the same lines. */
  isSameInput(other: Items) {
    const isSame = (id: string, at: number) =>
      id === other.ids[at] && this.#lines[at] === other.#lines[at]
    return this.size === other.size && this.ids.every(isSame)
  }

  /** Whether no id appears twice. */
  get isUnique() {
    return new Set(this.ids.map((_, position) => this.#key(position))).size === this.size
  }

  /** Ids in lower case; a name as it was typed. */
  #key(position: number) {
    const text = this.#text(position)
    const other = this.#pairs[position]?.other
    return other === undefined || idPattern.test(other)
      ? text.toLowerCase()
      : text.slice(0, idLength).toLowerCase() + text.slice(idLength)
  }

  #text(position: number) {
    const { other, expected } = this.#pairs[position] ?? {}
    const id = this.ids[position] ?? ''
    if (other === undefined) return id
    return expected === undefined ? `${id} ${other}` : `${id} ${other} ${expected}`
  }
}

/** Items, with what was read beside them. `leftOut`: rows of a table, or tickets that an undo leaves out. */
export interface CountedItems {
  items: Items
  read: number
  duplicates: number
  invalid: number
  leftOut: number
}

export const countsOf = ({ items, leftOut, ...counts }: CountedItems): InputCounts => ({
  read: counts.read,
  unique: items.size,
  duplicates: counts.duplicates,
  invalid: counts.invalid,
  ...(leftOut > 0 && { leftOut }),
  sha256: items.sha256(),
})

/** The items of `ids` lines as they come. */
export class ItemsBuilder {
  readonly #ids: string[] = []
  readonly #lines: number[] = []
  readonly #pairs: Parties[] = []
  /** How many ids each line had. */
  readonly sizes: number[] = []

  add(tuples: readonly ItemTuple[]) {
    for (const [id, line, other, expected] of tuples) {
      this.#ids.push(id)
      this.#lines.push(line)
      if (other !== undefined) this.#pairs.push({ other, expected })
    }
    this.sizes.push(tuples.length)
  }

  /** Undefined if some items are pairs and others are not, or not all batches but the last are equally large. */
  build(kind: Items['kind']): { items: Items; batches: Batches } | undefined {
    const [first = 1] = this.sizes
    const isRegular = this.sizes.every((size, i) =>
      i < this.sizes.length - 1 ? size === first : size <= first,
    )
    const pairCount = kind === 'pairs' ? this.#ids.length : 0
    if (!isRegular || this.#pairs.length !== pairCount) return undefined
    const lineAt = (position: number) => this.#lines[position] ?? 0
    const items =
      kind === 'ids'
        ? Items.ofIds(this.#ids, lineAt)
        : Items.ofPairs(
            this.#ids.map((id, at) => ({ id, line: lineAt(at), ...this.#pairs[at] })),
          )
    return { items, batches: new Batches(items.size, first) }
  }
}

/** Consecutive positions, cut into batches; the last one may be shorter. */
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
  range(batch: number): { from: number; to: number } {
    if (batch < 1 || batch > this.total)
      throw new RangeError(`no batch ${batch} of ${this.total}`)
    const from = (batch - 1) * this.size
    return { from, to: Math.min(from + this.size, this.items) }
  }

  /** The batch of a position. */
  at(position: number) {
    return 1 + Math.floor(position / this.size)
  }

  /** How many items these batches have. */
  count(batches: Iterable<number>) {
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

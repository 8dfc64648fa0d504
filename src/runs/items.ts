/** The items of a run, ids or pairs, by position: each with its line in the input; and the name of the job that they make. */
import { createHash } from 'node:crypto'
import type { BulkOperation } from '../api/operations.ts'
import { idPattern } from '../values.ts'
import type { ItemTuple, NewLineOf, Party } from './lines.ts'

/** The most ids or pairs that a command sends. */
export const mostSent = 1_000_000

/** Items in an `ids` line. */
const itemsPerLine = 1000

export interface Item {
  id: string
  /** Line of the input; 0 for an argument. */
  line: number
  /** The second party of a pair: the target of a merge, the new assignee of a ticket. */
  other: string | undefined
  /** The assignee that the ticket of an undo must have. */
  expected: string | undefined
}

const none = [undefined, undefined] as const

export class Items {
  readonly ids: string[] = []
  readonly #lines: number[] = []
  /** Empty where the items are ids alone. */
  readonly #parties: (readonly [
    other: string | undefined,
    expected: string | undefined,
  ])[] = []

  static of(tuples: Iterable<ItemTuple>): Items {
    const items = new Items()
    items.add(tuples)
    return items
  }

  add(tuples: Iterable<ItemTuple>) {
    for (const [id, line, other, expected] of tuples) {
      if (other !== undefined) this.#parties[this.ids.length] = [other, expected]
      this.addOne(id, line)
    }
  }

  addOne(id: string, line: number) {
    this.ids.push(id)
    this.#lines.push(line)
  }

  get size() {
    return this.ids.length
  }

  get arePairs() {
    return this.#parties.length > 0
  }

  at(position: number): Item {
    const id = this.ids[position]
    if (id === undefined) throw new RangeError(`no item at ${position}`)
    const [other, expected] = this.partiesAt(position)
    return { id, line: this.#lines[position] ?? 0, other, expected }
  }

  partiesAt(position: number) {
    return this.#parties[position] ?? none
  }

  tuple(position: number): ItemTuple {
    const { id, line, other, expected } = this.at(position)
    if (other === undefined) return [id, line]
    return expected === undefined ? [id, line, other] : [id, line, other, expected]
  }

  /** The `ids` lines of a head. */
  *lines(): Generator<NewLineOf<'ids'>> {
    for (let from = 0; from < this.size; from += itemsPerLine) {
      const to = Math.min(from + itemsPerLine, this.size)
      yield {
        t: 'ids',
        ids: Array.from({ length: to - from }, (_, i) => this.tuple(from + i)),
      }
    }
  }

  /** The items as texts that are the same in any order and letter case. */
  keys(): string[] {
    if (!this.arePairs) return this.ids.map((id) => id.toLowerCase()).sort()
    return this.ids.map((_, at) => keyOf(this.at(at))).sort()
  }

  /** The positions of the ids, in lower case. */
  positions(): ReadonlyMap<string, number> {
    return new Map(this.ids.map((id, position) => [id.toLowerCase(), position]))
  }
}

/** The names of employees are resolved before, so all parties are ids. */
const keyOf = ({ id, other = '', expected = '' }: Item) =>
  `${id} ${other} ${expected}`.toLowerCase()

/** What makes two jobs the same: not the key, and not the order of their ids. */
export interface JobFacts {
  operation: BulkOperation
  baseUrl: string
  target?: Party | undefined
  ifAssignee?: Party | undefined
  undoes?: { session: string } | undefined
  items: Items
}

/** How many texts are hashed at once: a call for each takes several times as long. */
const textsAtOnce = 4096

/** SHA-256 of a job, in hexadecimal. */
export function jobSha256({
  operation,
  baseUrl,
  target,
  ifAssignee,
  undoes,
  items,
}: JobFacts) {
  const parties = [target?.id, ifAssignee?.id, undoes?.session].map(
    (id) => id?.toLowerCase() ?? '',
  )
  const sum = createHash('sha256').update(
    `${[operation, baseUrl, ...parties].join('\n')}\n`,
  )
  const keys = items.keys()
  for (let from = 0; from < keys.length; from += textsAtOnce)
    sum.update(`${keys.slice(from, from + textsAtOnce).join('\n')}\n`)
  return sum.digest('hex')
}

export const isId = (text: unknown): text is string =>
  typeof text === 'string' && idPattern.test(text)

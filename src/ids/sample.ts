/** Rows of the one table that ids come from, with all their cells, by which a person sees whether the right ones are meant. */
import { OpenRecord } from './csv.ts'

export interface SampleRow {
  /** That of its id among the ids. */
  readonly position: number
  readonly cells: readonly string[]
}

interface TakenRow {
  readonly cells: readonly string[]
  readonly origin?: { readonly allTexts: () => readonly string[] }
}

const shownFirst = 5

/** The first rows whose ids are taken, and the last one. */
export class Sample {
  /** Undefined unless it is known: of several tables, or of none. */
  table: { readonly headings: readonly string[]; readonly idColumns: readonly number[] } | undefined
  readonly first: SampleRow[] = []
  #tables = 0
  #count = 0
  #last: TakenRow | undefined
  /** That of the last one as it stands there: most are never looked at. */
  #line = Buffer.alloc(0)
  #lineLength = 0
  #delimiter = ','

  /** Whether rows have to come as cells. */
  get isWanting(): boolean {
    return this.first.length < shownFirst
  }

  get last(): SampleRow | undefined {
    if (this.#count <= this.first.length) return undefined
    const record = new OpenRecord(this.#delimiter)
    if (this.#last === undefined) record.take(this.#line.toString('utf8', 0, this.#lineLength))
    const cells = this.#last === undefined ? record.cells : textsOf(this.#last)
    return { position: this.#count - 1, cells }
  }

  /** `count`: how many ids there are now. A row that brought none is not kept. */
  take(count: number, row: TakenRow): void {
    if (count === this.#count) return
    this.#count = count
    if (this.isWanting) this.first.push({ position: count - 1, cells: textsOf(row) })
    this.#last = row
  }

  /** The same for a line that was not cut into cells. */
  takeLine(count: number, line: Buffer): void {
    if (count === this.#count) return
    this.#count = count
    this.#last = undefined
    if (this.#line.length < line.length) this.#line = Buffer.alloc(2 * line.length)
    this.#lineLength = line.copy(this.#line)
  }

  /** The end of a table. */
  end(table: NonNullable<Sample['table']>, delimiter: string): void {
    this.#tables += 1
    this.#delimiter = delimiter
    this.table = this.#tables === 1 ? table : undefined
  }
}

function textsOf({ cells, origin }: TakenRow): readonly string[] {
  return origin === undefined ? cells : origin.allTexts()
}

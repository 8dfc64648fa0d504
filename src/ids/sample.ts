/** Rows of the one table that ids come from, with all their cells, by which a person sees whether the right ones are meant. */
import type { Row } from './row.ts'
import { OpenRecord } from './csv.ts'

export interface SampleRow {
  /** That of its id among the ids. */
  readonly position: number
  readonly cells: readonly string[]
}

type TakenRow = Pick<Row, 'cells' | 'origin'>

const shownFirst = 5

/** The first rows whose ids are taken, and the last one. */
export class Sample {
  /** Undefined unless it is known: of several tables, or of none. */
  table: { readonly headings: readonly string[]; readonly idColumns: readonly number[] } | undefined
  readonly #first: (TakenRow & { readonly position: number })[] = []
  readonly #isMeant: (position: number) => boolean
  #tables = 0
  #count = 0
  /** Of those that are meant, and where the last one is. */
  #meant = 0
  #lastPosition = -1
  #last: TakenRow | undefined
  /** That of the last one as it is there: most are never looked at. */
  #line = Buffer.alloc(0)
  #lineLength = 0
  #delimiter = ','

  /** `isMeant`: by the position of an id; without it all are. */
  constructor(isMeant: (position: number) => boolean = () => true) {
    this.#isMeant = isMeant
  }

  /** Whether rows have to come as cells. */
  get isWanting(): boolean {
    return this.#first.length < shownFirst
  }

  get first(): SampleRow[] {
    return this.#first.map((row) => ({ position: row.position, cells: this.#textsOf(row) }))
  }

  get last(): SampleRow | undefined {
    if (this.#meant <= this.#first.length) return undefined
    const record = new OpenRecord(this.#delimiter)
    if (this.#last === undefined) record.take(this.#line.toString('utf8', 0, this.#lineLength))
    return { position: this.#lastPosition, cells: this.#textsOf(this.#last ?? record) }
  }

  /** `count`: how many ids there are now. A row that brought none is not kept. */
  take(count: number, row: Row): void {
    if (!this.#isNext(count)) return
    if (this.isWanting) this.#first.push({ ...row, position: count - 1 })
    this.#last = row
  }

  /** The same for a line that was not cut into cells. */
  takeLine(count: number, line: Buffer): void {
    if (!this.#isNext(count)) return
    this.#last = undefined
    if (this.#line.length < line.length) this.#line = Buffer.alloc(2 * line.length)
    this.#lineLength = line.copy(this.#line)
  }

  #isNext(count: number): boolean {
    if (count === this.#count) return false
    this.#count = count
    if (!this.#isMeant(count - 1)) return false
    this.#meant += 1
    this.#lastPosition = count - 1
    return true
  }

  end(table: NonNullable<Sample['table']>, delimiter: string): void {
    this.#tables += 1
    this.#delimiter = delimiter
    this.table = this.#tables === 1 ? table : undefined
  }

  /** Of a sheet, those that nothing else looks at too. */
  #textsOf({ cells, origin }: TakenRow): readonly string[] {
    if (origin === undefined) return cells
    const length = Math.max(cells.length, this.table?.headings.length ?? 0)
    return Array.from({ length }, (_, column) => origin.cells.get(column)?.text ?? '')
  }
}

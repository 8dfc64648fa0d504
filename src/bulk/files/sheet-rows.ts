/** Facts that are kept of a sheet that was read, so that it can be given back without being read again: a few numbers for each row. */
import type { Row, RowExtent, RowFinding, RowOrigin } from '../../input/row.ts'
import { IdTable } from '../../input/id-table.ts'
import { mostColumns } from '../../output/workbook/workbook.ts'

export interface SheetRow extends RowFinding, RowExtent {}

export class SheetRows {
  /** By column: whether it has a cell with a value, and whether the table has one there. */
  readonly used = new Uint8Array(mostColumns)
  readonly inTable = new Uint8Array(mostColumns)
  /** The columns that are replaced, the row of the heading, and the last other column that it names. */
  own: readonly number[] = []
  heading = 0
  last = -1
  /** A cell that would be replaced. */
  formula: string | undefined
  /** Five numbers a row: line, from, to, width, and the place of its finding. */
  readonly #rows: number[] = []
  readonly #ids = new IdTable()
  /** Findings of rows without an id, each once. */
  readonly #others: Pick<RowFinding, 'kind' | 'finding'>[] = []
  readonly #places = new Map<string, number>()

  /** `ownOf`: the columns that an earlier annotation added, by the heading. */
  take(rows: readonly Row[], ownOf: (heading: readonly string[]) => readonly number[]): void {
    for (const row of rows) {
      const { origin, line, kind, finding = '' } = row
      if (origin === undefined) continue
      if (kind === 'heading') {
        this.heading = line
        this.own = ownOf(row.cells)
        this.last = row.cells.findLastIndex(
          (cell, column) => cell.trim() !== '' && !this.own.includes(column),
        )
      }
      this.#look(origin, kind)
      const { from, to, width } = origin
      if (kind !== 'other')
        this.#rows.push(line, from, to, width, this.#placeOf(kind, finding, line))
    }
  }

  /** The rows of the table, in their order. */
  *[Symbol.iterator](): Generator<SheetRow> {
    for (let at = 0; at < this.#rows.length; at += 5) {
      const [line = 0, from = 0, to = 0, width = 0, place = 0] = this.#rows.slice(at, at + 5)
      const other = this.#others[-1 - place]
      yield { line, from, to, width, ...(other ?? { kind: 'data', finding: this.#ids.id(place) }) }
    }
  }

  #look(origin: RowOrigin, kind: RowFinding['kind']): void {
    const isInTable = this.heading > 0 || kind !== 'other' ? 1 : 0
    for (const { column, isFormula } of origin.stored) {
      this.used[column] = 1
      this.inTable[column] ||= isInTable
      if (isFormula && kind !== 'other' && this.own.includes(column))
        this.formula ??= origin.cell(column)
    }
  }

  /** Place of an id in their table; a negative number for all else. */
  #placeOf(kind: RowFinding['kind'], text: string, line: number): number {
    if (kind === 'data' && text !== '') {
      this.#ids.addText(text, line)
      return this.#ids.indexOf(text)
    }
    const key = `${kind} ${text}`
    const known = this.#places.get(key)
    if (known !== undefined) return known
    const place = -this.#others.push({ kind, finding: text })
    this.#places.set(key, place)
    return place
  }
}

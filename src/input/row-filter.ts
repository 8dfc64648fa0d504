/** Which rows of a table `--where` takes, and a count of all rows that are left out. */
import { usageError } from '../errors.ts'
import { fold, pluralize } from '../words.ts'
import { refuseColumn, placeNamed } from './columns.ts'
import { invalidCell, textAt, unfitAt, type Row, type RowFinding } from './row.ts'
import { shorten } from '../safe-text.ts'

/** `Remark=left`, or `Remark!=left` for the rows that do not have this value. Throws exit 2. */
export function parseWhere(text: string) {
  // The first = counts: a value may have more of them.
  const [, typed = '', sign, value = ''] = /^([^=]*?)(!?=)(.*)$/s.exec(text) ?? []
  const column = typed.trim()
  if (column !== '') return { column, value: fold(value), isExcluded: sign === '!=' }
  throw usageError(
    `--where takes <column>=<value> or <column>!=<value>, not "${shorten(text)}"`,
    'for example --where Remark=left',
  )
}

/** The filter of one table; it counts what it leaves out. */
export class RowFilter {
  readonly input: string
  readonly #wanted: readonly ReturnType<typeof parseWhere>[]
  /** The columns that it looks at. */
  columns: readonly number[] = []
  /** How many rows are left out, by why. */
  readonly #leftOut = new Map<string, number>()

  /** `where` as it was typed. Throws exit 2. */
  constructor(input: string, where: readonly string[] = []) {
    this.input = input
    this.#wanted = where.map(parseWhere)
  }

  get leftOut() {
    return [...this.#leftOut.values()].reduce((sum, count) => sum + count, 0)
  }

  /** Sentences about the rows that were left out, and why. */
  get notes(): string[] {
    return [...this.#leftOut].map(
      ([why, count]) => `${this.input}: ${pluralize(count, 'row')} left out: ${why}`,
    )
  }

  /** Throws exit 2 if --where was typed: it needs a heading. */
  refuseWhere() {
    if (this.#wanted.length === 0) return
    throw usageError(`--where is for tables with a heading; ${this.input} has none`)
  }

  leaveOut(reason: string): RowFinding {
    this.#leftOut.set(reason, (this.#leftOut.get(reason) ?? 0) + 1)
    return { kind: 'left-out', reason }
  }

  /** Finds whether a row is taken as data or left out. It is invalid if a cell that decides that is not plain. */
  judge(row: Row): RowFinding {
    for (const column of this.columns) {
      const reason = unfitAt(row, column)
      if (reason !== undefined) return invalidCell(row, column, reason)
    }
    const isWanted = this.#wanted.every(({ value, isExcluded }, index) => {
      const text = fold(textAt(row, this.columns[index] ?? -1))
      return (text === value) !== isExcluded
    })
    return isWanted ? { kind: 'data' } : this.leaveOut('excluded by --where')
  }

  /** Finds the columns to look at in the heading of the table. Throws exit 2 where they are not there, or there twice. */
  begin(cells: readonly string[]) {
    this.columns = this.#wanted.map(({ column }) => {
      const place = placeNamed(this.input, cells, column)
      return place ?? refuseColumn(this.input, cells, column)
    })
  }
}

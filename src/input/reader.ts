/** Ids of arguments, files and standard input: checked, unique, with their line numbers. */
import { usageError } from '../errors.ts'
import {
  columnOption,
  decisionPlace,
  exceptColumn,
  idColumn,
  isIdHeading,
  isSameHeading,
  type IdItem,
  type TableRule,
} from './columns.ts'
import { whyUndecided } from './decisions.ts'
import { idIn, isId } from './id.ts'
import { inputName, type Input, type StreamInput } from './input.ts'
import {
  invalidCell,
  textAt,
  unfitAt,
  type Found,
  type Row,
  type RowFinding,
} from './row.ts'
import { findInInputs, type SearchOptions } from './search.ts'
import type { Table } from './table.ts'

export interface ReadOptions extends SearchOptions {
  /** Name, number from 1, or dotted path of the column or member that carries the ids. */
  column?: string | undefined
  /** `contact` if absent. Of a ticket, an address with one id in it is that id. */
  item?: IdItem | undefined
}

export type IdInput = Awaited<ReturnType<typeof readIds>>

/**
 * Reads every input; `ids` are the unique ones, in the order and letter case in which they first came. Throws exit 2 as
 * `findInInputs` does.
 */
export async function readIds(inputs: readonly Input[], options: ReadOptions) {
  const { column, item = 'contact', isException = false } = options
  const ids = new IdTable()
  // Ids are in one column of a table, or in every line of a list.
  const ruleFor = (input: string): TableRule => ({
    wantedColumn: isException ? undefined : column,
    isOfLines: true,
    isHeading: (cell) =>
      isIdHeading(cell, item) || (column !== undefined && isSameHeading(cell, column)),
    ...(isException ? exceptColumn : idColumn)(input, column, item),
  })
  const inRow = (row: Row, [place = 0]: readonly number[], table: Table) =>
    idInRow(row, place, table, item)
  const add = ({ id }: Found, line: number) => ids.add(id, line)
  const facts = await findInInputs(inputs, { ruleFor, inRow, add }, options)
  return { ids, ...facts }
}

/** How the files of `--except` are read: by the rules of the input, but every row and every line counts. */
export type ExceptOptions = Pick<ReadOptions, 'column' | 'sheet' | 'item'>

/** Reads the ids of `--except`. Throws exit 2 for a file that has none: a command that failed leaves such a file. */
export async function readExcept(
  files: readonly StreamInput[],
  options: ExceptOptions,
): Promise<IdTable> {
  const all = new IdTable()
  for (const file of files) {
    const how = { ...options, skipInvalid: false, isException: true }
    const { ids } = await readIds([file], how)
    if (ids.size === 0)
      throw usageError(
        `${inputName(file)} of --except has no ids`,
        'a command that failed leaves an empty file; if nothing is to be left out, leave out --except',
      )
    for (const id of ids) all.add(id, 0)
  }
  return all
}

/** The id in this column of a row of data, or why it has none. */
function idInRow(row: Row, place: number, table: Table, item: IdItem): RowFinding {
  const { form, likelyHeadingLine } = table
  const unfit = unfitAt(row, place, 'id')
  if (unfit !== undefined) return invalidCell(row, place, unfit)
  const text = textAt(row, place)
  const undecided =
    decisionPlace(table.input, table.headings) === place ? whyUndecided(text) : undefined
  if (undecided !== undefined) return table.filter.leaveOut(undecided)
  // Ids of a command line were in no spreadsheet.
  const result = idIn(text, form.format !== 'words', item === 'ticket')
  if (result.reason === undefined) return { kind: 'found', id: result.id }
  // Only a first row can have been meant as the heading.
  const isName = row.line === likelyHeadingLine && /^\s*[\p{L}_#][^=@]{0,63}$/u.test(text)
  const hint = isName
    ? `; if this is the heading, name it: ${columnOption(text.trim())}`
    : ''
  return invalidCell(row, place, `${result.reason}${hint}`)
}

/**
 * Unique ids in the order in which they were first seen, each with its first spelling and its line. Runs and verbs are
 * handed theirs.
 */
export class IdTable {
  readonly #keys = new Set<string>()
  readonly #ids: string[] = []
  readonly #lines: number[] = []

  get size() {
    return this.#ids.length
  }

  /**
   * Adds an id, first seen on `line` (0: it has none). False when it is there already, in either letter case. Throws
   * RangeError when it is not an id.
   */
  add(id: string, line: number) {
    if (!isId(id)) throw new RangeError('not an id')
    if (this.has(id)) return false
    this.#keys.add(id.toLowerCase())
    this.#ids.push(id)
    this.#lines.push(line)
    return true
  }

  /** Whether an id is there, in either letter case. */
  has(id: string) {
    return this.#keys.has(id.toLowerCase())
  }

  /** The line on which the id at this position (from 0) was first seen; 0 for an argument. */
  line(position: number) {
    return this.#lines[position] ?? 0
  }

  /** Each id with the line on which it was first seen; 0 for an argument. */
  *withLines(): Generator<readonly [id: string, line: number]> {
    for (const [at, id] of this.#ids.entries()) yield [id, this.#lines[at] ?? 0]
  }

  [Symbol.iterator](): IterableIterator<string> {
    return this.#ids.values()
  }

  /** The ids as a file has them: one a line, each line ended. */
  *encode(): Generator<string> {
    for (const id of this.#ids) yield `${id}\n`
  }
}

/** Ids of arguments, files and standard input: checked, unique, with their line numbers. */
import { usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import { shellWord } from '../words.ts'
import { decisionPlace, idColumn, type IdItem } from './columns.ts'
import { idIn, isNobody, isWrappedId } from './id.ts'
import { checkInputs, inputName, inputOf, type Input } from './input.ts'
import { invalidCell, textAt, unfitAt } from './row.ts'
import { findInInputs, type Search, type SearchOptions } from './search.ts'

export interface ReadOptions extends SearchOptions {
  /** Name, number from 1, or dotted path of the column or member that has the ids. */
  column?: string | undefined
  /** `contact` if absent. Of a ticket, an address with one id in it is that id. */
  item?: IdItem | undefined
}

/**
 * Reads every input; `ids` are the unique ones, in the order and letter case in which they first came. Throws exit 2 as
 * `findInInputs` does.
 */
export async function readIds(inputs: readonly Input[], options: ReadOptions) {
  const { column, item = 'contact', isException = false } = options
  const ids = new IdTable()
  const search: Search = {
    ruleFor: (input) => ({
      kind: 'ids',
      isValue: isWrappedId,
      ...idColumn(input, column, item, isException),
    }),
    inRow(row, [place = 0], table) {
      const unfit = unfitAt(row, place)
      if (unfit !== undefined) return invalidCell(row, place, unfit)
      const text = textAt(row, place)
      const result = idIn(text, item === 'ticket')
      if (result.reason === undefined) return { kind: 'found', id: result.id }
      if (decisionPlace(table.input, table.headings) === place) {
        if (text.trim() === '') return table.leaveOut('contactId is empty')
        if (isNobody(text)) return table.leaveOut('contactId is "-", nobody')
      }
      const isName = row.line === table.firstLine && /^\s*[\p{L}_][^=@]{0,63}$/u.test(text)
      const bare = text.trim()
      const name = /^\P{C}{1,64}$/u.test(bare) ? shellWord(bare) : '<name>'
      const hint = isName
        ? `; a heading is in the first row, and is named with --column ${name}`
        : ''
      return invalidCell(row, place, `${result.reason}${hint}`)
    },
    add: ({ id }, line) => ids.add(id, line),
  }
  const facts = await findInInputs(inputs, search, options)
  return { ids, ...facts }
}

/**
 * Reads the ids of `--except`, by the rules of the inputs. Throws exit 2 for a file that has none, and if standard input is
 * among the files and the inputs.
 */
export async function readExcept(
  host: Host,
  inputs: readonly Input[],
  paths: readonly string[] = [],
  options: Pick<ReadOptions, 'column' | 'sheet' | 'item'>,
): Promise<IdTable> {
  const files = paths.map((path) => inputOf(host, path))
  checkInputs([...inputs, ...files])
  const all = new IdTable()
  for (const file of files) {
    const how = { ...options, skipInvalid: false, allowEmpty: true, isException: true }
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

/** Unique ids in the order in which they were first seen, each with its first spelling and its line. */
export class IdTable {
  readonly #keys = new Set<string>()
  readonly #ids: string[] = []
  readonly #lines: number[] = []

  get size() {
    return this.#ids.length
  }

  /** Adds an id, first seen on `line` (0: it has none). False when it is there already, in either letter case. */
  add(id: string, line: number) {
    const key = id.toLowerCase()
    if (this.#keys.has(key)) return false
    this.#keys.add(key)
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
}

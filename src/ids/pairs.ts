/**
 * Files of pairs: a contact and the contact it is merged into, a ticket and its new assignee. Csv, JSON and NDJSON; lines
 * of two ids with a comma, semicolon, tab or pipe between them are csv.
 */
import { usageError } from '../errors.ts'
import { BadLines, type InputPlace } from './bad-lines.ts'
import { pairColumns } from './columns.ts'
import { isSame, isSameHeading, isSideHeading, type Side } from './headings.ts'
import type { HeadingRule, PairColumns } from './columns.ts'
import type { CellUse, Row } from './row.ts'
import { IdTable } from './id-table.ts'
import { idIn, isId, reasonNotId, trimBlanks, unwrapId } from './id.ts'
import type { Input } from './input.ts'
import { idValue } from './json.ts'
import { parseWhere } from './row-filter.ts'
import { readRows, type RowOptions, type RowTaker } from './rows.ts'
import { isObject } from '../values.ts'

/** `id` is acted on (the source, the ticket), `other` is the second party (the target, the employee). */
export interface Pair {
  readonly id: string
  readonly other: string
  /** Physical line of the file, or item of a JSON document. */
  readonly line: number
  /** Assign: who has to have the ticket for it to be changed; anyone when absent. */
  readonly expected?: string
}

export interface PairOptions extends RowOptions {
  /** `source,target`: two ids. `ticket,employee`: an id and an id or a name, which is left as it is. */
  readonly columns: readonly ['source', 'target'] | readonly ['ticket', 'employee']
}

/**
 * Reads every input; a pair that appears twice is there once. Throws exit 2 as `readRows` does and, unless they are skipped, one
 * error for all bad lines.
 */
export async function readPairs(inputs: readonly Input[], options: PairOptions) {
  const reader = new PairReader(options)
  const { notes, leftOut } = await readRows(inputs, options, reader)
  const { pairs, duplicates, bad } = reader
  bad.refuse()
  const read = pairs.length + duplicates + bad.total
  return { pairs, read, duplicates, invalid: bad.total, leftOut, bad: bad.first, notes }
}

/** Collects the pairs of all inputs. A listener hears of their first ids. */
export class PairReader implements RowTaker<PairColumns> {
  readonly pairs: Pair[] = []
  duplicates = 0
  readonly bad: BadLines
  readonly isTable = true
  readonly #columns: PairOptions['columns']
  readonly #options: PairOptions
  /** Whether the rows to take are chosen by what was decided on each. */
  readonly #isDecided: boolean
  /** First ids, each with the position of the first pair that has it instead of a line. */
  readonly #ids = new IdTable()
  /** Keys of the pairs whose first id another one has too: hardly ever many, and a key takes much memory. */
  readonly #others = new Set<string>()

  constructor(options: PairOptions) {
    this.#columns = options.columns
    this.#options = options
    this.#isDecided = options.where?.some((text) => isDecision(parseWhere(text).column)) ?? false
    this.bad = new BadLines(options)
  }

  get count(): number {
    return this.pairs.length
  }

  isHeading(cell: string): boolean {
    return this.#columns.some((side) => isSideHeading(cell, side))
  }

  columns(input: string): HeadingRule<PairColumns> {
    const rule = pairColumns(input, this.#columns)
    const find = (cells: readonly string[]): PairColumns | undefined => {
      const found = rule.find(cells)
      if (found === undefined || this.#isDecided || this.#options.isAgain === true) return found
      if (this.#columns[0] !== 'source' || !cells.some(isDecision)) return found
      throw usageError(
        `${input} has a column DECISION, and every row would be merged, whatever is written there`,
        'to merge those where it is "merge", add --where DECISION=merge',
      )
    }
    return { ...rule, find }
  }

  placesOf({ first, second }: PairColumns): readonly number[] {
    return [first, second]
  }

  takeArgument(): never {
    throw usageError('pairs are read from a file: --file <path>')
  }

  takeRow(place: InputPlace, row: Row, { first, second }: PairColumns): void {
    this.#take(place, cellOf(row, first, 'id'), cellOf(row, second, this.#columns[1] === 'employee' ? 'word' : 'id'))
  }

  takeDocument(input: string, value: unknown): void {
    if (!Array.isArray(value))
      throw usageError(`${input} is not an array of objects with ${this.#columns.join(' and ')}`)
    value.forEach((item: unknown, index) => this.takeItem({ input, unit: 'item', line: index + 1 }, item))
  }

  takeItem(place: InputPlace, value: unknown, text?: string): void {
    const [first, second] = this.#columns
    const refuse = (reason: string): void => this.bad.add(place, text ?? JSON.stringify(value), reason)
    if (!isObject(value)) refuse(`not an object with ${first} and ${second}`)
    else if (first === 'source' && !isDecided(value)) refuse('its DECISION is not "merge"')
    else this.#take(place, { text: memberOf(place, value, first) }, { text: memberOf(place, value, second) })
  }

  #take(place: InputPlace, first: PairCell, second: PairCell): void {
    const [text, other] = [first.text ?? '', trimBlanks(second.text ?? '')]
    const isName = this.#columns[1] === 'employee'
    const refuse = (side: 0 | 1, { cell }: PairCell, reason: string): void => {
      this.bad.add({ ...place, cell }, `${text},${second.text ?? ''}`, `${this.#columns[side]}: ${reason}`)
    }
    const found = first.unfit === undefined ? idIn(text, true, isName) : { reason: first.unfit }
    const reason = second.unfit ?? (isName && other !== '' ? undefined : reasonNotId(other, true))
    if ('reason' in found) refuse(0, first, found.reason)
    else if (reason !== undefined) refuse(1, second, reason)
    else this.#add({ id: found.id, other: isName ? other : unwrapId(other), line: place.line })
  }

  #add(pair: Pair): void {
    this.#options.listener?.onId(pair.line, pair.id)
    if (this.#options.isAgain === true) return
    const isFirst = this.#ids.addText(pair.id, this.pairs.length)
    if (isFirst || !this.#isKnown(pair)) this.pairs.push(pair)
    else this.duplicates += 1
  }

  #isKnown(pair: Pair): boolean {
    const key = keyOf(pair)
    const first = this.pairs[this.#ids.line(this.#ids.indexOf(pair.id))]
    if (this.#others.has(key) || (first !== undefined && keyOf(first) === key)) return true
    this.#others.add(key)
    return false
  }
}

interface PairCell {
  readonly text: string | undefined
  /** Of a sheet: its name, and why it cannot be taken. */
  readonly cell?: string | undefined
  readonly unfit?: string | undefined
}

function cellOf({ cells, origin }: Row, column: number, use: CellUse): PairCell {
  return { text: cells[column], cell: origin?.cell(column), unfit: origin?.unfit(column, use) }
}

/** Whether an object says "merge" where it has a DECISION: `--where` is for tables. */
function isDecided(value: object): boolean {
  const said = Object.entries(value).filter(([key]) => isDecision(key))
  return said.every(([, decision]) => typeof decision === 'string' && isSame(trimBlanks(decision), 'merge'))
}

const isDecision = (heading: string): boolean => isSameHeading(heading, 'DECISION')

/** The text of an object's member for one side of a pair. Throws exit 2 when two members could be meant. */
function memberOf(place: InputPlace, value: object, side: Side): string | undefined {
  const [key, other] = Object.keys(value).filter((name) => isSideHeading(name, side))
  if (other !== undefined) throw usageError(`the objects in ${place.input} have two members for the ${side}`)
  const picked = idValue(key === undefined ? undefined : Reflect.get(value, key))
  return 'text' in picked ? picked.text : undefined
}

/** The same for every letter case of the ids. A name stays as it was typed. */
export function keyOf({ id, other }: Pair): string {
  return JSON.stringify([id.toLowerCase(), isId(other) ? other.toLowerCase() : other])
}

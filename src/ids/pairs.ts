/**
 * Files of pairs: a contact and the contact it is merged into, a ticket and its new assignee. Csv, JSON and NDJSON; lines
 * of two ids with a comma, semicolon, tab or pipe between them are csv.
 */
import { createHash } from 'node:crypto'
import { usageError } from '../errors.ts'
import { BadLines, type Place } from './bad-lines.ts'
import { isSideHeading, pairColumns, TableHead, type PairColumns, type Row, type Side } from './columns.ts'
import { readCsv } from './csv.ts'
import { detectFormat, type Detected } from './detect.ts'
import { IdTable } from './id-table.ts'
import { isId, reasonNotId, trimBlanks, unwrapId } from './id.ts'
import { checkInputs, openInput, type Input, type OpenInput, type StreamInput } from './input.ts'
import { idValue, readDocument, readNdjson } from './json.ts'
import type { InputFacts, ReadOptions } from './reader.ts'
import { RowFilter } from './row-filter.ts'

/** `id` is acted on (the source, the ticket), `other` is the second party (the target, the employee). */
export interface Pair {
  readonly id: string
  readonly other: string
  /** Physical line of the file, or item of a JSON document. */
  readonly line: number
  /** Assign: who has to have the ticket for it to be changed; anyone when absent. */
  readonly expected?: string
}

export interface PairOptions extends Omit<ReadOptions, 'column'> {
  /** `source,target`: two ids. `ticket,employee`: an id and an id or a name, which is left as it stands. */
  readonly columns: readonly ['source', 'target'] | readonly ['ticket', 'employee']
}

export interface PairInput extends InputFacts {
  /** In input order; a pair that appears twice is there once. */
  readonly pairs: readonly Pair[]
}

/**
 * Reads every input. Throws exit 2 for what cannot be read or has no such columns, and, unless they are skipped, one
 * error for all bad lines.
 */
export async function readPairs(inputs: readonly Input[], options: PairOptions): Promise<PairInput> {
  checkInputs(inputs)
  const reader = new PairReader(options)
  for (const input of inputs) {
    if (input.kind === 'argument') throw usageError('pairs are read from a file: --file <path>')
    await reader.read(input)
    await reader.bad.flush()
  }
  const { pairs, duplicates, bad, leftOut, notes } = reader
  bad.refuse()
  const read = pairs.length + duplicates + bad.total
  return { pairs, read, duplicates, invalid: bad.total, leftOut, bad: bad.first, notes }
}

/** Collects the pairs of all inputs. */
class PairReader {
  readonly pairs: Pair[] = []
  duplicates = 0
  leftOut = 0
  readonly bad: BadLines
  readonly notes: string[] = []
  readonly #options: PairOptions
  #filter = new RowFilter('')
  /** First ids, each with the position of the first pair that has it in place of a line. */
  readonly #ids = new IdTable()
  /** Keys of the pairs whose first id another one has too: hardly ever many, and a key takes much memory. */
  readonly #others = new Set<string>()

  constructor(options: PairOptions) {
    this.#options = options
    this.bad = new BadLines(options)
  }

  async read(input: StreamInput): Promise<void> {
    const { columns, format, sheet, where, signal } = this.#options
    const open = await openInput(input, signal)
    try {
      this.#filter = new RowFilter(open.name, where)
      const isHeading = (cell: string): boolean => columns.some((side) => isSideHeading(cell, side))
      const detected = detectFormat(open, { known: format, isTable: true, isHeading })
      if (detected.note !== undefined) this.notes.push(detected.note)
      if (sheet !== undefined && detected.format !== 'xlsx')
        this.notes.push(`--sheet is not used: ${open.name} is no workbook`)
      await this.#readAs(open, detected)
      this.leftOut += this.#filter.leftOut
      this.notes.push(...this.#filter.notes)
    } finally {
      await open.close()
    }
  }

  #readAs(open: OpenInput, detected: Detected): Promise<void> {
    if (detected.format === 'json' || detected.format === 'ndjson') this.#filter.refuse('is JSON')
    switch (detected.format) {
      case 'ndjson':
        return readNdjson(open, this.bad, (value, place, text) => {
          this.#takeItem(place, value, text)
        })
      case 'json':
        return this.#readJson(open)
      case 'xlsx':
        return this.#readXlsx(open)
      case 'lines':
      case 'csv':
        return this.#readCsv(open, detected)
    }
  }

  async #readJson(open: OpenInput): Promise<void> {
    const value = await readDocument(open)
    if (value !== undefined && !Array.isArray(value)) {
      throw usageError(`${open.name} is not an array of objects with ${this.#options.columns.join(' and ')}`)
    }
    const items: readonly unknown[] = value ?? []
    items.forEach((item, index) => {
      this.#takeItem({ input: open.name, unit: 'item', line: index + 1 }, item)
    })
  }

  async #readCsv(open: OpenInput, detected: Detected): Promise<void> {
    const head = this.#tableHead(open.name)
    const onRow = head.take.bind(head)
    await readCsv(open, detected, { onRow }, () => this.bad.flush())
    this.#endHead(head)
  }

  async #readXlsx(open: OpenInput): Promise<void> {
    const { sheet, signal } = this.#options
    const { readXlsx } = await import('./xlsx.ts')
    const head = this.#tableHead(open.name)
    const columns = ({ first, second }: PairColumns): number[] => [first, second]
    const between = (): Promise<void> => this.bad.flush()
    const notes = await readXlsx(open, head, { sheet, isColumnNamed: false, columns, between, signal })
    this.#endHead(head)
    this.notes.push(...notes)
  }

  #tableHead(input: string): TableHead<PairColumns> {
    const rule = this.#filter.over(pairColumns(input, this.#options.columns))
    return new TableHead(input, rule, ({ first, second }, row) => {
      if (!this.#filter.keeps(row)) return
      this.#take({ input, unit: 'line', line: row.line }, cellOf(row, first), cellOf(row, second))
    })
  }

  #endHead(head: TableHead<PairColumns>): void {
    head.end()
    if (head.note !== undefined) this.notes.push(head.note)
  }

  /** One value of NDJSON, with the line that it stood on, or one item of a document. */
  #takeItem(place: Place, value: unknown, text?: string): void {
    const [first, second] = this.#options.columns
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.bad.add(place, text ?? JSON.stringify(value), `not an object with ${first} and ${second}`)
      return
    }
    this.#take(place, { text: memberOf(place, value, first) }, { text: memberOf(place, value, second) })
  }

  #take(place: Place, first: PairCell, second: PairCell): void {
    const { columns } = this.#options
    const [id, other] = [first.text ?? '', trimBlanks(second.text ?? '')]
    const isName = columns[1] === 'employee'
    const refuse = ({ cell }: PairCell, reason: string): void => {
      this.bad.add({ ...place, cell }, `${id},${second.text ?? ''}`, reason)
    }
    const firstReason = first.unfit ?? reasonNotId(id, true)
    if (firstReason !== undefined) {
      refuse(first, `${columns[0]}: ${firstReason}`)
      return
    }
    const secondReason = second.unfit ?? (isName && other !== '' ? undefined : reasonNotId(other, true))
    if (secondReason !== undefined) {
      refuse(second, `${columns[1]}: ${secondReason}`)
      return
    }
    this.#add({ id: unwrapId(id), other: isName ? other : unwrapId(other), line: place.line })
  }

  #add(pair: Pair): void {
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

/** One side of a pair, as it stands there. */
interface PairCell {
  readonly text: string | undefined
  /** Of a sheet: its name, and why it cannot be taken. */
  readonly cell?: string | undefined
  readonly unfit?: string | undefined
}

function cellOf({ cells, origin }: Row, column: number): PairCell {
  return { text: cells[column], cell: origin?.cell(column), unfit: origin?.unfit(column) }
}

/** The text of an object's member for one side of a pair. Throws exit 2 when two members could be meant. */
function memberOf(place: Place, value: object, side: Side): string | undefined {
  const [key, other] = Object.keys(value).filter((name) => isSideHeading(name, side))
  if (other !== undefined) throw usageError(`the objects in ${place.input} have two members for the ${side}`)
  const picked = idValue(key === undefined ? undefined : Reflect.get(value, key))
  return 'text' in picked ? picked.text : undefined
}

/** The same for every letter case of the ids. A name stays as it was typed. */
function keyOf({ id, other }: Pair): string {
  return JSON.stringify([id.toLowerCase(), isId(other) ? other.toLowerCase() : other])
}

/**
 * SHA-256, in hexadecimal, of the set that these pairs are: the same for every order and letter case of the ids, and
 * whether or not a pair appears twice.
 */
export function pairsSetSha256(pairs: readonly Pair[]): string {
  const sum = createHash('sha256')
  for (const key of [...new Set(pairs.map(keyOf))].sort()) sum.update(`${key}\n`)
  return sum.digest('hex')
}

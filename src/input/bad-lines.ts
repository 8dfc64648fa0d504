/** The bad lines of an input. One of them refuses the whole input, and the error shows the first ones. */
import { SvcError } from '../errors.ts'
import { shorten } from '../safe-text.ts'
import { columnName, groupDigits, pluralize } from '../words.ts'
import { textAt, textsOf, type Row, type Source } from './rows.ts'
import type { Invalid } from './table.ts'

/** An error or a note shows at most this many lines, and counts the others. */
export const maxShown = 20

export class BadLines {
  readonly #inputName: string
  readonly #noun: string
  readonly #first: string[] = []
  #count = 0

  /** `noun` is what the messages call a bad line. */
  constructor(inputName: string, noun = 'bad line') {
    this.#inputName = inputName
    this.#noun = noun
  }

  /** Adds a row. Without a source, it is an argument. */
  add(row: Row, finding: Invalid, source?: Source) {
    this.#count += 1
    if (this.#first.length < maxShown) this.#first.push(describe(row, finding, source))
  }

  /** Throws a usage error if there are bad lines. */
  refuse(hint: string) {
    if (this.#count === 0) return
    const more = this.#count - this.#first.length
    const lines = more > 0 ? [...this.#first, `and ${groupDigits(more)} more`] : this.#first
    const message = `${this.#inputName} has ${pluralize(this.#count, this.#noun)}`
    throw new SvcError('usage', message, { lines, hint })
  }
}

/** Returns the place, the text and the reason of a bad line: `line 4: "xyz": contains "x", …`. */
function describe(row: Row, { column, reason }: Invalid, source?: Source) {
  const text =
    column === undefined ? textsOf(row).join(source?.delimiter) : textAt(row, column)
  // The beginning of a long line is enough to find it.
  const shown = `"${shorten(text.slice(0, 200).trim())}": ${reason}`
  if (source === undefined) return shown
  if (source.format === 'xlsx' && column !== undefined)
    return `cell ${columnName(column)}${row.line}: ${shown}`
  const noun = source.format === 'json' ? 'item' : 'line'
  return `${noun} ${groupDigits(row.line)}: ${shown}`
}

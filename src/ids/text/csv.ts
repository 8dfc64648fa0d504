/** How the cells of a delimited text are quoted. Pure. */
export const quote = 0x22

/** Where the cell that begins at `at` ends; -1 when its quotes stay open. */
export function endOfCell(bytes: Buffer, at: number, to: number, delimiter: number): number {
  let end = at
  if (at < to && bytes[at] === quote) {
    end += 1
    while (end < to && (bytes[end] !== quote || (end + 1 < to && bytes[end + 1] === quote)))
      end += bytes[end] === quote ? 2 : 1
    if (end >= to) return -1
    end += 1
  }
  while (end < to && bytes[end] !== delimiter) end += 1
  return end
}

/** The cells of a record that is one line. */
export function cutRecord(text: string, delimiter: string): readonly string[] {
  const record = new OpenRecord(delimiter)
  record.take(text)
  return record.cells
}

/**
 * A record that is being read. A quote opens a quoted cell only at the cell's beginning, for `ObjectId("…")` and `="…"` have
 * quotes of their own inside; in a quoted cell two of them stand for one.
 */
export class OpenRecord {
  readonly cells: string[] = []
  readonly #delimiter: string
  #cell = ''
  #isQuoted = false

  constructor(delimiter: string) {
    this.#delimiter = delimiter
  }

  /** Takes the next line; true when the record ends with it. */
  take(text: string): boolean {
    // A line end within quotes belongs to the cell.
    if (this.#isQuoted) this.#cell += '\n'
    let at = this.#isQuoted ? this.#takeQuoted(text, 0) : this.#begin(text, 0)
    while (!this.#isQuoted) {
      const end = text.indexOf(this.#delimiter, at)
      this.cells.push(this.#cell + text.slice(at, end < 0 ? text.length : end))
      this.#cell = ''
      if (end < 0) return true
      at = this.#begin(text, end + 1)
    }
    return false
  }

  /** Begins a cell; the place behind its quoted part. */
  #begin(text: string, at: number): number {
    if (text[at] !== '"') return at
    this.#isQuoted = true
    return this.#takeQuoted(text, at + 1)
  }

  /** Takes the text up to the end of the quoted part, or all of it; the place behind. */
  #takeQuoted(text: string, from: number): number {
    let at = from
    for (;;) {
      const end = text.indexOf('"', at)
      this.#cell += text.slice(at, end < 0 ? text.length : end)
      if (end < 0) return text.length
      if (text[end + 1] !== '"') {
        this.#isQuoted = false
        return end + 1
      }
      this.#cell += '"'
      at = end + 2
    }
  }
}

/**
 * Where the code of a piece came from, for `svc.js` to put into stack traces: a source map would be six times as large, and
 * has a decoder in Node only where its file is a module. The first line names the sources. A line follows for each line of the
 * piece, with a word wherever another line of a source begins: `<column>:<line>:<source>`, in base 36, each as the difference to
 * the word before it (to 0 in the first one). What is left out is the next line, and the same source.
 */

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** The numbers of one place in a source map (base 64, five bits a digit, the lowest bit is the sign). */
function numbersOf(text) {
  const numbers = []
  let [value, shift] = [0, 0]
  for (const digit of text) {
    const bits = digits.indexOf(digit)
    value += (bits & 31) << shift
    shift += 5
    if (bits & 32) continue
    numbers.push(value & 1 ? -(value >> 1) : value >> 1)
    ;[value, shift] = [0, 0]
  }
  return numbers
}

function wordOf([columns, lines, sources]) {
  if (sources !== '0') return `${columns}:${lines}:${sources}`
  return lines === '1' ? columns : `${columns}:${lines}`
}

export class Origins {
  #sources = []
  #lines = []

  /** Lines of the piece that came from no source. */
  skip(count) {
    for (let n = 0; n < count; n += 1) this.#lines.push('')
  }

  /**
   * A module of `count` lines, whose first one lost `shift` letters at its beginning. `nameOf`: the path of a source, as a trace
   * shows it.
   */
  add({ mappings, sources }, { count, shift }, nameOf) {
    const numbers = sources.map((url) => this.#numberOf(nameOf(url)))
    const rows = mappings.split(';').slice(0, count)
    let [source, line] = [0, 0]
    for (const [at, row] of rows.entries()) {
      const words = []
      let column = at === 0 ? -shift : 0
      let last = { column: 0, line: 0, source: 0 }
      for (const place of row.split(',')) {
        const [columns = 0, otherSource, lines] = numbersOf(place)
        column += columns
        if (otherSource === undefined) continue
        source += otherSource
        line += lines
        const next = { column, line: line + 1, source: numbers[source] }
        if (words.length > 0 && next.line === last.line && next.source === last.source) continue
        const differences = [next.column - last.column, next.line - last.line, next.source - last.source]
        words.push(wordOf(differences.map((number) => number.toString(36))))
        last = next
      }
      this.#lines.push(words.join(' '))
    }
    this.skip(count - rows.length)
  }

  #numberOf(name) {
    if (!this.#sources.includes(name)) this.#sources.push(name)
    return this.#sources.indexOf(name)
  }

  text() {
    return `${[this.#sources.join(' '), ...this.#lines].join('\n')}\n`
  }
}

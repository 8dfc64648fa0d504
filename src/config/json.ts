/**
 * JSON as a configuration file may hold it. `JSON.parse` alone lets the last of two equal keys win in silence, tells no
 * line, and quotes the text around a mistake, which may be a secret. This says where and what, and never quotes values.
 */

/** Where reading stopped, and why; line and column count from 1. */
export class JsonProblem extends Error {
  override readonly name = 'JsonProblem'
  readonly line: number
  readonly column: number

  constructor(reason: string, text: string, offset: number) {
    super(reason)
    const before = text.slice(0, offset).split(/\r\n|\r|\n/)
    this.line = before.length
    this.column = Array.from(before.at(-1) ?? '').length + 1
  }
}

/** No configuration is nested deeper than a handful of levels. */
const deepest = 32

const blank = /[ \t\r\n]*/y
// Everything from the blank on but the quote and the backslash, and the escapes.
const string = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const word = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y

/** The value of a JSON text. Throws JsonProblem for malformed JSON, a key that stands twice, and deep nesting. */
export function parseJson(text: string): unknown {
  let offset = 0

  function problem(reason: string): JsonProblem {
    return new JsonProblem(offset >= text.length ? `the file ends where ${reason}` : reason, text, offset)
  }

  function take(pattern: RegExp): string | undefined {
    pattern.lastIndex = offset
    const found = pattern.exec(text)?.[0]
    if (found !== undefined) offset += found.length
    return found
  }

  function next(): string | undefined {
    take(blank)
    return text[offset]
  }

  function value(depth: number): void {
    const first = next()
    if (depth > deepest) throw problem('the nesting is too deep')
    if (first === '{') members(depth)
    else if (first === '[') elements(depth)
    else if (first === '"') quotedText()
    else if (take(word) === undefined) throw problem('a value is expected')
  }

  function quotedText(): string {
    const found = take(string)
    if (found === undefined) throw problem('a text is not closed, or holds a line break or a wrong escape')
    return found
  }

  function members(depth: number): void {
    const seen = new Set<string>()
    offset += 1
    if (next() === '}') {
      offset += 1
      return
    }
    for (;;) {
      if (next() !== '"') throw problem('a key in double quotes is expected')
      const start = offset
      const key = String(JSON.parse(quotedText()))
      if (seen.has(key)) {
        offset = start
        throw problem(`the key ${JSON.stringify(key)} stands here for the second time`)
      }
      seen.add(key)
      if (next() !== ':') throw problem('a colon is expected')
      offset += 1
      value(depth + 1)
      if (!goesOn('}')) return
    }
  }

  function elements(depth: number): void {
    offset += 1
    if (next() === ']') {
      offset += 1
      return
    }
    for (;;) {
      value(depth + 1)
      if (!goesOn(']')) return
    }
  }

  function goesOn(end: '}' | ']'): boolean {
    const found = next()
    if (found !== ',' && found !== end) throw problem(`a comma or ${end} is expected`)
    offset += 1
    return found === ','
  }

  value(0)
  if (next() !== undefined) throw problem('something follows the end of the value')
  return JSON.parse(text)
}

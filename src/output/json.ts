/**
 * Values as JSON text that every parser accepts, on stdout and in cells with an object. A body of `svc api` keeps every
 * digit of its numbers.
 */
import { isJson } from '../values.ts'
import { inert } from '../safe-text.ts'

/** A value as JSON text that every parser accepts, inert on a terminal. Only unpaired surrogates are replaced. */
export function jsonText(value: unknown, indent?: number): string {
  const isExact = value instanceof ExactJson
  const plain: unknown = isExact ? value.marked : value
  // Undefined has no JSON text, although the type says otherwise.
  const json = JSON.stringify(plain, undefined, indent) as string | undefined
  const text = replaceUnpaired(json ?? 'null')
  return inert(isExact ? withoutMarks(text) : text)
}

/** Rows as one array. */
export async function* jsonRows(rows: AsyncIterable<unknown>): AsyncGenerator<string> {
  let separator = '['
  for await (const row of rows) {
    yield `${separator}\n  ${jsonText(row, 2).replaceAll('\n', '\n  ')}`
    separator = ','
  }
  yield separator === '[' ? '[]\n' : '\n]\n'
}

/** Rows as lines. */
export async function* jsonLines(rows: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const row of rows) yield `${jsonText(row)}\n`
}

/** JSON text with U+FFFD in place of unpaired surrogates, which some readers refuse. The same text if it has none. */
function replaceUnpaired(json: string) {
  // `JSON.stringify` escapes only unpaired surrogates, so every `\ud` is one, or its backslash is itself escaped.
  if (!json.includes('\\ud')) return json
  return json.replace(unpairedHalves, (_, before: string, halves: string) => {
    const count = halves.length / '\\ud800'.length
    return before + '\ufffd'.repeat(count)
  })
}

/** Backslashes that are themselves escaped, then the escapes of halves. */
const unpairedHalves = /(?<!\\)((?:\\\\)*)((?:\\ud[89a-f][0-9a-f]{2})+)/g

/**
 * A JSON document whose numbers keep their digits (9007199254740993001, 1.50). Inside, each string and each name of a member
 * begins with `$`, and each number is a string that begins with `#`.
 */
export class ExactJson {
  readonly marked: unknown

  constructor(marked: unknown) {
    this.marked = marked
  }

  /** Undefined if the text is not JSON. */
  static parse(text: string): ExactJson | undefined {
    return isJson(text) ? new ExactJson(JSON.parse(withMarks(text))) : undefined
  }
}

/** The document with a mark on each string and each number, so that `JSON.parse` reads a number as its digits. */
function withMarks(json: string) {
  let isInside = false
  return json.replace(/\\.|"|-?\d[\d.eE+-]*/g, (token) => {
    if (token !== '"') return isInside ? token : `"#${token}"`
    isInside = !isInside
    return isInside ? '"$' : token
  })
}

/** The way back: a string loses its mark, and a number its mark and its quotes. A quote that ends neither has no mark. */
function withoutMarks(json: string) {
  let quote = ''
  return json.replace(/\\.|"[$#]?/g, (token) => {
    if (token.startsWith('\\')) return token
    if (token !== '"') quote = token === '"$' ? '"' : ''
    return quote
  })
}

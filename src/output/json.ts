/** Values as JSON text: every reader takes it, and what was replaced for that is counted. */
import { inertPieces, joined } from './text/safe.ts'

/** A value as JSON text that every reader takes, inert on a terminal; the same value but for unpaired surrogates. */
export function jsonText(value: unknown, options: { raw?: boolean } = {}): string {
  return new JsonWriter(options.raw === true).text(value)
}

/** JSON text whose unpaired surrogates, which some readers refuse, are U+FFFD; the very text when it has none. */
function replaceUnpaired(json: string): string {
  // Pairs are written as they are, so every such escape stands for half of one; or its backslash is itself escaped.
  if (!json.includes('\\ud')) return json
  return json.replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, '$1\ufffd')
}

export class JsonWriter {
  readonly #raw: boolean
  /** Values in which an unpaired surrogate was replaced. */
  replaced = 0

  /** `raw`: unpaired surrogates are written as `\ud83d`, where some readers stop. */
  constructor(raw: boolean) {
    this.#raw = raw
  }

  text(value: unknown, indent?: number): string {
    return joined(this.pieces(value, indent))
  }

  /** A long text comes in several pieces. `margin`: stands before each line but the first; `end`: behind the last. */
  pieces(value: unknown, indent?: number, margin = '', end = ''): Iterable<string> {
    // Undefined has no JSON text, whatever the type says.
    const isExact = value instanceof ExactJson
    const exact = (JSON.stringify(isExact ? value.marked : value, undefined, indent) as string | undefined) ?? 'null'
    const text = this.#raw ? exact : replaceUnpaired(exact)
    if (text !== exact) this.replaced += 1
    const whole = isExact ? withoutMarks(text) : text
    return inertPieces((margin === '' ? whole : whole.replaceAll('\n', `\n${margin}`)) + end)
  }
}

/** Strings, and numbers outside of them. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g
const markedStrings = /"([$#])([^"\\]*(?:\\.[^"\\]*)*)"/g

/**
 * A JSON document whose numbers keep their digits (9007199254740993001, 1.50). Inside, each string and each name of a member
 * begins with `$`, and each number is a string that begins with `#`.
 */
export class ExactJson {
  readonly marked: unknown

  constructor(marked: unknown) {
    this.marked = marked
  }

  /** Throws SyntaxError when the text is no JSON. */
  static parse(text: string): ExactJson {
    JSON.parse(text)
    const marked = text.replace(tokens, (token) => (token.startsWith('"') ? `"$${token.slice(1)}` : `"#${token}"`))
    return new ExactJson(JSON.parse(marked))
  }
}

function withoutMarks(json: string): string {
  return json.replace(markedStrings, (_, mark: string, text: string) => (mark === '#' ? text : `"${text}"`))
}

/** A list in a document that may be longer than a text can be: read when it is written, and never held whole. */
export class LazyList<T = unknown> implements Iterable<T> {
  readonly #items: () => Iterable<T>

  constructor(items: () => Iterable<T>) {
    this.#items = items
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#items()[Symbol.iterator]()
  }

  map<U>(change: (item: T) => U): LazyList<U> {
    const items = this.#items
    return new LazyList(function* () {
      for (const item of items()) yield change(item)
    })
  }

  toJSON(): T[] {
    return [...this]
  }
}

/** A document as JSON text in pieces: its lazy lists are written as they are read. It is closed before what a list throws is. */
export function* jsonPieces(document: unknown, json: JsonWriter, indent?: 2): Generator<string> {
  const members = typeof document === 'object' && document !== null ? Object.entries(document) : []
  if (!members.some(([, value]) => value instanceof LazyList)) {
    yield* json.pieces(document, indent)
    return
  }
  const [lineEnd, blank] = indent === undefined ? ['', ''] : ['\n', ' ']
  const margin = blank.repeat(2)
  let before = '{'
  for (const [name, value] of members) {
    if (value === undefined) continue
    yield `${before}${lineEnd}${margin}${json.text(name)}:${blank}`
    before = ','
    if (!(value instanceof LazyList)) yield json.text(value, indent).replaceAll('\n', `\n${margin}`)
    else {
      const failure = yield* listPieces(value, json, indent)
      if (failure === undefined) continue
      yield `${lineEnd}}`
      throw failure
    }
  }
  yield `${lineEnd}}`
}

const itemsAtOnce = 1000

/** Returns what ended the list before its time. */
function* listPieces(list: LazyList, json: JsonWriter, indent: 2 | undefined): Generator<string, Error | undefined> {
  let before = '['
  let failure: Error | undefined
  let items: unknown[] = []
  // Without its own brackets, and a level deeper.
  const inner = (): string => {
    const text = json.text(items, indent)
    const piece = before + (indent === undefined ? text.slice(1, -1) : text.slice(1, -2).replaceAll('\n', '\n  '))
    before = ','
    items = []
    return piece
  }
  try {
    for (const item of list) if (items.push(item) >= itemsAtOnce) yield inner()
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error))
  }
  if (items.length > 0) yield inner()
  yield before === '[' ? '[]' : indent === undefined ? ']' : '\n  ]'
  return failure
}

/** Values as JSON text: every reader takes it, and what was replaced for that is counted. */
import { isJson, isObject } from '../values.ts'
import { inert, joined, pieceLength, slices, turn } from './text/safe.ts'

/** A value as JSON text that every reader takes, inert on a terminal; the same value but for unpaired surrogates. */
export function jsonText(value: unknown): string {
  return new JsonWriter().text(value)
}

/** JSON text whose unpaired surrogates, which some readers refuse, are U+FFFD; the very text when it has none. */
function replaceUnpaired(json: string): string {
  // Pairs are written as they are, so every such escape stands for half of one; or its backslash is itself escaped.
  if (!json.includes('\\ud')) return json
  return json.replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, '$1\ufffd')
}

/** Characters and members of a value, not counted far beyond `pieceLength`. */
function weightOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  let weight = 1
  if (Array.isArray(value)) {
    for (const item of value) if ((weight += weightOf(item)) > pieceLength) break
  } else if (isObject(value)) {
    // Entries, made for each row of a table, would cost as much as its JSON text.
    for (const name in value) if ((weight += name.length + weightOf(value[name])) > pieceLength) break
  }
  return weight
}

interface Form {
  readonly indent?: number | undefined
  readonly isExact: boolean
  /** Stands before each line but the first. */
  readonly margin: string
}

export class JsonWriter {
  /** Values in which an unpaired surrogate was replaced. */
  replaced = 0

  text(value: unknown, indent?: number, margin = ''): string {
    return joined(this.pieces(value, indent, margin))
  }

  /**
   * A long value comes in several pieces. `margin`: stands before each line but the first; `end`: behind the last.
   */
  pieces(value: unknown, indent?: number, margin = '', end = ''): Iterable<string> {
    const isExact = value instanceof ExactJson
    const document = isExact ? value.marked : value
    const form = { indent, isExact, margin }
    if (weightOf(document) <= pieceLength) return [this.#short(document, form) + end]
    return this.#whole(document, form, end)
  }

  *#whole(value: unknown, form: Form, end: string): Generator<string> {
    const before = this.replaced
    yield* this.#any(value, form)
    yield end
    this.replaced = Math.min(this.replaced, before + 1)
  }

  *#any(value: unknown, form: Form): Generator<string> {
    if (weightOf(value) <= pieceLength) yield this.#short(value, form)
    else if (typeof value === 'string') yield* this.#longText(value, form)
    else if (typeof value === 'object' && value !== null) yield* this.#members(value, form)
  }

  #short(value: unknown, { indent, isExact, margin }: Form): string {
    // Undefined has no JSON text, whatever the type says.
    const exact = (JSON.stringify(value, undefined, indent) as string | undefined) ?? 'null'
    const text = replaceUnpaired(exact)
    if (text !== exact) this.replaced += 1
    const whole = isExact ? withoutMarks(text) : text
    return inert(margin === '' ? whole : whole.replaceAll('\n', `\n${margin}`))
  }

  *#longText(text: string, { isExact }: Form): Generator<string> {
    const quote = isExact && text.startsWith('#') ? '' : '"'
    yield quote
    for (const slice of slices(isExact ? text.slice(1) : text))
      yield this.#short(slice, { isExact: false, margin: '' }).slice(1, -1)
    yield quote
  }

  *#name(name: string, blank: string, form: Form): Generator<string> {
    yield* this.#any(name, form)
    yield `:${blank}`
  }

  /** Short members are written many at once, without brackets of their own. */
  *#members(value: object, form: Form): Generator<string> {
    const isList = Array.isArray(value)
    const [start, end] = isList ? (['[', ']'] as const) : (['{', '}'] as const)
    const [lineEnd, blank] = form.indent === undefined ? ['', ''] : [`\n${form.margin}`, ' ']
    const inner = blank.repeat(form.indent ?? 0)
    let before: string = start
    let few: unknown[] = []
    let names: string[] = []
    let weight = 0
    const written = (): string => {
      const text = this.#short(isList ? few : Object.fromEntries(few.map((item, at) => [names[at], item])), form)
      const piece = before + text.slice(1, -1 - lineEnd.length)
      ;[before, few, names, weight] = [',', [], [], 0]
      return piece
    }
    // The items of a list, the names of an object: a pair for each of millions would cost as much as its text.
    const all: Iterable<unknown> = isList
      ? value
      : Object.keys(value).filter((name) => memberOf(value, name) !== undefined)
    for (const one of all) {
      const name = isList ? '' : String(one)
      const item = isList ? one : memberOf(value, name)
      const own = name.length + weightOf(item)
      weight += own
      if (own <= pieceLength) {
        few.push(item)
        names.push(name)
      }
      if (few.length > 0 && weight > pieceLength) yield written()
      if (own <= pieceLength) continue
      yield before + lineEnd + inner
      before = ','
      if (!isList) yield* this.#name(name, blank, form)
      yield* this.#any(item, { ...form, margin: form.margin + inner })
    }
    if (few.length > 0) yield written()
    yield before === ',' ? lineEnd : before
    yield end
  }
}

function memberOf(value: object, name: string): unknown {
  return isObject(value) ? value[name] : undefined
}

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

  /** Undefined when the text is no JSON. */
  static async parse(text: string): Promise<ExactJson | undefined> {
    if (!isJson(text)) return undefined
    await turn()
    return new ExactJson(JSON.parse(withMarks(text)))
  }
}

/** No pattern looks for the end of a string: one that goes over millions of escapes is too much for the stack. */
function withMarks(json: string): string {
  const tokens = /"|-?\d[\d.eE+-]*/g
  const parts: string[] = []
  let written = 0
  for (let found = tokens.exec(json); found !== null; found = tokens.exec(json)) {
    const [token] = found
    parts.push(json.slice(written, found.index), token === '"' ? '"$' : `"#${token}"`)
    written = tokens.lastIndex
    if (token !== '"') continue
    let at = written
    while (json.charCodeAt(at) !== 0x22) at += json.charCodeAt(at) === 0x5c ? 2 : 1
    tokens.lastIndex = at + 1
  }
  return parts.join('') + json.slice(written)
}

function withoutMarks(json: string): string {
  return json.replace(markedStrings, (_, mark: string, text: string) => (mark === '#' ? text : `"${text}"`))
}

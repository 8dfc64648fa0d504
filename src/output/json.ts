/** Values as JSON text: every reader takes it, and what was replaced for that is counted. */
import { isJson, isObject } from '../values.ts'
import { inert } from './text/safe.ts'

/** A value as JSON text that every reader takes, inert on a terminal; the same value but for unpaired surrogates. */
export function jsonText(value: unknown): string {
  return new JsonWriter().text(value)
}

/** JSON text whose unpaired surrogates, which some readers refuse, are U+FFFD; the very text when it has none. */
function replaceUnpaired(json: string): string {
  // Pairs are written as they are, so every such escape stands for half of one; or its backslash is itself escaped.
  if (!json.includes('\\ud')) return json
  return json.replace(
    /(?<!\\)((?:\\\\)*)((?:\\ud[89a-f][0-9a-f]{2})+)/g,
    (_, before: string, halves: string) => before + '\ufffd'.repeat(halves.length / 6),
  )
}

/** Items of a list that are written at once. */
const mostItems = 10_000

export class JsonWriter {
  /** Values in which an unpaired surrogate was replaced. */
  replaced = 0

  /** `margin`: stands before each line but the first. */
  text(value: unknown, indent?: number, margin = ''): string {
    const isExact = value instanceof ExactJson
    // Undefined has no JSON text, whatever the type says.
    const exact = (JSON.stringify(isExact ? value.marked : value, undefined, indent) as string | undefined) ?? 'null'
    const text = replaceUnpaired(exact)
    if (text !== exact) this.replaced += 1
    const whole = isExact ? withoutMarks(text) : text
    return inert(margin === '' ? whole : whole.replaceAll('\n', `\n${margin}`))
  }

  /** A document, whose lists of 1,000,000 ids are never one text. */
  *pieces(document: unknown, indent?: number): Generator<string> {
    if (!isObject(document) || document instanceof ExactJson || !Object.values(document).some(isLongList))
      return yield this.text(document, indent)
    const [lineEnd, blank] = indent === undefined ? ['', ''] : ['\n', ' ']
    const inner = blank.repeat(indent ?? 0)
    const end = `${lineEnd}${inner}]`
    let before = '{'
    for (const [name, value] of Object.entries(document)) {
      if (value === undefined) continue
      yield `${before}${lineEnd}${inner}${this.text(name)}:${blank}`
      before = ','
      if (!isLongList(value)) yield this.text(value, indent, inner)
      else {
        for (let at = 0; at < value.length; at += mostItems) {
          const some = this.text(value.slice(at, at + mostItems), indent, inner)
          yield (at === 0 ? '[' : ',') + some.slice(1, -end.length)
        }
        yield end
      }
    }
    yield `${lineEnd}}`
  }
}

function isLongList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > mostItems
}

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
  static parse(text: string): ExactJson | undefined {
    return isJson(text) ? new ExactJson(JSON.parse(withMarks(text))) : undefined
  }
}

/** No pattern looks for the end of a string: one that goes over millions of escapes is too much for the stack. */
function endOfString(json: string, start: number): number {
  let at = start
  while (json.charCodeAt(at) !== 0x22) at += json.charCodeAt(at) === 0x5c ? 2 : 1
  return at
}

function withMarks(json: string): string {
  const tokens = /"|-?\d[\d.eE+-]*/g
  const parts: string[] = []
  let written = 0
  for (let found = tokens.exec(json); found !== null; found = tokens.exec(json)) {
    const [token] = found
    parts.push(json.slice(written, found.index), token === '"' ? '"$' : `"#${token}"`)
    written = tokens.lastIndex
    if (token === '"') tokens.lastIndex = endOfString(json, written) + 1
  }
  return parts.join('') + json.slice(written)
}

function withoutMarks(json: string): string {
  const parts: string[] = []
  let written = 0
  for (let at = json.indexOf('"'), end = 0; at >= 0; at = json.indexOf('"', end + 1)) {
    end = endOfString(json, at + 1)
    const isNumber = json[at + 1] === '#'
    parts.push(json.slice(written, isNumber ? at : at + 1), json.slice(at + 2, end))
    written = isNumber ? end + 1 : end
  }
  return parts.join('') + json.slice(written)
}

/**
 * Values as JSON text that every reader takes: on stdout, in lines on stderr, and in cells that hold an object. A body of `svc api` keeps
 * its numbers to the digit. What was replaced for a reader's sake is counted, and told in a note.
 */
import { endOfString, isJson } from '../values.ts'
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

export class JsonWriter {
  /** Values in which an unpaired surrogate was replaced. */
  replaced = 0

  /** `margin`: stands before each line but the first. */
  text(value: unknown, indent?: number, margin = ''): string {
    const isExact = value instanceof ExactJson
    const plain: unknown = isExact ? value.marked : value
    // Undefined has no JSON text, whatever the type says.
    const json = JSON.stringify(plain, undefined, indent) as string | undefined
    const exact = json ?? 'null'
    const text = replaceUnpaired(exact)
    if (text !== exact) this.replaced += 1
    const whole = isExact ? withoutMarks(text) : text
    return inert(margin === '' ? whole : whole.replaceAll('\n', `\n${margin}`))
  }
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

function withMarks(json: string): string {
  const tokens = /"|-?\d[\d.eE+-]*/g
  const parts: string[] = []
  let written = 0
  for (let match = tokens.exec(json); match !== null; match = tokens.exec(json)) {
    const [token] = match
    const marked = token === '"' ? '"$' : `"#${token}"`
    parts.push(json.slice(written, match.index), marked)
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

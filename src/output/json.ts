/** Values as JSON text: every reader takes it, and what was replaced for that is counted. */
import { inertJson } from './text.ts'

/** A value as JSON text that every reader takes, inert on a terminal; the same value but for unpaired surrogates. */
export function jsonText(value: unknown, options: { raw?: boolean } = {}): string {
  return new JsonWriter(options.raw === true).text(value)
}

/** JSON text whose unpaired surrogates, which some readers refuse, are U+FFFD; the very text when it has none. */
function replaceUnpaired(json: string): string {
  // Pairs are written as they are, so every such escape stands for half of one; or its backslash is itself escaped.
  if (!json.includes('\\ud')) return json
  return json.replace(/\\(?:ud[89a-f][0-9a-f]{2}|[^])/g, (escape) => (escape.length > 2 ? '\ufffd' : escape))
}

/** Turns values into JSON text. */
export class JsonWriter {
  readonly #raw: boolean
  /** Values in which an unpaired surrogate was replaced. */
  replaced = 0

  /** `raw`: unpaired surrogates are written as `\ud83d`, where some readers stop. */
  constructor(raw: boolean) {
    this.#raw = raw
  }

  text(value: unknown, indent?: number): string {
    // Undefined has no JSON text, whatever the type says.
    const isExact = value instanceof ExactJson
    const exact = (JSON.stringify(isExact ? value.marked : value, undefined, indent) as string | undefined) ?? 'null'
    const text = this.#raw ? exact : replaceUnpaired(exact)
    if (text !== exact) this.replaced += 1
    return inertJson(isExact ? withoutMarks(text) : text)
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

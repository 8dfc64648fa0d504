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
    const exact = (JSON.stringify(value, undefined, indent) as string | undefined) ?? 'null'
    const text = this.#raw ? exact : replaceUnpaired(exact)
    if (text !== exact) this.replaced += 1
    return inertJson(text)
  }
}

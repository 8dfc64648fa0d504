/** Writes values as JSON text that every parser accepts. */
import { inert } from '../safe-text.ts'

/** Returns a value as JSON text that cannot control a terminal. It replaces unpaired surrogates and changes nothing else. */
export function jsonText(value: unknown, indent?: number): string {
  // Undefined has no JSON text, although the type says otherwise.
  const json = JSON.stringify(value, undefined, indent) as string | undefined
  return inert(replaceUnpaired(json ?? 'null'))
}

/** Yields the text of an array with all rows. */
export async function* jsonRows(rows: AsyncIterable<unknown>): AsyncGenerator<string> {
  let separator = '['
  for await (const row of rows) {
    const text = jsonText(row, 2).replaceAll('\n', '\n  ')
    yield `${separator}\n  ${text}`
    separator = ','
  }
  yield separator === '[' ? '[]\n' : '\n]\n'
}

/** Returns JSON text with U+FFFD in place of unpaired surrogates, which some parsers refuse. */
function replaceUnpaired(json: string) {
  // JSON.stringify escapes a surrogate only if it is unpaired. So `\ud` is one, unless its backslash is itself escaped.
  if (!json.includes('\\ud')) return json
  return json.replace(unpairedHalves, (_, before: string, halves: string) => {
    const count = halves.length / '\\ud800'.length
    return before + '\ufffd'.repeat(count)
  })
}

/** Escaped backslashes, which remain, and then the escapes of unpaired surrogates. */
const unpairedHalves = /(?<!\\)((?:\\\\)*)((?:\\ud[89a-f][0-9a-f]{2})+)/g

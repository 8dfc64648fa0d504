/** Values as JSON text that every parser accepts, on stdout and in cells with an object. */
import { inert } from '../safe-text.ts'

/** A value as JSON text that every parser accepts, inert on a terminal. Only unpaired surrogates are replaced. */
export function jsonText(value: unknown, indent?: number): string {
  // Undefined has no JSON text, although the type says otherwise.
  const json = JSON.stringify(value, undefined, indent) as string | undefined
  return inert(replaceUnpaired(json ?? 'null'))
}

/** Rows as one array. */
export async function* jsonRows(rows: AsyncIterable<unknown>): AsyncGenerator<string> {
  let separator = '['
  for await (const row of rows) {
    const text = jsonText(row, 2).replaceAll('\n', '\n  ')
    yield `${separator}\n  ${text}`
    separator = ','
  }
  yield separator === '[' ? '[]\n' : '\n]\n'
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

/** JSON on its way out: every reader takes it, and what was replaced for that is counted. */
import { brokenEnding } from '../ending.ts'
import type { Ending, Rows } from '../result.ts'
import type { Sink } from '../sink.ts'
import type { Source } from '../source.ts'
import { inertJson } from '../text.ts'

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

/** An array, or an object around it; one complete document even when the rows break off. */
export async function printJsonRows<T>(
  source: Source<T>,
  { frame, project }: { frame: Rows<T>['frame'] | undefined; project: (row: T) => unknown },
  json: JsonWriter,
  sink: Sink,
): Promise<void> {
  const margin = frame === undefined ? '  ' : '    '
  let count = 0

  const open = (): string => {
    if (frame === undefined) return '['
    const before = members(frame.before, json).map((member) => `${member},\n`)
    return `{\n${before.join('')}  ${json.text(frame.key)}: [`
  }
  const close = ({ cursor }: Ending): string => {
    const end = count === 0 ? ']' : `\n${margin.slice(2)}]`
    if (frame === undefined) return `${end}\n`
    const after = members({ [frame.cursor]: cursor }, json).map((member) => `,\n${member}`)
    return `${end}${after.join('')}\n}\n`
  }

  try {
    for await (const row of source) {
      const text = `${margin}${json.text(project(row), 2).replaceAll('\n', `\n${margin}`)}`
      const wait = sink.write(`${count === 0 ? `${open()}\n` : ',\n'}${text}`)
      count += 1
      if (wait !== undefined) await wait
    }
  } catch (error) {
    if (count > 0) await quietly(() => sink.write(close(brokenEnding(error))))
    throw error
  }
  await sink.write(`${count === 0 ? open() : ''}${close(source.ending)}`)
}

function members(values: Readonly<Record<string, unknown>>, json: JsonWriter): string[] {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `  ${json.text(key)}: ${json.text(value, 2).replaceAll('\n', '\n  ')}`)
}

/** For what is only a courtesy on the way out of a failure, which is the one to tell. */
export async function quietly(action: () => Promise<void> | undefined): Promise<void> {
  try {
    await action()
  } catch {
    // The first failure is thrown by the caller.
  }
}

/** Rows of several things, one after the other. */
import { quietly } from './formats/json.ts'
import type { Rows } from './result.ts'
import type { Sink } from './sink.ts'

/** An array of the documents that `print` writes; complete even when the parts break off. */
export async function printDocuments<T>(
  parts: AsyncIterable<Rows<T>>,
  sink: Sink,
  print: (part: Rows<T>, nested: Sink) => Promise<void>,
): Promise<void> {
  let count = 0
  const end = (): Promise<void> | undefined => sink.write(count === 0 ? '[]\n' : '\n]\n')
  try {
    for await (const part of parts) {
      let start = count === 0 ? '[\n  ' : ',\n  '
      const nested: Sink = {
        ...sink,
        // A document's own line end is that of the array.
        write(text) {
          const piece = start + text.replace(/\n$/, '').replaceAll('\n', '\n  ')
          start = ''
          count += 1
          return sink.write(piece)
        },
      }
      await print(part, nested)
    }
  } catch (error) {
    if (count > 0) await quietly(end)
    throw error
  }
  await end()
}

/** An empty line between them. */
export async function printApart<T>(
  parts: AsyncIterable<Rows<T>>,
  sink: Sink,
  print: (part: Rows<T>) => Promise<void>,
): Promise<void> {
  let isFirst = true
  for await (const part of parts) {
    if (!isFirst) await sink.write('\n')
    isFirst = false
    await print(part)
  }
}

export async function* rowsOf<T>(parts: AsyncIterable<Rows<T>>): AsyncGenerator<T, undefined> {
  for await (const { rows } of parts) yield* rows
  return undefined
}

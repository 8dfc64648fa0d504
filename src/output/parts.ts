/** Rows of several things, one after the other. */
import { quietly } from './formats/json.ts'
import type { Rows } from './result.ts'
import type { Sink } from './sink.ts'

/** An array of the documents that `print` writes, if there are any; complete even when the parts stop early. Returns how many. */
export async function printDocuments<T>(
  parts: AsyncIterable<Rows<T>>,
  sink: Sink,
  print: (part: Rows<T>, nested: Sink) => Promise<unknown>,
): Promise<number> {
  let count = 0
  const end = (): Promise<void> | undefined => (count === 0 ? undefined : sink.write('\n]\n'))
  try {
    for await (const part of parts) {
      let start = count === 0 ? '[\n  ' : ',\n  '
      const nested: Sink = {
        ...sink,
        // A document's own line end is that of the array.
        write(text) {
          if (start !== '') count += 1
          const piece = start + text.toString().replace(/\n$/, '').replaceAll('\n', '\n  ')
          start = ''
          return sink.write(piece)
        },
      }
      await print(part, nested)
    }
  } catch (error) {
    await quietly(end)
    throw error
  }
  await end()
  return count
}

/** An empty line between them. */
export async function printApart<T>(
  parts: AsyncIterable<Rows<T>>,
  sink: Sink,
  print: (part: Rows<T>) => Promise<unknown>,
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

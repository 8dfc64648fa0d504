/**
 * Rows of several things, one after the other, as `svc tickets history` prints those of several tickets: a document each in JSON, a
 * transcript each for reading, and the rows of all in every other format. For `render.ts` alone.
 */
import type { Rows } from './result.ts'
import type { Sink } from './sink.ts'

/** The documents that `print` writes, as the items of an array whose end is not written. Returns how many. */
export async function printDocuments<T>(
  parts: AsyncIterable<Rows<T>>,
  sink: Sink,
  print: (part: Rows<T>, nested: Sink) => Promise<unknown>,
): Promise<number> {
  let count = 0
  for await (const part of parts) {
    // Before the first piece of each document: one that fails before it leaves nothing behind.
    let start = count === 0 ? '[\n  ' : ',\n  '
    const nested: Sink = {
      isBegun: true,
      flush: () => sink.flush(),
      end: (last) => sink.end(last),
      // A document's own line end is that of the array.
      write(text) {
        if (start !== '') count += 1
        const whole = text.toString().replace(/\n$/, '')
        const indented = start + whole.replaceAll('\n', '\n  ')
        start = ''
        return sink.write(indented)
      },
    }
    await print(part, nested)
  }
  return count
}

/** Prints each part by itself, with an empty line between two of them. */
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

/** The rows of all; `end` is called behind them. */
export async function* rowsOf<T>(
  parts: AsyncIterable<Rows<T>>,
  end: () => void,
): AsyncGenerator<T, undefined> {
  for await (const { rows } of parts) yield* rows
  end()
  return undefined
}

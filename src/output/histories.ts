/**
 * Outputs that only the histories of tickets have, for `render.ts` alone: a conversation as text (`formats/transcript.ts`) or as a page
 * (`formats/html.ts`), and rows of several tickets, one after the other: a document each in JSON, a transcript each for reading, and the
 * rows of all in every other format.
 */
import { usageError } from '../errors.ts'
import type { RowSource } from './ending.ts'
import type { ConversationMessage, PrintOptions, Rows, View } from './result.ts'
import type { Sink } from './sink.ts'

/** Pieces of the text or the page. Throws exit 2 for a command whose rows are no messages. */
export async function* conversationText<T>(
  { conversation }: Rows<T>,
  source: RowSource<T>,
  { message }: View<T>,
  print: PrintOptions,
): AsyncGenerator<string> {
  const { format } = print
  if (conversation === undefined || message === undefined) {
    throw usageError(`this command has no format "${format}"`)
  }
  const messages = messagesOf(source, message)
  const input = { conversation, messages, print }
  if (format === 'html') {
    const { page } = await import('./formats/html.ts')
    yield* page(input, () => source.ending.leftOut)
  } else {
    const { transcript } = await import('./formats/transcript.ts')
    yield* transcript(input, () => source.ending.isBroken === true)
  }
}

async function* messagesOf<T>(
  rows: AsyncIterable<T>,
  messageOf: (row: T) => ConversationMessage,
): AsyncGenerator<ConversationMessage> {
  for await (const row of rows) yield messageOf(row)
}

/** The same pieces as bytes, for a page that is shown only when it is whole. */
export async function* bytesOf(pieces: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) yield Buffer.from(piece)
}

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

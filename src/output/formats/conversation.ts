/**
 * A conversation in either of its forms, from the rows of a verb: text (`transcript.ts`) or a page (`html.ts`). `render.ts` loads it for
 * these two formats, and it loads the one that was asked for.
 */
import { usageError } from '../../errors.ts'
import type { RowSource } from '../ending.ts'
import type { ConversationMessage, PrintOptions, Rows, View } from '../result.ts'

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
    const { page } = await import('./html.ts')
    yield* page(input, () => source.ending.leftOut)
  } else {
    const { transcript } = await import('./transcript.ts')
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

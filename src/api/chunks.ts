/** Reads the history of a ticket chunk by chunk, newest messages first. Each chunk has the cursor of the next one. */
import { SvcError } from '../errors.ts'
import type { HistoryChunk } from './schemas.ts'

/**
 * Yields chunks until they have at least `minMessages` messages, without the messages that the chunk before had. The next
 * chunk is already requested while the caller uses one. Throws `unavailable` for a cursor that is empty or was already used,
 * because such a read would never end.
 */
export async function* followChunks(
  fetchChunk: (cursor: string | undefined) => Promise<HistoryChunk>,
  minMessages = Infinity,
): AsyncGenerator<HistoryChunk> {
  const usedCursors = new Set<string>()
  let messageCount = 0
  let previousIds = new Set<string>()
  let requested = fetchChunk(undefined)
  for (;;) {
    const chunk = await requested
    const messages = chunk.messages.filter(({ id }) => !previousIds.has(id))
    messageCount += messages.length
    const cursor = chunk.nextChunkStartMessageId ?? undefined
    const isLast = cursor === undefined || messageCount >= minMessages
    const canFollow = !isLast && cursor !== '' && !usedCursors.has(cursor)
    if (canFollow) {
      requested = fetchChunk(cursor)
      // It is awaited later. Until then, its failure must not count as unhandled.
      requested.catch(() => undefined)
    }
    yield { ...chunk, messages }
    if (isLast) return
    if (!canFollow)
      throw new SvcError('unavailable', 'the service returned an empty or a used cursor')
    usedCursors.add(cursor)
    previousIds = new Set(chunk.messages.map(({ id }) => id))
  }
}

/**
 * A ticket's history as rows: limit, span of time, order, and the cursor from which a reader can go on without losing a
 * message. Newest first streams; oldest first is held in memory.
 */
import type { Api } from '../../api/client.ts'
import type { HistoryChunk, Message, Ticket } from '../../api/schemas.ts'
import { limits } from '../../api/limits.ts'
import { SvcError } from '../../errors.ts'
import type { Ending } from '../../output/result.ts'
import type { MessageRow } from '../../resources/message.ts'
import { shellWord } from '../../words.ts'

export interface HistoryChoice {
  /** The newest n messages; Infinity for all. */
  readonly limit: number
  readonly cursor: string | undefined
  /** Milliseconds since 1970, inclusive and exclusive. */
  readonly since: number | undefined
  readonly until: number | undefined
  readonly order: 'newest' | 'oldest'
}

export interface History {
  readonly ticket: Ticket
  /** An error has the cursor to go on from. */
  readonly messages: AsyncGenerator<MessageRow, Ending>
}

/** Reads the first chunk at once, so that a refusal comes before any output. */
export async function readHistory(api: Api, ticketId: string, choice: HistoryChoice): Promise<History> {
  const filtered = choice.since !== undefined || choice.until !== undefined
  const chunks = api.tickets.chunks(ticketId, choice.cursor, filtered ? Infinity : choice.limit)
  const first = await chunks.next()
  if (first.done === true) throw new SvcError('unavailable', 'the service sent no history')
  const newest = newestFirst(first.value, chunks, choice)
  return { ticket: first.value.ticket, messages: choice.order === 'newest' ? newest : oldestFirst(newest) }
}

async function* newestFirst(
  first: HistoryChunk,
  chunks: AsyncGenerator<HistoryChunk>,
  choice: HistoryChoice,
): AsyncGenerator<MessageRow, Ending> {
  let chunk = first
  let chunkStart = choice.cursor
  let room = choice.limit
  try {
    for (;;) {
      const wanted = chunk.messages.filter((message) => within(message, choice))
      for (const message of wanted.slice(0, room)) yield { ticketId: chunk.ticket.id, ...message }
      if (wanted.length > room) return cutEnding('older messages were left out', chunkStart, choice)
      room -= wanted.length
      const next = chunk.nextChunkStartMessageId ?? undefined
      // The walk ends after a whole chunk that is older: one older message alone may be out of order.
      if (next === undefined || isOlder(chunk, choice.since)) return {}
      // Nobody looked into the next chunk.
      if (room === 0) return cutEnding('there may be older messages', next, choice)
      chunkStart = next
      const result = await chunks.next()
      if (result.done === true) return {}
      chunk = result.value
    }
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    const cursor = error.details.cursor ?? chunkStart
    throw cursor === undefined ? error : error.with({ cursor })
  } finally {
    await chunks.return(undefined)
  }
}

/** What came before a failure is shown. */
async function* oldestFirst(newest: AsyncGenerator<MessageRow, Ending>): AsyncGenerator<MessageRow, Ending> {
  const held: MessageRow[] = []
  const { ending, failure } = await readAll(newest, held).then(
    (ending) => ({ ending, failure: undefined }),
    (failure: Error) => ({ ending: {}, failure }),
  )
  for (let message = held.pop(); message !== undefined; message = held.pop()) yield message
  if (failure !== undefined) throw failure
  return ending
}

async function readAll(messages: AsyncGenerator<MessageRow, Ending>, held: MessageRow[]): Promise<Ending> {
  let step = await messages.next()
  for (; step.done !== true; step = await messages.next()) held.push(step.value)
  return step.value
}

/** Words for older messages that are not shown. `cursor` begins the chunk in which the cut fell, or the next one. */
function cutEnding(leftOut: string, cursor: string | undefined, choice: HistoryChoice): Ending {
  return { leftOut, cursor, notes: [`${leftOut}. ${howToResume(cursor, choice.cursor)}`] }
}

/** The first chunk has no cursor, and less than a chunk gets nobody past its own. */
function howToResume(cursor: string | undefined, before: string | undefined): string {
  if (cursor === undefined || cursor === before)
    return `Use --limit all for all of them; --limit ${limits.messagesPerChunk} or more gives a cursor to resume from.`
  return `Use --limit all for all of them, or resume with --cursor ${shellWord(cursor)}`
}

function within(message: Message, { since, until }: HistoryChoice): boolean {
  if (since === undefined && until === undefined) return true
  const at = message.sentAt == null ? NaN : Date.parse(message.sentAt)
  // A message without a readable time is shown rather than lost.
  if (Number.isNaN(at)) return true
  return (since === undefined || at >= since) && (until === undefined || at < until)
}

function isOlder(chunk: HistoryChunk, since: number | undefined): boolean {
  if (since === undefined || chunk.messages.length === 0) return false
  return chunk.messages.every((message) => message.sentAt != null && Date.parse(message.sentAt) < since)
}

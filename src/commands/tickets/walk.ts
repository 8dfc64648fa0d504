/**
 * A ticket's history as rows: limit, span of time, order, and the cursor from which a reader can go on without losing a
 * message. Newest first streams; oldest first is held in memory.
 */
import type { Api } from '../../api/client.ts'
import type { HistoryChunk, Message, Ticket } from '../../api/schemas.ts'
import { limits } from '../../api/limits.ts'
import { SvcError } from '../../errors.ts'
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

export interface HistoryWalk {
  readonly ticket: Ticket
  /** `note` is told where to go on when the history breaks off. */
  messages(note: (words: string) => void): AsyncGenerator<Message>
  /** Members that stand behind the messages in the JSON document. */
  closing(): Record<string, unknown>
  /** Words for what was left out, if anything was. */
  leftOutInWords(): string | undefined
  /** The same, and how to get them. */
  leftOut(): string | undefined
}

/** Reads the first chunk at once, so that a refusal comes before any output. */
export async function readHistory(api: Api, ticketId: string, choice: HistoryChoice): Promise<HistoryWalk> {
  const filtered = choice.since !== undefined || choice.until !== undefined
  const chunks = api.tickets.chunks(ticketId, choice.cursor, filtered ? Infinity : choice.limit)
  const first = await chunks.next()
  if (first.done === true) throw new SvcError('unavailable', 'the service sent no history')
  const firstChunk = first.value
  /** Where to go on: begins the chunk in which the cut fell, or the next one when it fell between two. */
  let cursor: string | undefined
  /** Whether a message was left out, or may have been: nobody looked into the next chunk. */
  let cut: 'certain' | 'possible' | undefined

  async function* newestFirst(): AsyncGenerator<Message> {
    let chunkStart = choice.cursor
    let shown = 0
    let chunk = firstChunk
    try {
      for (;;) {
        const next = chunk.nextChunkStartMessageId ?? undefined
        const wanted = chunk.messages.filter((message) => within(message, choice))
        for (const [i, message] of wanted.entries()) {
          shown += 1
          yield message
          if (shown < choice.limit) continue
          const chunkIsOut = i === wanted.length - 1
          const more = next !== undefined && !isOlder(chunk, choice.since)
          cut = !chunkIsOut ? 'certain' : more ? 'possible' : undefined
          cursor = !chunkIsOut ? chunkStart : more ? next : undefined
          return
        }
        // The walk ends after a whole chunk that is older: one older message alone may be out of order.
        if (next === undefined || isOlder(chunk, choice.since)) return
        chunkStart = next
        const result = await chunks.next()
        if (result.done === true) return
        chunk = result.value
      }
    } catch (error) {
      cursor = (error instanceof SvcError ? error.details.cursor : undefined) ?? chunkStart
      throw error instanceof SvcError && cursor !== undefined ? error.with({ cursor }) : error
    } finally {
      await chunks.return(undefined)
    }
  }

  async function* oldestFirst(): AsyncGenerator<Message> {
    const held: Message[] = []
    let failure: Error | undefined
    try {
      for await (const message of newestFirst()) held.push(message)
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error))
    }
    for (let message = held.pop(); message !== undefined; message = held.pop()) yield message
    if (failure !== undefined) throw failure
  }

  return {
    ticket: firstChunk.ticket,
    async *messages(note) {
      try {
        yield* choice.order === 'newest' ? newestFirst() : oldestFirst()
      } catch (error) {
        if (cursor !== undefined) note(`the history broke off; go on from there with --cursor ${shellWord(cursor)}`)
        throw error
      }
    },
    closing: () => (cursor === undefined ? {} : { nextChunkStartMessageId: cursor }),
    leftOutInWords: () => (cut === undefined ? undefined : leftOutWords[cut]),
    leftOut: () => (cut === undefined ? undefined : `${leftOutWords[cut]}; ${howToGoOn(cursor, choice.cursor)}`),
  }
}

const leftOutWords = { certain: 'older messages were left out', possible: 'there may be older messages' } as const

/** The first chunk has no cursor, and less than a chunk gets nobody past its own. */
function howToGoOn(cursor: string | undefined, before: string | undefined): string {
  if (cursor === undefined || cursor === before)
    return `all of them: --limit all; with --limit ${limits.messagesPerChunk} or more there is a cursor to go on from`
  return `all of them: --limit all; from there on: --cursor ${shellWord(cursor)}`
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

/**
 * A ticket's history as rows that every format can print: limit, span of time, order, and the cursor from which a reader can
 * go on without losing a message. Newest first streams; oldest first is held in memory.
 */
import type { Api } from '../../api/client.ts'
import { limits } from '../../api/operations.ts'
import type { HistoryChunk, TicketMessage } from '../../api/schemas.ts'
import { SvcError } from '../../errors.ts'
import type { Ending, View } from '../../output/result.ts'
import type { Context } from '../../cli/context.ts'
import { messageViewWith, type MessageRow } from '../../views/message.ts'
import { groupDigits, shellWord } from '../../words.ts'
import type { TimeSpan } from '../../cli/global-options.ts'
import { employeeNames } from '../../api/names.ts'

/** Opens histories, any number of them at once. Employees are read once, and only where their names are shown. */
export function historyReader(context: Context, choice: HistoryChoice) {
  const { employees, print } = context
  const { format, shown } = print
  const isTable = format === 'table' || format === 'xlsx'
  const { fields = isTable ? ['fromName'] : [] } = print
  const showsNames = fields.includes('fromName') || shown.includes('sender')
  let names: Promise<ReadonlyMap<string, string>> | undefined
  const readNames = () =>
    (names ??= showsNames ? employeeNames(context, employees) : Promise.resolve(new Map()))
  return {
    /** A history whose first chunk is there. Rejects with why it cannot be read. */
    async open(ticketId: string) {
      const api = await context.api()
      // Requested together with the first chunk. Their errors are reported below.
      if (showsNames) employees().catch(() => undefined)
      const { ticket, messages } = await readHistory(api, ticketId, choice)
      const { name, baseUrl } = await context.profile()
      const source = { profile: name ?? new URL(baseUrl).host, part: partOf(choice) }
      const more = {
        empty: 'no messages',
        frame: {
          key: 'messages',
          before: { ticket },
          cursor: 'nextChunkStartMessageId',
          repeated: 'ticketId',
        },
        conversation: { ticket, names: await readNames(), source },
      }
      return { messages, more }
    },
    view: async (): Promise<View<TicketMessage>> =>
      messageViewWith(await readNames(), format),
  }
}

/** Which messages were asked for: `the newest 50 messages, since 2026-03-01T00:00:00.000Z`. */
function partOf({ limit, cursor, since, until }: HistoryChoice): string {
  const at = (time: number): string => new Date(time).toISOString()
  return [
    limit === Infinity ? 'all messages' : `the newest ${groupDigits(limit)} messages`,
    ...(cursor === undefined ? [] : [`from the cursor ${cursor}`]),
    ...(since === undefined ? [] : [`since ${at(since)}`]),
    ...(until === undefined ? [] : [`before ${at(until)}`]),
  ].join(', ')
}

export interface HistoryChoice extends TimeSpan {
  /** The newest n messages; Infinity for all. */
  readonly limit: number
  readonly cursor: string | undefined
  readonly order: 'newest' | 'oldest'
}

/** Reads the first chunk at once, so that a refusal comes before any output. An error of the messages has the cursor to go on from. */
async function readHistory(api: Api, ticketId: string, choice: HistoryChoice) {
  const filtered = choice.since !== undefined || choice.until !== undefined
  const chunks = api.tickets.chunks(
    ticketId,
    choice.cursor,
    filtered ? Infinity : choice.limit,
  )
  const first = await chunks.next()
  if (first.done === true) throw new SvcError('unavailable', 'the service sent no history')
  const newest = newestFirst(first.value, chunks, choice)
  return {
    ticket: first.value.ticket,
    messages: choice.order === 'newest' ? newest : oldestFirst(newest),
  }
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
      for (const message of wanted.slice(0, room))
        yield { ticketId: chunk.ticket.id, ...message }
      if (wanted.length > room)
        return cutEnding('older messages were left out', chunkStart, choice)
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

/** The messages before a failure are shown. */
async function* oldestFirst(
  newest: AsyncGenerator<MessageRow, Ending>,
): AsyncGenerator<MessageRow, Ending> {
  const newestFirst: MessageRow[] = []
  const { ending, failure } = await readAll(newest, newestFirst).then(
    (ending) => ({ ending, failure: undefined }),
    (failure: Error) => ({ ending: {}, failure }),
  )
  for (let row = newestFirst.pop(); row !== undefined; row = newestFirst.pop()) yield row
  if (failure !== undefined) throw failure
  return ending
}

async function readAll(
  messages: AsyncGenerator<MessageRow, Ending>,
  rows: MessageRow[],
): Promise<Ending> {
  let step = await messages.next()
  for (; step.done !== true; step = await messages.next()) rows.push(step.value)
  return step.value
}

/** Words for older messages that are not shown. `cursor` begins the chunk in which the cut fell, or the next one. */
function cutEnding(
  leftOut: string,
  cursor: string | undefined,
  choice: HistoryChoice,
): Ending {
  return { leftOut, cursor, notes: [`${leftOut}. ${howToResume(cursor, choice.cursor)}`] }
}

/** The first chunk has no cursor, and less than a chunk gets nobody past its own. */
function howToResume(cursor: string | undefined, before: string | undefined): string {
  if (cursor === undefined || cursor === before)
    return `Use --limit all for all of them; --limit ${limits.messagesPerChunk} or more gives a cursor to resume from.`
  return `Use --limit all for all of them, or resume with --cursor ${shellWord(cursor)}`
}

function within(message: TicketMessage, { since, until }: HistoryChoice): boolean {
  if (since === undefined && until === undefined) return true
  const at = message.sentAt == null ? NaN : Date.parse(message.sentAt)
  // A message without a readable time is shown rather than lost.
  if (Number.isNaN(at)) return true
  return (since === undefined || at >= since) && (until === undefined || at < until)
}

function isOlder(chunk: HistoryChunk, since: number | undefined): boolean {
  if (since === undefined || chunk.messages.length === 0) return false
  return chunk.messages.every(
    (message) => message.sentAt != null && Date.parse(message.sentAt) < since,
  )
}

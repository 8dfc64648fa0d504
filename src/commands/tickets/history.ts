import { employeeNames } from '../../api/names.ts'
import type { HistoryChunk } from '../../api/schemas.ts'
import {
  limitOption,
  parseSpan,
  spanOptions,
  type TimeSpan,
} from '../../cli/global-options.ts'
import { defineVerb, schemaOf } from '../../cli/verb.ts'
import { SvcError } from '../../errors.ts'
import { rows, type Ending } from '../../output/result.ts'
import { messageView, messageViewWith, type MessageRow } from '../../views/resources.ts'
import { ticketArgument } from './get.ts'

export const verb = defineVerb({
  description:
    'Show the messages of a ticket as a conversation, as rows (-o table, -o csv) or as a web page to share (-o html).\n' +
    'They are newest first; a conversation and a page begin with the oldest. The column FROM shows the field fromName.',
  examples: [
    'svc tickets history 64000004caa033e218000000 --since yesterday',
    'svc tickets history 64000004caa033e218000000 --out ticket.html',
    'svc tickets history 64000004caa033e218000000 -o csv --fields sentAt,text',
  ],
  arguments: [ticketArgument],
  options: {
    limit: {
      ...limitOption.limit,
      summary: 'the newest n messages',
      default: '50 for table and transcript, all for other formats and for files',
    },
    ...spanOptions('messages'),
  },
  effect: 'reads',
  shows: { ...messageView, schema: schemaOf('History') },
  run: async (context, [ticketId], options) => {
    const { employees, print, host } = context
    const span = parseSpan(options, host.now())
    const { tickets } = await context.api()
    const { format, neededFields } = print
    const showsNames = neededFields.includes('fromName') || neededFields.includes('sender')
    // Read in parallel with the first chunk. `employeeNames` awaits the same answer, and reports its error.
    if (showsNames) employees().catch(() => undefined)
    const isFiltered = span.since !== undefined || span.until !== undefined
    // With a time span, the number of messages to read is not known in advance.
    const chunks = tickets.chunks(ticketId, isFiltered ? Infinity : print.rowLimit)
    const first = await chunks.next()
    if (first.done === true)
      throw new SvcError('unavailable', 'the service sent no history')
    const { ticket } = first.value
    const names = showsNames ? await employeeNames(context, employees) : new Map()
    const newest = newestFirst(first.value, chunks, { ...span, limit: print.rowLimit })
    return rows(print.order === 'oldest' ? reversed(newest) : newest, {
      empty: 'no messages',
      frame: { key: 'messages', before: { ticket }, repeated: 'ticketId' },
      conversation: { ticket, names },
      view: messageViewWith(names, format),
    })
  },
})

/** The messages in a span of time, at most `limit` of them. */
async function* newestFirst(
  first: HistoryChunk,
  chunks: AsyncGenerator<HistoryChunk>,
  { limit, ...span }: TimeSpan & { limit: number },
): AsyncGenerator<MessageRow, Ending> {
  let room = limit
  try {
    for (let chunk = first; ;) {
      const wanted = chunk.messages.filter((message) => isWithin(message, span))
      for (const message of wanted.slice(0, room))
        yield { ticketId: chunk.ticket.id, ...message }
      if (wanted.length > room) return leaveOut('older messages were left out')
      room -= wanted.length
      const hasNext = chunk.nextChunkStartMessageId != null
      // The walk ends after a whole chunk that is older: one older message alone may be out of order.
      if (!hasNext || isOlder(chunk, span.since)) return {}
      // The next chunk was not read: it may have messages in the span, or none.
      if (room === 0) return leaveOut('there may be older messages')
      const result = await chunks.next()
      if (result.done === true) return {}
      chunk = result.value
    }
  } finally {
    await chunks.return(undefined)
  }
}

/** The same rows from the last to the first, once all of them are there. */
async function* reversed(
  newest: AsyncGenerator<MessageRow, Ending>,
): AsyncGenerator<MessageRow, Ending> {
  const all: MessageRow[] = []
  let step = await newest.next()
  for (; step.done !== true; step = await newest.next()) all.push(step.value)
  yield* all.reverse()
  return step.value
}

function leaveOut(leftOut: string): Ending {
  return { leftOut, notes: [`${leftOut}. Use --limit all for all of them.`] }
}

function isWithin({ sentAt }: Pick<MessageRow, 'sentAt'>, { since, until }: TimeSpan) {
  const at = sentAt == null ? NaN : Date.parse(sentAt)
  // A message without a readable time is shown rather than lost.
  return !(at < (since ?? -Infinity)) && !(at >= (until ?? Infinity))
}

function isOlder({ messages }: HistoryChunk, since = -Infinity) {
  const areOlder = messages.every(({ sentAt }) => Date.parse(sentAt ?? '') < since)
  return areOlder && messages.length > 0
}

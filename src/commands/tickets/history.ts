import { employeeNames } from '../../api/by-name.ts'
import type { HistoryChunk, TicketMessage } from '../../api/schemas.ts'
import { limitOption, sinceOption, defineVerb } from '../../cli/verb.ts'
import { SvcError } from '../../errors.ts'
import {
  hasColumns,
  id,
  isOfConversations,
  rows,
  text,
  time,
  type Columns,
  type Output,
  type PrintOptions,
} from '../../output/result.ts'
import { parseMoment } from '../../values.ts'
import { ticketArgument } from './get.ts'

type MessageRow = TicketMessage & { ticketId?: string; fromName?: string | undefined }

const columns: Columns<MessageRow> = {
  SENT: time('sentAt'),
  DIRECTION: text('direction'),
  FROM: text('fromName'),
  TEXT: text('text'),
  ATTACHMENTS: text('attachments.fileName'),
}

export const verb = defineVerb({
  summary: 'show the messages of tickets',
  description:
    'Show the messages of a ticket as a conversation, as rows (-o table, -o csv) or as a web page to share (-o html). ' +
    'Rows are newest first; a conversation and a web page begin with the oldest message. The column FROM shows the field fromName.',
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
    ...sinceOption('messages'),
  },
  effect: 'reads',
  columns,
  fileColumns: { ticketId: id('ticketId'), id: id('id'), ...columns },
  ids: 'id',
  isConversation: true,
  act: async (context, [ticketId], { since: typed }): Promise<Output<MessageRow>> => {
    const { employees, print } = context
    const since =
      typed === undefined ? -Infinity : parseMoment(typed, context.host.now(), '--since')
    const { tickets } = await context.api()
    const showsNames = isOfConversations(print.format) || hasColumns(print.format)
    // Begins to read the employees at the same time as the messages. `employeeNames` below waits for this same read, and reports
    // its error.
    if (showsNames) employees().catch(() => undefined)
    // With --since, the number of messages to read is not known in advance.
    const chunks = tickets.chunks(ticketId, typed === undefined ? print.rowLimit : Infinity)
    const history = await readNewest(chunks, since, print.rowLimit)
    const names = showsNames ? await employeeNames(context, employees) : undefined
    return outputOf(history, names, print)
  },
})

interface NewestMessages {
  ticket: HistoryChunk['ticket']
  /** Newest first. */
  messages: TicketMessage[]
  /** A note if there may be older messages since then. */
  omission: string | undefined
}

/** Returns the newest `limit` messages since a time. Throws an error with exit code 7 if the service sends no chunk. */
async function readNewest(
  chunks: AsyncIterable<HistoryChunk>,
  since: number,
  limit: number,
): Promise<NewestMessages> {
  const messages: TicketMessage[] = []
  for await (const chunk of chunks) {
    const { ticket } = chunk
    messages.push(...chunk.messages.filter((message) => isFromOrAfter(message, since)))
    const isLast = chunk.nextChunkStartMessageId == null || isOlder(chunk, since)
    if (!isLast && messages.length < limit) continue
    const isWhole = isLast && messages.length <= limit
    const omission = isWhole ? undefined : 'there may be older messages'
    return { ticket, messages: messages.slice(0, limit), omission }
  }
  throw new SvcError('unavailable', 'the service sent no history')
}

/** Whether a message was sent at or after a time. A message without a readable time is shown rather than lost. */
function isFromOrAfter(message: TicketMessage, since: number) {
  const time = timeOf(message)
  return time === undefined || time >= since
}

/** Whether all messages of a chunk are older than a time. One older message alone can be out of order. */
function isOlder({ messages }: HistoryChunk, since: number) {
  const areOlder = messages.every((message) => {
    const time = timeOf(message)
    return time !== undefined && time < since
  })
  return areOlder && messages.length > 0
}

function timeOf({ sentAt }: TicketMessage): number | undefined {
  const time = Date.parse(sentAt ?? '')
  return Number.isNaN(time) ? undefined : time
}

function outputOf(
  { ticket, messages, omission }: NewestMessages,
  names: ReadonlyMap<string, string> | undefined,
  { format }: PrintOptions,
): Output<MessageRow> {
  const notes =
    omission === undefined ? [] : [`${omission}. Use --limit all for all of them.`]
  if (isOfConversations(format))
    return {
      kind: 'conversation',
      ticket,
      names: names ?? new Map(),
      messages: messages.toReversed(),
      omission,
      notes,
    }
  const rowOf = (message: TicketMessage): MessageRow => {
    const row = { ticketId: ticket.id, ...message }
    if (names === undefined) return row
    const { fromId } = message
    const fromName = names.get(fromId?.toLowerCase() ?? '') ?? fromId ?? undefined
    return { ...row, fromName }
  }
  return rows(messages.map(rowOf), {
    what: 'messages',
    document: { ticket, messages },
    notes,
  })
}

import { employeeNames } from '../../api/by-name.ts'
import type { HistoryChunk, TicketMessage } from '../../api/schemas.ts'
import { limitOption, sinceOption, defineVerb } from '../../cli/verb.ts'
import { SvcError } from '../../errors.ts'
import {
  hasColumns,
  id,
  isForConversations,
  rows,
  text,
  time,
  type Columns,
  type Output,
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
  summary: 'show the messages of a ticket',
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
  isRead: true,
  columns,
  fileColumns: { ticketId: id('ticketId'), id: id('id'), ...columns },
  ids: 'id',
  isConversation: true,
  act: async (context, [ticketId], { since: typed }): Promise<Output<MessageRow>> => {
    const { employees, print } = context
    const since =
      typed === undefined ? -Infinity : parseMoment(typed, context.host.now(), '--since')
    const { tickets } = await context.api()
    const showsConversation = isForConversations(print.format)
    const showsNames = showsConversation || hasColumns(print.format)
    // Begins to read the employees at the same time as the messages. `employeeNames` below waits for this same read, and reports
    // its error.
    if (showsNames) employees().catch(() => undefined)
    // With --since, the number of messages to read is not known in advance.
    const chunks = tickets.chunks(ticketId, typed === undefined ? print.rowLimit : Infinity)
    const { ticket, messages, omission } = await readNewest(chunks, since, print.rowLimit)
    const names = showsNames
      ? await employeeNames(context, employees)
      : new Map<string, string>()
    const notes =
      omission === undefined ? [] : [`${omission}. Use --limit all for all of them.`]
    if (showsConversation)
      return {
        kind: 'conversation',
        ticket,
        names,
        messages: messages.toReversed(),
        omission,
        notes,
      }
    const shown = messages.map((each) =>
      rowOf(each, ticket.id, showsNames ? names : undefined),
    )
    return rows<MessageRow>(shown, {
      what: 'messages',
      document: { ticket, messages },
      notes,
    })
  },
})

/** A message as a row. With names, it has that of the sender, or the id if the name is not known. */
function rowOf(
  message: TicketMessage,
  ticketId: string,
  names?: ReadonlyMap<string, string>,
): MessageRow {
  const { fromId } = message
  const fromName = names?.get(fromId?.toLowerCase() ?? '') ?? fromId ?? undefined
  return { ticketId, ...message, ...(names !== undefined && { fromName }) }
}

/**
 * Returns the ticket with the newest `limit` messages since a time, the newest first, and as `omission` a few words if there may be
 * older ones since then. Throws an error with exit code 7 if the service sends no chunk.
 */
async function readNewest(
  chunks: AsyncIterable<HistoryChunk>,
  since: number,
  limit: number,
) {
  /** One without a readable time is not older, so that it is shown rather than lost. */
  const isOlder = ({ sentAt }: TicketMessage) => Date.parse(sentAt ?? '') < since
  const messages: TicketMessage[] = []
  for await (const chunk of chunks) {
    messages.push(...chunk.messages.filter((message) => !isOlder(message)))
    // One older message alone can be out of order.
    const isOlderChunk = chunk.messages.length > 0 && chunk.messages.every(isOlder)
    const isLast = chunk.nextChunkStartMessageId == null || isOlderChunk
    if (!isLast && messages.length < limit) continue
    const isWhole = isLast && messages.length <= limit
    const omission = isWhole ? undefined : 'there may be older messages'
    return { ticket: chunk.ticket, messages: messages.slice(0, limit), omission }
  }
  throw new SvcError('unavailable', 'the service sent no history')
}

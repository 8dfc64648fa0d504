import { employeeNames } from '../../api/names.ts'
import type { HistoryChunk, TicketMessage } from '../../api/schemas.ts'
import {
  limitOption,
  parseSpan,
  spanOptions,
  type TimeSpan,
} from '../../cli/global-options.ts'
import { defineVerb } from '../../cli/verb.ts'
import { SvcError } from '../../errors.ts'
import { formatFacts } from '../../output/format.ts'
import { rows, type Columns } from '../../output/result.ts'
import { ticketArgument } from './get.ts'

type MessageRow = TicketMessage & { ticketId?: string; fromName?: string | undefined }

const columns: Columns<MessageRow> = {
  SENT: 'sentAt',
  DIRECTION: 'direction',
  FROM: 'fromName',
  TEXT: 'text',
  ATTACHMENTS: 'attachments.fileName',
}

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
  columns,
  ids: 'id',
  isConversation: true,
  run: async ({ api, employees, note, print, host }, [ticketId], options) => {
    const span = parseSpan(options, host.now())
    const { tickets } = await api()
    const { format, fields = ['fromName'], rowLimit: limit } = print
    const { shows } = formatFacts[format]
    const isNameField = (field: string) => /^from(?:name)?$/i.test(field)
    const showsNames =
      shows === 'conversation' || (shows === 'cells' && fields.some(isNameField))
    // Read in parallel with the messages. `employeeNames` awaits the same answer, and reports its error.
    if (showsNames) employees().catch(() => undefined)
    const isFiltered = span.since !== undefined || span.until !== undefined
    // With a time span, the number of messages to read is not known in advance.
    const chunks = tickets.chunks(ticketId, isFiltered ? Infinity : limit)
    const { ticket, messages, leftOut } = await readNewest(chunks, { ...span, limit })
    const names: ReadonlyMap<string, string> = showsNames
      ? await employeeNames({ note }, employees)
      : new Map()
    const rowOf = (message: TicketMessage): MessageRow => {
      if (format === 'json') return message
      const { fromId } = message
      const fromName = names.get(fromId?.toLowerCase() ?? '') ?? fromId ?? undefined
      return { ticketId: ticket.id, ...message, ...(showsNames && { fromName }) }
    }
    const ending =
      leftOut === undefined
        ? {}
        : { notes: [`${leftOut}. Use --limit all for all of them.`] }
    if (shows === 'conversation')
      return {
        kind: 'conversation',
        ticket,
        names,
        messages: messages.reverse(),
        leftOut,
        ending,
      }
    return rows(messages.map(rowOf), {
      empty: 'no messages',
      columns: format === 'csv' ? { ticketId: 'ticketId', id: 'id', ...columns } : columns,
      document: (all) => ({ ticket, messages: all }),
      ending,
    })
  },
})

/** The messages in a span of time, newest first, at most `limit` of them, and what was left out, in words. */
async function readNewest(
  chunks: AsyncIterable<HistoryChunk>,
  { limit, ...span }: TimeSpan & { limit: number },
) {
  const messages: TicketMessage[] = []
  for await (const chunk of chunks) {
    const { ticket } = chunk
    messages.push(...chunk.messages.filter((message) => isWithin(message, span)))
    if (messages.length > limit)
      return {
        ticket,
        messages: messages.slice(0, limit),
        leftOut: 'older messages were left out',
      }
    // The walk ends after a whole chunk that is older: one older message alone may be out of order.
    if (chunk.nextChunkStartMessageId == null || isOlder(chunk, span.since))
      return { ticket, messages }
    // The next chunk was not read: it may have messages in the span, or none.
    if (messages.length === limit)
      return { ticket, messages, leftOut: 'there may be older messages' }
  }
  throw new SvcError('unavailable', 'the service sent no history')
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

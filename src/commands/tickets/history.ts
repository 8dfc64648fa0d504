import { defineVerb } from '../../cli/verb.ts'
import { schemaOf } from '../../cli/view-of.ts'
import { parseTicket } from '../../values.ts'
import type { TicketMessage } from '../../api/schemas.ts'
import { usageError } from '../../errors.ts'
import { rows } from '../../output/result.ts'
import { messageView } from '../../views/message.ts'
import { optionOf } from '../../config/table.ts'
import { fileOption, inputOptions } from '../../cli/id-input.ts'
import { parseSpan, spanOptions } from '../../cli/global-options.ts'
import { historyReader } from './reading.ts'

const orders = ['newest', 'oldest'] as const

export const verb = defineVerb({
  description:
    'Show the messages of a ticket as a conversation, as rows (-o table, -o csv) or as a web page to share (-o html).\n' +
    'Several tickets need -o json, an array of the objects that one ticket is, or -o ndjson, a message per line with its\n' +
    'ticketId. They are read one after another, and the first that cannot be read ends the command. The column FROM shows\n' +
    'the field fromName.',
  examples: [
    'svc tickets history 64000004caa033e218000000 --since yesterday',
    'svc tickets history 64000004caa033e218000000 --out ticket.html',
    'svc tickets history --file tickets.txt -o ndjson --fields ticketId,sentAt,text',
  ],
  arguments: [
    {
      name: 'tickets',
      takes: 'ticket',
      summary: 'ticket ids, or addresses with one ticket id in them; - for standard input',
      isVariadic: true,
    },
  ],
  options: {
    limit: optionOf('limit', {
      summary: 'the newest n messages of each',
      default: '50 for table and transcript, all for other formats and for files',
    }),
    cursor: {
      value: 'id',
      summary:
        'resume where an earlier output of one ticket ended: its nextChunkStartMessageId',
    },
    ...spanOptions('messages'),
    order: {
      value: 'order',
      summary: 'newest or oldest first',
      default: 'newest; transcript and html: oldest',
      choices: orders,
    },
    ...fileOption,
    ...inputOptions,
  },
  effect: 'reads',
  shows: { ...messageView, schema: schemaOf('Histories') },
  run: async (context, [words], options) => {
    const { print, host } = context
    const { cursor, order = print.order ?? 'newest' } = options
    if (cursor === '') throw usageError('--cursor must not be empty')
    if (print.order !== undefined && order !== print.order)
      throw usageError(
        'a transcript and a page start with the oldest message; leave out --order',
      )
    const span = parseSpan(options, host.now())
    const choice = { limit: print.rowLimit, cursor, order, ...span }
    const [ticket, ...others] = words
    const isOne = others.length === 0 && options.file.length === 0
    if (ticket === undefined || ticket === '-' || !isOne) {
      const { showSeveral } = await import('./several.ts')
      return showSeveral(context, words, options, choice)
    }
    const reader = historyReader(context, choice)
    const { messages, more } = await reader.open(parseTicket(ticket))
    return rows<TicketMessage>(messages, { ...more, view: await reader.view() })
  },
})

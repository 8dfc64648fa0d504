import { defineVerb } from '../../cli/verb.ts'
import { schemaOf } from '../view-of.ts'
import { parseTicket } from '../../values.ts'
import type { Message } from '../../api/schemas.ts'
import { usageError } from '../../errors.ts'
import { rows } from '../../output/result.ts'
import { messageView } from '../../views/message.ts'
import { optionOf } from '../../config/table.ts'
import { fileOption, inputOptions } from '../../cli/input-options.ts'
import { parseSpan, spanOptions } from '../time-span.ts'
import { historyReader } from './reading.ts'

const orders = ['newest', 'oldest'] as const

export const verb = defineVerb({
  description:
    'Show the messages of a ticket, as rows, as a conversation (-o transcript) or as a web page to share (-o html).\n' +
    'Several tickets are shown in the order in which you name them; a page has one ticket. A ticket that cannot be read\n' +
    'is reported, and the others are read. With --json one ticket is an object, and several are an array of such objects;\n' +
    '-o ndjson always has one message per line, with its ticketId. The column FROM shows the field fromName.',
  examples: [
    'svc tickets history 64000004caa033e218000000 -o transcript --since yesterday',
    'svc tickets history 64000004caa033e218000000 --out ticket.html',
    'svc tickets history --file tickets.txt -o csv --fields sentAt,fromName,text',
  ],
  arguments: [
    {
      name: 'tickets',
      takes: 'ticket',
      summary: 'ticket ids, or addresses with one ticket id in them',
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
    skipUnreadable: {
      summary:
        'leave out tickets that the service refuses, name them, and end with exit code 3',
    },
    concurrency: optionOf('concurrency', {
      summary: 'tickets read at the same time, 1 to 32',
      default: '4',
    }),
  },
  effect: 'reads',
  shows: { ...messageView, schema: schemaOf('Histories') },
  // One ticket streams as it comes; several are read at once and shown in the order of the input.
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
    if (ticket === undefined || others.length > 0 || options.file.length > 0) {
      const { showSeveral } = await import('./several.ts')
      return showSeveral(context, words, options, choice)
    }
    if (options.skipUnreadable === true)
      throw usageError('--skip-unreadable is only for several tickets')
    const reader = historyReader(context, choice)
    const { messages, more } = await reader.open(parseTicket(ticket))
    return rows<Message>(messages, { ...more, view: await reader.view(false) })
  },
})

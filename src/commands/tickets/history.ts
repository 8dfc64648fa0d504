/**
 * `svc tickets history`: the messages of one ticket or of several, as rows that every format can print. Newest
 * first streams; oldest first is held in memory.
 */
import { employeeNames } from '../../api/names.ts'
import type { HistoryChunk, TicketMessage } from '../../api/schemas.ts'
import type { Context } from '../../cli/context.ts'
import { parseSpan, spanOptions, type TimeSpan } from '../../cli/global-options.ts'
import { fileOption, inputOptions, readIdTable } from '../../cli/id-input.ts'
import { defineVerb, schemaOf } from '../../cli/verb.ts'
import { optionOf } from '../../config/table.ts'
import { SvcError, usageError } from '../../errors.ts'
import { join, say, svc } from '../../message.ts'
import { rows, type Ending, type Rows } from '../../output/result.ts'
import { parseTicket } from '../../values.ts'
import { messageView, messageViewWith, type MessageRow } from '../../views/resources.ts'
import { pluralize, shellWord } from '../../words.ts'

const orders = ['newest', 'oldest'] as const

export const verb = defineVerb({
  description:
    'Show the messages of a ticket as a conversation, as rows (-o table, -o csv) or as a web page to share (-o html).\n' +
    'For several tickets use -o json (an array with an object for each ticket) or -o ndjson (a message per line, with its\n' +
    'ticketId). svc reads them one after another, and stops at the first that it cannot read. The column FROM shows the\n' +
    'field fromName.',
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
    const { cursor, file: files, order = print.order ?? 'newest' } = options
    if (cursor === '') throw usageError('--cursor must not be empty')
    if (print.order !== undefined && order !== print.order)
      throw usageError(
        'transcripts and web pages start with the oldest message; leave out --order',
      )
    const choice = {
      limit: print.rowLimit,
      cursor,
      order,
      ...parseSpan(options, host.now()),
    }
    const { refuseFiles } = await import('../../input/input.ts')
    refuseFiles(
      host,
      words.filter((word) => word !== '-'),
    )
    const [ticket, ...others] = words
    if (ticket !== undefined && ticket !== '-' && others.length + files.length === 0) {
      const reader = historyReader(context, choice)
      return { ...(await reader.open(parseTicket(ticket))), view: await reader.view() }
    }
    checkSeveral(context, words, files, cursor)
    const named = {
      words: words.map((word) => (word === '-' ? word : parseTicket(word))),
      files,
    }
    const ids = await readIdTable(context, named, { ...options, item: 'ticket' })
    if (ids.size === 0) context.note('the input has no tickets')
    const reader = historyReader(context, choice)
    return { ...rows([]), parts: histories(ids, reader), view: await reader.view() }
  },
})

/** Throws exit 2 if this command line cannot show several tickets; nothing has been read yet. */
function checkSeveral(
  { print: { format } }: Context,
  words: readonly string[],
  files: readonly string[],
  cursor: string | undefined,
) {
  const one = svc`tickets history <ticket>`
  if (words.length + files.length === 0)
    throw usageError(
      'name a ticket, or a file of tickets with --file',
      say`${one}, --file <file>, or - for standard input`,
    )
  if (cursor !== undefined) throw usageError('--cursor is only for one ticket')
  if (format !== 'json' && format !== 'ndjson')
    throw usageError(
      'several tickets need -o json or -o ndjson',
      say`other formats take one ticket:\n  ${one}`,
    )
  if (words.length > 0 && files.length > 0)
    throw usageError('--file cannot be used with a ticket')
}

interface HistoryChoice extends TimeSpan {
  /** The newest n messages; Infinity for all. */
  limit: number
  cursor: string | undefined
  order: (typeof orders)[number]
}

/** Opens histories, any number of them at once. Employees are read once, and only where their names are shown. */
function historyReader(context: Context, choice: HistoryChoice) {
  const { employees, print } = context
  const { format, neededFields } = print
  const isTable = format === 'table' || format === 'xlsx'
  // Tables show names unless --fields says otherwise; transcripts and pages need them always.
  const { fields = isTable ? ['fromName'] : [] } = print
  const showsNames = fields.includes('fromName') || neededFields.includes('sender')
  let names: Promise<ReadonlyMap<string, string>> | undefined
  const readNames = () =>
    (names ??= showsNames ? employeeNames(context, employees) : Promise.resolve(new Map()))
  return {
    /** A history whose first chunk is there. Rejects with why it cannot be read. */
    async open(ticketId: string): Promise<Rows<TicketMessage>> {
      const { tickets } = await context.api()
      // Read in parallel with the first chunk. `readNames` awaits the same answer, and reports its error.
      if (showsNames) employees().catch(() => undefined)
      const isFiltered = choice.since !== undefined || choice.until !== undefined
      // With a time span, the number of messages to read is not known in advance.
      const enough = isFiltered ? Infinity : choice.limit
      const chunks = tickets.chunks(ticketId, choice.cursor, enough)
      const first = await chunks.next()
      if (first.done === true)
        throw new SvcError('unavailable', 'the service sent no history')
      const { ticket } = first.value
      const newest = newestFirst(first.value, chunks, choice)
      return rows<TicketMessage>(choice.order === 'newest' ? newest : reversed(newest), {
        empty: 'no messages',
        frame: {
          key: 'messages',
          before: { ticket },
          cursor: 'nextChunkStartMessageId',
          repeated: 'ticketId',
        },
        conversation: { ticket, names: await readNames() },
      })
    },
    view: async () => messageViewWith(await readNames(), format),
  }
}

/** The messages that were asked for, and the cursor to go on from, also in an error: some messages come again, none is lost. */
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
      if (wanted.length > room) return cutEnding('older messages were left out', chunkStart)
      room -= wanted.length
      const next = chunk.nextChunkStartMessageId ?? undefined
      // The walk ends after a whole chunk that is older: one older message alone may be out of order.
      if (next === undefined || isOlder(chunk, choice.since)) return {}
      // The next chunk was not read: it may have messages in the span, or none.
      if (room === 0) return cutEnding('there may be older messages', next)
      chunkStart = next
      const result = await chunks.next()
      if (result.done === true) return {}
      chunk = result.value
    }
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    const cursor = error.details.cursor ?? chunkStart
    const isUsable = cursor !== undefined && cursor !== ''
    throw isUsable ? error.with({ cursor }) : error
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

/**
 * Words for older messages that are not shown. `cursor` begins the chunk in which the cut fell, or the next one; the first
 * chunk has none.
 */
function cutEnding(leftOut: string, cursor: string | undefined): Ending {
  const resume =
    cursor === undefined ? '.' : `, or continue with --cursor ${shellWord(cursor)}`
  const notes = [`${leftOut}. Use --limit all for all of them${resume}`]
  return { leftOut, cursor, notes }
}

function within(message: TicketMessage, { since, until }: HistoryChoice) {
  const at = message.sentAt == null ? NaN : Date.parse(message.sentAt)
  // A message without a readable time is shown rather than lost.
  return !(at < (since ?? -Infinity)) && !(at >= (until ?? Infinity))
}

function isOlder({ messages }: HistoryChunk, since = -Infinity) {
  const areOlder = messages.every(({ sentAt }) => Date.parse(sentAt ?? '') < since)
  return areOlder && messages.length > 0
}

/** Several tickets one after another, in the order of the input, ended by the first that cannot be read. */
async function* histories(
  ids: Iterable<string>,
  reader: ReturnType<typeof historyReader>,
): AsyncGenerator<Rows<TicketMessage>, Ending, undefined> {
  // Complete at the end: each part is printed before the next one is asked for. Their own notes are dropped.
  let cut = 0
  async function* rowsOf(ticketId: string, messages: Rows<TicketMessage>['rows']) {
    try {
      const { leftOut, cursor } = (yield* messages) as Ending
      if (leftOut !== undefined) cut += 1
      return { cursor }
    } catch (error) {
      throw nameTicket(ticketId, error)
    }
  }
  for (const ticketId of ids) {
    const history = await reader.open(ticketId).catch((error: unknown) => {
      throw nameTicket(ticketId, error)
    })
    yield { ...history, rows: rowsOf(ticketId, history.rows) }
  }
  const of = pluralize(cut, 'ticket')
  const note = `older messages of ${of} were left out. Use --limit all for all of them.`
  return { notes: cut === 0 ? [] : [note] }
}

/** The error with the ticket that it is about, and the command that reads the rest of it. */
function nameTicket(ticketId: string, error: unknown): unknown {
  if (!(error instanceof SvcError)) return error
  const { hint, cursor } = error.details
  const command = cursor && svc`tickets history ${ticketId} --cursor ${cursor}`
  const rest = command && say`the rest of it:\n  ${command}`
  return new SvcError(error.category, `ticket ${ticketId}: ${error.message}`, {
    ...error.details,
    exitCode: error.exitCode,
    hint: join([hint, rest], '\n'),
    ticketId,
  })
}

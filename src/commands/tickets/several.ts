/** Several tickets in one command: their histories one after another, in the order of the input, ended by the first that cannot be read. */
import { say, svc, join } from '../../message.ts'
import { parseTicket } from '../../values.ts'
import type { TicketMessage } from '../../api/schemas.ts'
import { usageError, SvcError } from '../../errors.ts'
import type { IdTable } from '../../input/reader.ts'
import type { Ending, Rows } from '../../output/result.ts'
import type { MessageRow } from '../../views/message.ts'
import type { Context } from '../../cli/context.ts'
import { readTable, type ReadingOptions } from '../../cli/id-input.ts'
import { historyReader, type HistoryChoice } from './reading.ts'
import { pluralize } from '../../words.ts'

interface SeveralOptions extends ReadingOptions {
  readonly cursor?: string
  readonly file: readonly string[]
}

/** Throws exit 2 for what contradicts itself, before anything is read. */
export async function showSeveral(
  context: Context,
  words: readonly string[],
  options: SeveralOptions,
  choice: HistoryChoice,
): Promise<Rows<TicketMessage>> {
  const { format } = context.print
  if (words.length + options.file.length === 0) {
    throw usageError(
      'name a ticket, or a file of tickets with --file',
      say`${svc`tickets history <ticket>`}, or --file <file>`,
    )
  }
  if (options.cursor !== undefined) throw usageError('--cursor is only for one ticket')
  if (format !== 'json' && format !== 'ndjson') {
    throw usageError(
      'several tickets need -o json or -o ndjson',
      say`other formats have one ticket:\n  ${svc`tickets history <ticket>`}`,
    )
  }
  const ids = await readTickets(context, words, options)
  if (ids.size === 0) context.note('the input has no tickets')
  const reader = historyReader(context, choice)
  return {
    kind: 'rows',
    rows: [],
    parts: histories(ids, reader),
    view: await reader.view(),
  }
}

function readTickets(
  context: Context,
  words: readonly string[],
  options: SeveralOptions,
): Promise<IdTable> {
  const { file: files } = options
  if (words.length > 0 && files.length > 0)
    throw usageError('--file cannot be used with a ticket')
  return readTable(
    context,
    { words: words.map((word) => (word === '-' ? word : parseTicket(word))), files },
    { ...options, isTickets: true },
  )
}

async function* histories(
  ids: IdTable,
  reader: ReturnType<typeof historyReader>,
): AsyncGenerator<Rows<TicketMessage>, Ending, undefined> {
  let cut = 0
  async function* rowsOf(ticketId: string, messages: AsyncGenerator<MessageRow, Ending>) {
    try {
      const { leftOut, cursor } = yield* messages
      if (leftOut !== undefined) cut += 1
      return { cursor }
    } catch (error) {
      throw nameTicket(ticketId, error)
    }
  }
  for (const ticketId of ids) {
    const { messages, more } = await reader.open(ticketId).catch((error: unknown) => {
      throw nameTicket(ticketId, error)
    })
    yield { kind: 'rows', rows: rowsOf(ticketId, messages), ...more }
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

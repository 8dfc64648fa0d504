/** Several tickets in one command: their histories in the order of the input, some of them read ahead. */
import { asTyped, say, svc } from '../../message.ts'
import { parseTicket } from '../../values.ts'
import type { Message } from '../../api/schemas.ts'
import { usageError } from '../../errors.ts'
import type { IdTable } from '../../input/id-table.ts'
import type { Ending, Parts, Rows } from '../../output/result.ts'
import type { MessageRow } from '../../views/message.ts'
import type { Context } from '../../cli/context.ts'
import { readTable, type ReadingOptions } from '../id-reading.ts'
import { HistoryReader, type HistoryChoice } from './reading.ts'
import { Tally } from './tally.ts'

export interface SeveralOptions extends ReadingOptions {
  readonly cursor?: string
  readonly since?: string
  readonly until?: string
  readonly file: readonly string[]
  readonly skipUnreadable?: true
}

const usualConcurrency = 4

/** Throws exit 2 for what contradicts itself, before anything is read. */
export async function showSeveral(
  context: Context,
  words: readonly string[],
  options: SeveralOptions,
  choice: HistoryChoice,
): Promise<Parts<Message>> {
  if (options.cursor !== undefined) throw usageError('--cursor goes with one ticket')
  if (context.print.format === 'html') {
    throw usageError(
      'a page holds one ticket',
      say`write a page for each:\n  ${asTyped`xargs -I{} svc tickets history {} --out {}.html < tickets.txt`}`,
    )
  }
  const ids = await readTickets(context, words, options)
  const { settings } = await context.configuration()
  const concurrency = settings.concurrency.value ?? usualConcurrency
  const tally = new Tally(context, options.skipUnreadable === true)
  const reader = new HistoryReader(context, choice)
  return {
    kind: 'parts',
    parts: inOrder(ids, concurrency, reader, tally),
    ending: () => tally.ending(ids.size),
    view: await reader.viewFor(true),
    empty: 'no messages',
  }
}

function readTickets(
  context: Context,
  words: readonly string[],
  options: SeveralOptions,
): Promise<IdTable> {
  const { file: files } = options
  if (words.length > 0 && files.length > 0) throw usageError('--file cannot be used with a ticket')
  if (words.length === 0 && files.length === 0) {
    throw usageError(
      'name a ticket, or a file of tickets with --file',
      say`${svc`tickets history <ticket>`}, or --file <file>`,
    )
  }
  return readTable(
    context,
    { words: words.map(parseTicket), files },
    { ...options, isTickets: true },
  )
}

/** `concurrency`: how many tickets are read at the same time, the one that is printed among them. */
export async function* inOrder(
  ids: IdTable,
  concurrency: number,
  reader: Pick<HistoryReader, 'open'>,
  tally: Tally,
): AsyncGenerator<Rows<Message>, undefined> {
  const opening: ReturnType<typeof open>[] = []
  const open = async (ticketId: string) => {
    const { messages, more } = await reader.open(ticketId)
    return { messages, ahead: readAhead(messages), more }
  }
  try {
    for (let at = 0, next = 0; at < ids.size; at += 1) {
      while (next < ids.size && next < at + concurrency && !tally.isStopped) {
        const opened = open(ids.id(next++))
        opened.catch((error: unknown) => tally.isOfOne(error))
        opening.push(opened)
      }
      if (opening[0] === undefined) return
      try {
        const { ahead, more } = await opening[0]
        yield { kind: 'rows', rows: rowsOfTicket(ahead, ids.id(at), tally), ...more }
      } catch (error) {
        tally.failToOpen(ids.id(at), error)
      }
      void opening.shift()
    }
  } finally {
    // The reader went away, or something failed for all.
    for (const each of opening)
      each.then(({ messages }) => messages.return({})).catch(() => undefined)
  }
}

async function* rowsOfTicket(
  messages: AsyncGenerator<MessageRow, Ending>,
  ticketId: string,
  tally: Tally,
) {
  try {
    return tally.end(yield* messages)
  } catch (error) {
    return tally.fail(ticketId, error)
  }
}

/** Messages that are held of each ticket while one before it is printed; of what is shown oldest first, it is all of them. */
const mostAhead = 1_000

/** Rows of which the first ones are read before they are asked for. The source's error comes after the rows before it. */
function readAhead<T>(source: AsyncGenerator<T, Ending>): AsyncGenerator<T, Ending> {
  const first: T[] = []
  const reading = read()
  // The reader of the rows gets the error.
  reading.catch(() => undefined)
  return rows()

  async function read(): Promise<Ending | undefined> {
    while (first.length < mostAhead) {
      const step = await source.next()
      if (step.done === true) return step.value
      first.push(step.value)
    }
    return undefined
  }

  async function* rows(): AsyncGenerator<T, Ending> {
    await reading.catch(() => undefined)
    yield* first.splice(0)
    return (await reading) ?? (yield* source)
  }
}

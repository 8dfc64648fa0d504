/** Several tickets in one command: their histories in the order of the input, some of them read ahead. */
import { say, svc, join } from '../../message.ts'
import { parseTicket } from '../../values.ts'
import type { Message } from '../../api/schemas.ts'
import { usageError, exit, SvcError, type Category } from '../../errors.ts'
import type { IdTable } from '../../input/id-table.ts'
import type { Ending, Rows } from '../../output/result.ts'
import type { MessageRow } from '../../views/message.ts'
import type { Context } from '../../cli/context.ts'
import type { Messages } from '../../output/stderr.ts'
import { readTable, type ReadingOptions } from '../id-reading.ts'
import { historyReader, type HistoryChoice } from './reading.ts'
import { firstOf, groupDigits, pluralize } from '../../words.ts'

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
): Promise<Rows<Message>> {
  if (options.cursor !== undefined) throw usageError('--cursor goes with one ticket')
  if (context.print.format === 'html') {
    throw usageError(
      'a page holds one ticket',
      say`write a page for each:\n  ${svc`tickets history <ticket> --out <ticket>.html`}`,
    )
  }
  const ids = await readTickets(context, words, options)
  const { settings } = await context.configuration()
  const concurrency = settings.concurrency.value ?? usualConcurrency
  const tally = new Tally(context.messages, ids.size, options.skipUnreadable === true)
  const reader = historyReader(context, choice)
  return {
    kind: 'rows',
    rows: [],
    parts: inOrder(ids, concurrency, reader, tally),
    view: await reader.view(true),
    empty: 'no messages',
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

type Reader = ReturnType<typeof historyReader>

/** `concurrency`: how many tickets are read at the same time, the one that is printed among them. */
async function* inOrder(
  ids: IdTable,
  concurrency: number,
  reader: Reader,
  tally: Tally,
): AsyncGenerator<Rows<Message>, Ending, undefined> {
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
      if (opening[0] === undefined) break
      try {
        const { ahead, more } = await opening[0]
        yield { kind: 'rows', rows: rowsOfTicket(ahead, ids.id(at), tally), ...more }
      } catch (error) {
        tally.fail(ids.id(at), error, 'nothing was read')
      }
      void opening.shift()
    }
  } finally {
    // The reader went away, or something failed for all.
    for (const each of opening)
      each.then(({ messages }) => messages.return({})).catch(() => undefined)
  }
  return tally.ending()
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

/** In the order in which they count when tickets failed in several ways. */
const graveCategories: readonly Category[] = ['unavailable', 'auth', 'forbidden']

/** Outcome of several tickets: which could not be read, and what that means for the whole. */
class Tally {
  readonly #messages: Messages
  readonly #total: number
  readonly #skipsUnreadable: boolean
  /** Tickets that could not be read, with the categories of their errors. */
  readonly #failures: (readonly [ticketId: string, category: Category])[] = []
  /** Tickets that the service refuses, and that are left out, each with its error. */
  readonly #skipped: string[] = []
  /** Tickets of which older messages were left out. */
  #cut = 0
  /** Nothing more is to be read: the service does not know the key. */
  isStopped = false

  /** `skipsUnreadable`: a ticket that the service refuses is left out, and the output is whole. */
  constructor(messages: Messages, total: number, skipsUnreadable: boolean) {
    this.#messages = messages
    this.#total = total
    this.#skipsUnreadable = skipsUnreadable
  }

  /** Whether the others go on after this, or, without a valid key, at least what is there is printed. */
  isOfOne(error: unknown): error is SvcError {
    if (!(error instanceof SvcError)) return false
    if (error.category === 'auth') this.isStopped = true
    return error.category === 'rejected' || graveCategories.includes(error.category)
  }

  /** Leaves out a ticket, or says why it cannot be read. Throws what is not about that ticket. */
  fail(ticketId: string, error: unknown, progress?: 'nothing was read'): Ending {
    if (!this.isOfOne(error)) throw error
    const { category, message, details } = error
    const headline = `ticket ${ticketId}: ${message}`
    if (this.#skipsUnreadable && progress !== undefined && isRefusal(category)) {
      this.#skipped.push(headline)
      return {}
    }
    this.#failures.push([ticketId, category])
    const { hint, cursor } = details
    const rest =
      cursor &&
      say`the rest of it:\n  ${svc`tickets history ${ticketId} --cursor ${cursor}`}`
    this.#messages.error(
      new SvcError(category, headline, {
        ...details,
        // The exit code of the process, unless another ticket has a graver one.
        exitCode: graveCategories.includes(category) ? error.exitCode : exit.incomplete,
        hint: join([hint, rest], '\n'),
        ticketId,
      }),
    )
    return { cursor, isBroken: true }
  }

  /** The ending of a single ticket, without its notes. */
  end({ leftOut, cursor }: Ending): Ending {
    if (leftOut !== undefined) this.#cut += 1
    return { leftOut, cursor }
  }

  /** The ending of the whole. Throws when a ticket could not be read. */
  ending(): Ending {
    const all = pluralize(this.#total, 'ticket')
    const notes: string[] = []
    if (this.#total === 0) notes.push('the input has no tickets')
    if (this.#cut > 0) {
      const of = pluralize(this.#cut, 'ticket')
      notes.push(`older messages of ${of} were left out. Use --limit all for all of them.`)
    }
    const skipped = this.#skipped.length
    if (skipped > 0) {
      const what = `${groupDigits(skipped)} of ${all} left out, which the service refuses:`
      notes.push([what, ...firstOf(this.#skipped)].join('\n'))
    }
    if (this.#failures.length > 0) throw this.#failure(all, notes)
    return { notes, exitCode: skipped === 0 ? exit.done : exit.incomplete }
  }

  #failure(all: string, notes: readonly string[]): SvcError {
    const categories = this.#failures.map(([, category]) => category)
    const grave = graveCategories.find((each) => categories.includes(each))
    const names = firstOf(this.#failures.map(([ticketId]) => ticketId))
    const hint = [...notes, `not read: ${names.join(', ')}`]
    if (categories.every(isRefusal))
      hint.push('to leave out tickets that the service refuses, add --skip-unreadable')
    return new SvcError(
      grave ?? 'rejected',
      `${groupDigits(categories.length)} of ${all} could not be read`,
      {
        exitCode: grave === undefined ? exit.incomplete : undefined,
        hint: hint.join('\n'),
      },
    )
  }
}

/** Whether the service refuses the ticket itself: it has no such ticket, or this key may not read its history. */
const isRefusal = (category: Category): boolean =>
  category === 'rejected' || category === 'forbidden'

/** Several tickets in one command: their histories in the order of the input, some of them read ahead. */
import { say, svc, join } from '../../message.ts'
import { parseTicket } from '../../values.ts'
import type { Message } from '../../api/schemas.ts'
import { usageError, exit, mostUrgent, SvcError, type Category } from '../../errors.ts'
import type { IdTable } from '../../input/reader.ts'
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
  if (options.cursor !== undefined) throw usageError('--cursor is only for one ticket')
  if (context.print.format === 'html') {
    throw usageError(
      'a page has only one ticket',
      say`write a page for each:\n  ${svc`tickets history <ticket> --out <ticket>.html`}`,
    )
  }
  const ids = await readTickets(context, words, options)
  if (ids.size === 0) context.note('the input has no tickets')
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

/** Errors after which the others are still read, or, without a valid key, at least what is there is printed. */
const ofOneTicket: ReadonlySet<Category> = new Set([
  'unavailable',
  'auth',
  'forbidden',
  'rejected',
])

/** Whether the service refuses the ticket itself: it has no such ticket, or this key may not read its history. */
const isRefusal = ({ category }: SvcError): boolean =>
  category === 'rejected' || category === 'forbidden'

/** Outcome of several tickets: which could not be read, and what that means for the whole. */
class Tally {
  readonly #messages: Messages
  readonly #total: string
  readonly #skipsUnreadable: boolean
  /** Errors of tickets that could not be read, and of those that the service refuses and that are left out. */
  readonly #failures: SvcError[] = []
  readonly #skipped: SvcError[] = []
  /** Tickets of which older messages were left out. */
  #cut = 0
  /** Nothing more is to be read: the service does not know the key. */
  isStopped = false

  /** `skipsUnreadable`: a ticket that the service refuses is left out, and the output is whole. */
  constructor(messages: Messages, total: number, skipsUnreadable: boolean) {
    this.#messages = messages
    this.#total = pluralize(total, 'ticket')
    this.#skipsUnreadable = skipsUnreadable
  }

  isOfOne(error: unknown): error is SvcError {
    const isOfOne = error instanceof SvcError && ofOneTicket.has(error.category)
    this.isStopped ||= isOfOne && error.category === 'auth'
    return isOfOne
  }

  /** Leaves out a ticket, or says why it cannot be read. Throws what is not about that ticket. */
  fail(ticketId: string, error: unknown, progress?: 'nothing was read'): Ending {
    if (!this.isOfOne(error)) throw error
    const { category, message, details } = error
    const { hint, cursor } = details
    const command = cursor && svc`tickets history ${ticketId} --cursor ${cursor}`
    const rest = command && say`the rest of it:\n  ${command}`
    const failure = new SvcError(category, `ticket ${ticketId}: ${message}`, {
      ...details,
      // The exit code of the process, unless another ticket has a graver one.
      exitCode: category === 'rejected' ? exit.incomplete : error.exitCode,
      hint: join([hint, rest], '\n'),
      ticketId,
    })
    if (this.#skipsUnreadable && progress !== undefined && isRefusal(error)) {
      this.#skipped.push(failure)
      return {}
    }
    this.#failures.push(failure)
    this.#messages.error(failure)
    return { cursor, isBroken: true }
  }

  /** The ending of a single ticket, without its notes. */
  end({ leftOut, cursor }: Ending): Ending {
    if (leftOut !== undefined) this.#cut += 1
    return { leftOut, cursor }
  }

  /** The ending of the whole. Throws when a ticket could not be read. */
  ending(): Ending {
    const notes: string[] = []
    if (this.#cut > 0) {
      const of = pluralize(this.#cut, 'ticket')
      notes.push(`older messages of ${of} were left out. Use --limit all for all of them.`)
    }
    const skipped = this.#skipped.map(({ message }) => message)
    if (skipped.length > 0) {
      const count = groupDigits(skipped.length)
      const what = `${count} of ${this.#total} left out, which the service refuses:`
      notes.push([what, ...firstOf(skipped)].join('\n'))
    }
    const [first] = this.#failures
    if (first !== undefined) throw this.#failure(first, notes)
    return { notes, exitCode: skipped.length === 0 ? exit.done : exit.incomplete }
  }

  #failure(first: SvcError, notes: readonly string[]): SvcError {
    const failures = this.#failures
    const exitCode = mostUrgent(failures.map((failure) => failure.exitCode))
    const { category } = failures.find((each) => each.exitCode === exitCode) ?? first
    const names = failures.map(({ details }) => details.ticketId ?? '')
    const hint = [...notes, `not read: ${firstOf(names).join(', ')}`]
    if (failures.every(isRefusal))
      hint.push('to leave out tickets that the service refuses, add --skip-unreadable')
    const count = groupDigits(failures.length)
    return new SvcError(category, `${count} of ${this.#total} could not be read`, {
      exitCode,
      hint: hint.join('\n'),
    })
  }
}

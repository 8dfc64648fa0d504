/** Several tickets in one command: their histories in the order of the input, some of them read ahead. */
import { asTyped, say, svc, join } from '../../message.ts'
import { parseTicket } from '../../values.ts'
import type { Message } from '../../api/schemas.ts'
import { usageError, exit, SvcError, type Category } from '../../errors.ts'
import type { IdTable } from '../../input/id-table.ts'
import type { Ending, Rows } from '../../output/result.ts'
import type { MessageRow } from '../../views/message.ts'
import type { Context } from '../../cli/context.ts'
import { readTable, type ReadingOptions } from '../id-reading.ts'
import { HistoryReader, type HistoryChoice } from './reading.ts'
import { groupDigits, pluralize } from '../../words.ts'

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
      say`write a page for each:\n  ${asTyped`xargs -I{} svc tickets history {} --out {}.html < ${fileOfIds(options)}`}`,
    )
  }
  const ids = await readTickets(context, words, options)
  const { settings } = await context.configuration()
  const concurrency = settings.concurrency.value ?? usualConcurrency
  const tally = new Tally(context, ids.size, options.skipUnreadable === true)
  const reader = new HistoryReader(context, choice)
  return {
    kind: 'rows',
    rows: [],
    parts: inOrder(ids, concurrency, reader, tally),
    view: await reader.viewFor(true),
    empty: 'no messages',
  }
}

/** The file that was typed, or a name for one where it is none of bare ids, which is all that xargs reads. */
function fileOfIds({ file: [file, ...others] }: SeveralOptions): string {
  const isOne = file !== undefined && others.length === 0
  return isOne && /\.(?:txt|ids|lst)$/i.test(file) ? file : 'tickets.txt'
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

/** `concurrency`: how many tickets are read at the same time, the one that is printed among them. */
async function* inOrder(
  ids: IdTable,
  concurrency: number,
  reader: Pick<HistoryReader, 'open'>,
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
        tally.failToOpen(ids.id(at), error)
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

interface Unread {
  readonly ticketId: string
  readonly category: Category
  readonly message: string
}

/** Tickets that a message names. */
const namedAtMost = 20

/** Outcome of several tickets: which could not be read, and what that means for the whole. */
class Tally {
  readonly #context: Pick<Context, 'messages' | 'options'>
  readonly #total: number
  readonly #skipsUnreadable: boolean
  readonly #failures: Unread[] = []
  /** Tickets that the service refuses, and that are left out. */
  readonly #skipped: Unread[] = []
  /** Tickets of which older messages were left out. */
  #cut = 0
  /** Nothing more is to be read: the service does not know the key. */
  isStopped = false

  /** `skipsUnreadable`: a ticket that the service refuses is left out, and the output is whole. */
  constructor(
    context: Pick<Context, 'messages' | 'options'>,
    total: number,
    skipsUnreadable: boolean,
  ) {
    this.#context = context
    this.#total = total
    this.#skipsUnreadable = skipsUnreadable
  }

  /** Leaves out a ticket of which nothing was read, or says why it cannot be read. Throws what is not about that ticket. */
  failToOpen(ticketId: string, error: unknown): void {
    const isSkipped =
      this.#skipsUnreadable && error instanceof SvcError && isRefusal(error.category)
    if (!isSkipped) this.fail(ticketId, error)
    else this.#skipped.push({ ticketId, category: error.category, message: error.message })
  }

  /** Whether the others go on after this, or, without a valid key, at least what is there is printed. */
  isOfOne(error: unknown): error is SvcError {
    if (!(error instanceof SvcError)) return false
    if (error.category === 'auth') this.isStopped = true
    return error.category === 'rejected' || graveCategories.includes(error.category)
  }

  /** Says why a ticket cannot be read. Throws what is not about that ticket. */
  fail(ticketId: string, error: unknown): Ending {
    if (!this.isOfOne(error)) throw error
    const { category, message, details } = error
    this.#failures.push({ ticketId, category, message })
    const { hint, cursor } = details
    const rest =
      cursor && say`the rest of it:\n  ${svc`tickets history ${ticketId} --cursor ${cursor}`}`
    this.#context.messages.error(
      new SvcError(category, `ticket ${ticketId}: ${message}`, {
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
    const notes: string[] = []
    if (this.#total === 0) notes.push('the input has no tickets')
    if (this.#cut > 0) {
      const of = pluralize(this.#cut, 'ticket')
      notes.push(`older messages of ${of} were left out. Use --limit all for all of them.`)
    }
    if (this.#skipped.length > 0) notes.push(this.#skippedNote())
    if (this.#failures.length > 0) throw this.#failure(notes)
    return { notes, exitCode: this.#skipped.length === 0 ? exit.done : exit.incomplete }
  }

  #skippedNote(): string {
    const lines = this.#skipped.map(
      ({ ticketId, message }) => `ticket ${ticketId}: ${message}`,
    )
    const what = `${groupDigits(lines.length)} of ${pluralize(this.#total, 'ticket')}`
    return [`${what} left out, which the service refuses:`, ...firstOf(lines)].join('\n')
  }

  #failure(notes: readonly string[]): SvcError {
    const categories = this.#failures.map(({ category }) => category)
    const category = graveCategories.find((each) => categories.includes(each))
    const names = firstOf(this.#failures.map(({ ticketId }) => ticketId))
    const hint = [...notes, `not read: ${names.join(', ')}`]
    const { out } = this.#context.options
    if (out !== undefined)
      hint.unshift(`"${out}" was not written: a file has all tickets, or there is none`)
    if (categories.every(isRefusal))
      hint.push('to leave out tickets that the service refuses, add --skip-unreadable')
    const count = groupDigits(categories.length)
    return new SvcError(
      category ?? 'rejected',
      `${count} of ${pluralize(this.#total, 'ticket')} could not be read`,
      {
        ...(category === undefined ? { exitCode: exit.incomplete } : {}),
        hint: hint.join('\n'),
      },
    )
  }
}

/** Whether the service refuses the ticket itself: it has no such ticket, or this key may not read its history. */
const isRefusal = (category: Category): boolean =>
  category === 'rejected' || category === 'forbidden'

/** As many as a message names, and how many more there are. */
function firstOf(words: readonly string[]): string[] {
  const more = words.length - namedAtMost
  return more > 0
    ? [...words.slice(0, namedAtMost), `and ${groupDigits(more)} more`]
    : [...words]
}

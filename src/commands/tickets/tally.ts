/** Outcome of several tickets: which could not be read, and what that means for the whole. */
import { join, say, svc } from '../../message.ts'
import { exit, SvcError, type Category } from '../../errors.ts'
import type { Ending, PartsEnding } from '../../output/result.ts'
import type { Context } from '../../cli/context.ts'
import { groupDigits } from '../../words.ts'

/** In the order in which they count when there are several. */
const graveCategories: readonly Category[] = ['unavailable', 'auth', 'forbidden']

type TallyContext = Pick<Context, 'failed' | 'options'>

interface Unread {
  readonly ticketId: string
  readonly category: Category
  readonly message: string
}

/** Tickets that a message names. */
const namedAtMost = 20

export class Tally {
  readonly #context: TallyContext
  readonly #skipsUnreadable: boolean
  readonly #failures: Unread[] = []
  /** Tickets that the service refuses, and that are left out. */
  readonly #skipped: Unread[] = []
  /** Tickets of which older messages were left out. */
  #cut = 0
  /** Nothing more is to be read: the service does not know the key. */
  isStopped = false

  /** `skipsUnreadable`: a ticket that the service refuses is left out, and the output is whole. */
  constructor(context: TallyContext, skipsUnreadable = false) {
    this.#context = context
    this.#skipsUnreadable = skipsUnreadable
  }

  /** Leaves out a ticket of which nothing was read, or says why it cannot be read. Throws what is not about that ticket. */
  failToOpen(ticketId: string, error: unknown): void {
    const isSkipped =
      this.#skipsUnreadable && error instanceof SvcError && isRefusal(error.category)
    if (!isSkipped) {
      this.fail(ticketId, error)
      return
    }
    const { category, message } = error
    this.#skipped.push({ ticketId, category, message })
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
    this.#context.failed(
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

  ending(total: number): PartsEnding {
    const skipped = this.#skipped
    const notes = [
      ...(total === 0 ? ['the input has no tickets'] : []),
      ...(this.#cut === 0
        ? []
        : [
            `older messages of ${ticketCount(this.#cut)} were left out. Use --limit all for all of them.`,
          ]),
      ...(skipped.length === 0 ? [] : [skippedNote(skipped, total)]),
    ]
    const exitCode = skipped.length === 0 ? exit.done : exit.incomplete
    return { notes, exitCode, failure: this.#failureOf(total) }
  }

  #failureOf(total: number): SvcError | undefined {
    const failures = this.#failures
    if (failures.length === 0) return undefined
    const categories = failures.map(({ category }) => category)
    const category = graveCategories.find((each) => categories.includes(each))
    const message = `${groupDigits(failures.length)} of ${ticketCount(total)} could not be read`
    const { out } = this.#context.options
    const hint = [
      ...(out === undefined
        ? []
        : [`"${out}" was not written: a file has all tickets, or there is none`]),
      `not read: ${namesOf(failures)}`,
      ...(categories.every(isRefusal)
        ? ['to leave out tickets that the service refuses, add --skip-unreadable']
        : []),
    ].join('\n')
    const exitCode = category === undefined ? { exitCode: exit.incomplete } : {}
    return new SvcError(category ?? 'rejected', message, { ...exitCode, hint })
  }
}

/** Whether the service refuses the ticket itself: it has no such ticket, or this key may not read its history. */
const isRefusal = (category: Category): boolean =>
  category === 'rejected' || category === 'forbidden'

const ticketCount = (count: number): string =>
  `${groupDigits(count)} ${count === 1 ? 'ticket' : 'tickets'}`

function namesOf(unread: readonly Unread[]): string {
  const names = unread.slice(0, namedAtMost).map(({ ticketId }) => ticketId)
  const more = unread.length - names.length
  return more === 0 ? names.join(', ') : `${names.join(', ')} and ${groupDigits(more)} more`
}

function skippedNote(skipped: readonly Unread[], total: number): string {
  const lines = skipped
    .slice(0, namedAtMost)
    .map(({ ticketId, message }) => `ticket ${ticketId}: ${message}`)
  const more = skipped.length - lines.length
  return [
    `${groupDigits(skipped.length)} of ${ticketCount(total)} left out, which the service refuses:`,
    ...lines,
    ...(more === 0 ? [] : [`and ${groupDigits(more)} more`]),
  ].join('\n')
}

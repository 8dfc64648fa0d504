/** Outcome of several tickets: which could not be read, and what that means for the whole. */
import { exit, SvcError, type Category } from '../../errors.ts'
import type { Ending, PartsEnding } from '../../output/result.ts'
import type { Context } from '../../cli/verb.ts'
import { groupDigits, shellWord } from '../../words.ts'

/** In the order in which they count when there are several. */
const graveCategories: readonly Category[] = ['unavailable', 'auth', 'forbidden']

export class Tally {
  readonly #context: Pick<Context, 'failed'>
  readonly #failures: Category[] = []
  /** Tickets of which older messages were left out. */
  #cut = 0
  /** Nothing more is to be read: the service does not know the key. */
  isStopped = false

  constructor(context: Pick<Context, 'failed'>) {
    this.#context = context
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
    this.#failures.push(category)
    const { hint, cursor } = details
    const rest =
      cursor && `the rest of it:\n  svc tickets history ${ticketId} --cursor ${shellWord(cursor)}`
    this.#context.failed(
      new SvcError(category, `ticket ${ticketId}: ${message}`, {
        ...details,
        // The exit code of the process, unless another ticket has a graver one.
        exitCode: graveCategories.includes(category) ? error.exitCode : exit.incomplete,
        hint: [hint, rest].filter((line) => line !== undefined).join('\n'),
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
    const tickets = (count: number): string =>
      `${groupDigits(count)} ${count === 1 ? 'ticket' : 'tickets'}`
    const notes = [
      ...(total === 0 ? ['the input has no tickets'] : []),
      ...(this.#cut === 0
        ? []
        : [
            `older messages of ${tickets(this.#cut)} were left out. Use --limit all for all of them.`,
          ]),
    ]
    const failures = this.#failures
    if (failures.length === 0) return { notes, failure: undefined }
    const category = graveCategories.find((each) => failures.includes(each))
    const message = `${groupDigits(failures.length)} of ${tickets(total)} could not be read`
    const details = category === undefined ? { exitCode: exit.incomplete } : {}
    return { notes, failure: new SvcError(category ?? 'rejected', message, details) }
  }
}

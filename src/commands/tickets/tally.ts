/** Outcome of several tickets: which could not be read, and what that means for the whole. */
import { exit, SvcError, type Category } from '../../errors.ts'
import type { Ending, PartsEnding } from '../../output/result.ts'
import type { Context } from '../../cli/verb.ts'
import { grouped, shellWord } from '../../words.ts'

/** In the order in which they count when there are several. */
const graveCategories: readonly Category[] = ['unavailable', 'auth', 'forbidden']

export class Tally {
  readonly #context: Pick<Context, 'failed'>
  readonly #categories = new Set<Category>()
  /** Tickets of which older messages were left out. */
  #cut = 0
  failures = 0
  /** Nothing more is to be read: the service does not know the key. */
  isStopped = false

  constructor(context: Pick<Context, 'failed'>) {
    this.#context = context
  }

  /** Whether the others go on after this, or, without a valid key, at least what is there is printed. */
  isOfOne(error: unknown): error is SvcError {
    if (!(error instanceof SvcError)) return false
    if (error.category === 'auth') this.isStopped = true
    return ['auth', 'forbidden', 'rejected', 'unavailable'].includes(error.category)
  }

  fail(ticketId: string, error: SvcError): void {
    this.failures += 1
    this.#categories.add(error.category)
    const { hint, cursor } = error.details
    const resume =
      cursor === undefined ? [] : [`the rest of it:\n  svc tickets history ${ticketId} --cursor ${shellWord(cursor)}`]
    this.#context.failed(
      new SvcError(error.category, `ticket ${ticketId}: ${error.message}`, {
        ...error.details,
        // The exit code of the process, unless another ticket has a graver one.
        exitCode: graveCategories.includes(error.category) ? error.exitCode : exit.incomplete,
        hint: [...(hint === undefined ? [] : [hint]), ...resume].join('\n'),
        ticketId,
      }),
    )
  }

  /** The ending of a single ticket, which is counted. */
  ended({ leftOut, cursor }: Ending): Ending {
    if (leftOut !== undefined) this.#cut += 1
    return { leftOut, cursor }
  }

  ending(total: number): PartsEnding {
    const notes: string[] = []
    if (total === 0) notes.push('the input has no tickets')
    if (this.#cut > 0) {
      notes.push(`older messages of ${inWords(this.#cut)} were left out. Use --limit all for all of them.`)
    }
    return { notes, failure: this.#failure(total) }
  }

  #failure(total: number): SvcError | undefined {
    if (this.failures === 0) return undefined
    const category = graveCategories.find((each) => this.#categories.has(each))
    const details = category === undefined ? { exitCode: exit.incomplete } : {}
    return new SvcError(
      category ?? 'rejected',
      `${grouped(this.failures)} of ${inWords(total)} could not be read`,
      details,
    )
  }
}

export function inWords(tickets: number): string {
  return `${grouped(tickets)} ${tickets === 1 ? 'ticket' : 'tickets'}`
}

/**
 * The end of rows: what their generator returned behind the last one, and the notes that tell it on stderr. Read by `render.ts` and the
 * formats that close with it.
 */
import type { Message } from '../message.ts'
import { SvcError } from '../errors.ts'
import { groupDigits, shellWord } from '../words.ts'
import type { Ending, PrintOptions, Rows } from './result.ts'

/** Notes for stderr. `what` in the plural: `lists`. How many rows a whole table has is for the person who looks at it. */
export function endingNotes(
  ending: Ending,
  what: string,
  { format, width, isLimited }: PrintOptions,
): Message[] {
  const { shown = 0, total = 0, missing, moved, notes = [] } = ending
  const said: Message[] = []
  if (moved !== undefined) {
    const change = `from ${groupDigits(moved.from)} to ${groupDigits(moved.to)}`
    said.push(
      `the number of ${what} changed ${change} while they were read: some rows may be missing`,
    )
  }
  if (missing === 'short') {
    const counts = `the service counts ${groupDigits(total)} ${what}, but its pages had ${groupDigits(shown)}`
    said.push(`${counts}: some changed while they were read`)
  } else if (missing === 'page' || (missing === 'limit' && isLimited !== true)) {
    const all =
      total > shown
        ? `${groupDigits(shown)} of ${groupDigits(total)} ${what}`
        : `${groupDigits(shown)} ${what}; there are more`
    said.push(`Showing ${all}. ${howToGetAll[missing]}`)
  } else if (missing === undefined && format === 'table' && width !== undefined && shown > 0) {
    said.push(`${groupDigits(shown)} ${shown === 1 ? what.replace(/s$/, '') : what}`)
  }
  return [...said, ...notes]
}

const howToGetAll = {
  limit: 'Use --limit all for all of them.',
  page: 'Use --page for another page, or --limit all without --page for all of them.',
} as const

/** The ending of rows that stopped early, as far as it is known. */
export function brokenEnding(error: unknown): Ending {
  const cursor = error instanceof SvcError ? error.details.cursor : undefined
  if (cursor === undefined) return {}
  return {
    cursor,
    notes: [`the history stopped early; resume from there with --cursor ${shellWord(cursor)}`],
  }
}

/** Rows on their way to a format, which iterates them once. `ending` is complete when they are out. */
export class RowSource<T> implements AsyncIterable<T> {
  readonly #rows: Rows<T>['rows']
  ending: Ending

  constructor({ rows, ending = {} }: Pick<Rows<T>, 'rows' | 'ending'>) {
    this.#rows = rows
    this.ending = ending
  }

  /** By hand: another generator around the rows would cost each of them as much again. */
  [Symbol.asyncIterator](): AsyncIterator<T, undefined> {
    const rows = this.#rows
    const iterator =
      Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]()
    const keep = (step: IteratorResult<T, Ending | undefined>): IteratorResult<T, undefined> => {
      if (step.done !== true) return step
      this.ending = step.value ?? this.ending
      return { done: true, value: undefined }
    }
    return {
      next: () => {
        const step = iterator.next()
        return step instanceof Promise ? step.then(keep) : Promise.resolve(step).then(keep)
      },
      return: async () => {
        await iterator.return?.()
        return { done: true, value: undefined }
      },
    }
  }
}

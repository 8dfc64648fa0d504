/**
 * The end of rows: what their generator returned behind the last one, and the notes that tell it on stderr. Read by `render.ts` and the
 * formats that close with it. The rule behind the notes: nothing is cut silently, so each way in which rows can be missing has its
 * sentence here.
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
  const isWholeTable = missing === undefined && format === 'table' && width !== undefined
  if (moved !== undefined) {
    const change = `from ${groupDigits(moved.from)} to ${groupDigits(moved.to)}`
    said.push(
      `the number of ${what} changed ${change} while they were read: some rows may be missing`,
    )
  }
  if (missing === 'short') {
    const ofService = `the service counts ${groupDigits(total)} ${what}`
    const ofPages = `its pages had ${groupDigits(shown)}`
    said.push(`${ofService}, but ${ofPages}: some changed while they were read`)
  } else if (missing === 'page' || (missing === 'limit' && isLimited !== true)) {
    // Without a total it is only known that there are more.
    const part =
      total > shown
        ? `${groupDigits(shown)} of ${groupDigits(total)} ${what}`
        : `${groupDigits(shown)} ${what}; there are more`
    said.push(`Showing ${part}. ${howToGetAll[missing]}`)
  } else if (isWholeTable && shown > 0) {
    const noun = shown === 1 ? what.replace(/s$/, '') : what
    said.push(`${groupDigits(shown)} ${noun}`)
  }
  return [...said, ...notes]
}

const howToGetAll = {
  limit: 'Use --limit all for all of them.',
  page: 'Use --page for another page, or --limit all without --page for all of them.',
} as const

/** Where to go on after rows that stopped early, as far as it is known. */
export function brokenNotes(error: unknown): Message[] {
  const cursor = error instanceof SvcError ? error.details.cursor : undefined
  if (cursor === undefined) return []
  const option = `--cursor ${shellWord(cursor)}`
  return [`the history stopped early; resume from there with ${option}`]
}

/** Rows on their way to a format, which iterates them once. `ending` is complete when they are out. */
export class RowSource<T> implements AsyncIterable<T> {
  readonly #rows: Rows<T>['rows']
  ending: Ending

  constructor({ rows, ending = {} }: Pick<Rows<T>, 'rows' | 'ending'>) {
    this.#rows = rows
    this.ending = ending
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, undefined> {
    const rows = this.#rows
    this.ending = (yield* rows) ?? this.ending
    return undefined
  }
}

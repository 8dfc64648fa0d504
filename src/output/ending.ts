/**
 * The end of rows: what their generator returned after the last one, and the notes about it on stderr.
 * Nothing is cut silently, so each way in which rows can be missing has its sentence here.
 */
import type { Message } from '../message.ts'
import { SvcError } from '../errors.ts'
import { groupDigits, pluralize, shellWord } from '../words.ts'
import type { Ending, PrintOptions, Rows } from './result.ts'

/** Notes for stderr. `what` in the plural: `lists`. How many there are of them is for the person who looks at a whole table. */
export function endingNotes(
  ending: Ending,
  what: string | undefined,
  { format, width }: PrintOptions,
): Message[] {
  const { shown = 0, total = 0, moved, notes = [] } = ending
  const missing = ending.missing ?? (total > shown ? 'limit' : undefined)
  const noun = what ?? 'rows'
  const said: Message[] = []
  if (moved !== undefined || missing === 'short')
    said.push(`some ${noun} changed while they were read: some rows may be missing`)
  if (missing === 'page' || missing === 'limit')
    said.push(`Showing ${partOf(shown, total, noun)}. ${howToGetAll[missing]}`)
  const isWatched = format === 'table' && width !== undefined
  if (isWatched && missing === undefined) said.push(...countOf(shown, what))
  return [...said, ...notes]
}

function countOf(shown: number, what: string | undefined): Message[] {
  if (shown === 0 || what === undefined) return []
  return [pluralize(shown, what.replace(/s$/, ''), what)]
}

/** Without a total it is only known that there are more. */
function partOf(shown: number, total: number, what: string) {
  if (total <= shown) return `${groupDigits(shown)} ${what}; there are more`
  return `${groupDigits(shown)} of ${groupDigits(total)} ${what}`
}

const howToGetAll = {
  limit: 'Use --limit all for all of them.',
  page: 'Use --page for another page, or --limit all without --page for all of them.',
} as const

/** Where to resume after rows that stopped early, if that is known. */
export function brokenNotes(error: unknown): Message[] {
  const { cursor, ticketId } = error instanceof SvcError ? error.details : {}
  // The error of one of several tickets has the command itself.
  if (cursor === undefined || ticketId !== undefined) return []
  const option = `--cursor ${shellWord(cursor)}`
  return [`the history stopped early; resume from there with ${option}`]
}

/** The first of rows that are all there are, with an ending that counts the others. */
export async function* firstRows<T>(
  all: RowSource<T>,
  limit: number,
): AsyncGenerator<T, Ending> {
  let total = 0
  for await (const row of all) {
    total += 1
    if (total <= limit) yield row
  }
  return { ...all.ending, shown: Math.min(total, limit), total }
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

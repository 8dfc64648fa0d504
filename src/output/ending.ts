/** An ending in words. */
import type { Message } from '../message.ts'
import { SvcError } from '../errors.ts'
import { groupDigits, shellWord } from '../words.ts'
import type { Ending, PrintOptions } from './result.ts'

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

/** Finds the columns of a table by their headings. In JSON, the names of members are the headings. Pure. */
import { usageError } from '../errors.ts'
import { quoteAll, shorten } from '../safe-text.ts'
import { fold } from '../words.ts'

/** A table with headings; all of them are empty in a table without a heading row. */
export interface Headed {
  readonly name: string
  readonly headings: readonly string[]
  /** Says in which other row a known heading is; undefined if in none. */
  headingHint: () => string | undefined
}

/** Returns how well a heading names a column: 0 is best, and 3 is worst. Undefined if it does not. */
export type RankOf = (heading: string) => number | undefined

/** Returns the form of a heading by which headings are compared: folded, and without a colon at the end. */
export function foldHeading(heading: string) {
  return fold(heading).replace(/ ?:$/, '')
}

/** Returns how well a heading is a name that somebody typed: exactly, or it looks the same. */
export function rankOfName(name: string): RankOf {
  const wanted = foldHeading(name)
  return (heading) => {
    if (heading === name) return 0
    return foldHeading(heading) === wanted ? 1 : undefined
  }
}

/** Returns the column of the best rank; undefined if no heading has a rank. Throws a usage error for two columns of that rank. */
export function findColumn({ name, headings }: Headed, rankOf: RankOf) {
  const ranks = headings.map(rankOf)
  for (const rank of [0, 1, 2, 3]) {
    const column = ranks.indexOf(rank)
    const other = ranks.indexOf(rank, column + 1)
    if (column < 0) continue
    if (other < 0) return column
    const quoted = quoteAll(headings.filter((_, index) => ranks[index] === rank))
    throw usageError(
      `${name} has several matching columns: ${quoted}`,
      `rename one of them, or name one by its number, such as ${other + 1}`,
    )
  }
  return undefined
}

/** Returns the column that a person typed as a number from 1 or a name. Throws a usage error unless there is exactly one. */
export function requireColumn(table: Headed, typed: string) {
  const isNumber = /^[1-9]\d*$/.test(typed) && Number(typed) <= table.headings.length
  const column = isNumber ? Number(typed) - 1 : findColumn(table, rankOfName(typed))
  if (column !== undefined) return column
  throw noColumnError(table, `no column "${shorten(typed)}"`)
}

/** The error for a table without a column that is needed. It shows the headings. */
export function noColumnError(table: Headed, problem: string, hint?: string) {
  const quoted = quoteAll(table.headings)
  const shown = quoted === '' ? 'it has no headings' : `its columns are ${quoted}`
  return usageError(`${table.name} has ${problem}; ${shown}`, table.headingHint() ?? hint)
}

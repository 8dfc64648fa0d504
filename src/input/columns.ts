/** Finds the columns of a table by their headings. In JSON, the names of members are the headings. Pure. */
import { usageError } from '../errors.ts'
import { quoteAll, shorten } from '../safe-text.ts'
import { fold } from '../words.ts'

/** Returns the form of a heading by which headings are compared: folded, and without a colon at the end. */
export function foldHeading(heading: string) {
  return fold(heading).replace(/ ?:$/, '')
}

/** Returns the indexes of the columns with a wanted heading. */
export function findColumns(
  headings: readonly string[],
  isWanted: (heading: string) => boolean,
) {
  return headings.flatMap((heading, index) => (isWanted(heading) ? [index] : []))
}

type IsWanted = (heading: string) => boolean

/**
 * Returns the index of the column that is wanted most: `ranks` has the tests of headings, the best first. Returns undefined if no
 * heading passes any. Throws a usage error if two headings pass the same one.
 */
export function findRankedColumn(
  inputName: string,
  headings: readonly string[],
  ranks: readonly IsWanted[],
): number | undefined {
  for (const isWanted of ranks) {
    const columns = findColumns(headings, isWanted)
    const [column, other] = columns
    if (other !== undefined)
      throw usageError(
        `${inputName} has several columns that can be meant: ${quoteAll(columns.map((each) => headings[each] ?? ''))}`,
        `name one by its number, as in --column ${other + 1}, or give one of them another name`,
      )
    if (column !== undefined) return column
  }
  return undefined
}

/** Returns the index of the column with exactly this name, or with one that looks the same; undefined if there is none. */
export function findNamedColumn(
  inputName: string,
  headings: readonly string[],
  name: string,
) {
  const wanted = foldHeading(name)
  return findRankedColumn(inputName, headings, [
    (heading) => heading === name,
    (heading) => foldHeading(heading) === wanted,
  ])
}

/** Returns the index of the column that a person typed as a number from 1 or a name. Throws a usage error unless there is exactly one. */
export function requireTypedColumn(
  inputName: string,
  headings: readonly string[],
  typed: string,
  hint?: string,
) {
  const isNumber = /^[1-9]\d*$/.test(typed) && Number(typed) <= headings.length
  const column = isNumber ? Number(typed) - 1 : findNamedColumn(inputName, headings, typed)
  if (column !== undefined) return column
  throw usageError(
    `${inputName} has no column "${shorten(typed)}"; ${shownHeadings(headings)}`,
    hint,
  )
}

/** Returns the headings for a message. */
export function shownHeadings(headings: readonly string[]) {
  const quoted = quoteAll(headings)
  return quoted === '' ? 'it has no headings' : `its columns are ${quoted}`
}

/** Finds the columns of a table by their headings. In JSON, the paths of members are the headings. Pure. */
import { usageError } from '../errors.ts'
import { quoteAll, shorten } from '../safe-text.ts'
import { fold } from '../words.ts'

/** Returns the form of a heading by which headings are compared: folded, and without a colon at the end. */
export function foldHeading(heading: string) {
  return fold(heading).replace(/ ?:$/, '')
}

/** Whether a person would call two headings the same. */
export function isSameHeading(heading: string, other: string) {
  return foldHeading(heading) === foldHeading(other)
}

/** Returns the indexes of the columns with a wanted heading. */
export function findColumns(
  headings: readonly string[],
  isWanted: (heading: string) => boolean,
) {
  return headings.flatMap((heading, index) => (isWanted(heading) ? [index] : []))
}

/** Returns the index of the column with this name; undefined if there is none. Throws a usage error if there are several. */
export function findNamedColumn(
  inputName: string,
  headings: readonly string[],
  name: string,
): number | undefined {
  const columns = findColumns(headings, (heading) => isSameHeading(heading, name))
  if (columns.length < 2) return columns[0]
  throw usageError(
    `${inputName} has ${columns.length} columns called "${shorten(name)}"`,
    'give one of them another name',
  )
}

/** Returns the index of the column with this name. Throws a usage error unless there is exactly one. */
export function requireColumn(
  inputName: string,
  headings: readonly string[],
  name: string,
) {
  const column = findNamedColumn(inputName, headings, name)
  if (column !== undefined) return column
  throw usageError(
    `${inputName} has no column "${shorten(name)}"; its columns are ${quoteAll(headings)}`,
  )
}

/** Whether a person typed the number of a column, which counts from 1. */
export function isColumnNumber(typed: string) {
  return /^[1-9]\d*$/.test(typed)
}

/** Returns the index of the column that a person typed as a number or a name. Throws a usage error unless there is exactly one. */
export function requireTypedColumn(
  inputName: string,
  headings: readonly string[],
  typed: string,
) {
  const isNumber = isColumnNumber(typed) && Number(typed) <= headings.length
  return isNumber ? Number(typed) - 1 : requireColumn(inputName, headings, typed)
}

/** Whether a table comes from `svc contacts match`: in its column contactId, people decide which contact each row is. */
export function hasDecisions(headings: readonly string[]) {
  return ['match', 'contactId'].every((name) =>
    headings.some((heading) => isSameHeading(heading, name)),
  )
}

/** The columns of a table by their headings, as people see them; keys of JSON are headings too. Pure. */
import { usageError } from '../errors.ts'
import { quoteAll, shorten } from '../safe-text.ts'
import { fold } from '../words.ts'

/** A heading as headings are compared: without a colon at its end, where people put one. */
export function foldHeading(name: string) {
  return fold(name).replace(/ ?:$/, '')
}

/** Whether a person would call two headings the same. */
export function isSameHeading(name: string, other: string) {
  return foldHeading(name) === foldHeading(other)
}

export function placesOf(cells: readonly string[], isWanted: (cell: string) => boolean) {
  return cells.flatMap((cell, place) => (isWanted(cell) ? [place] : []))
}

/** The column of this name. Throws exit 2 where it is there twice. */
export function placeNamed(
  input: string,
  cells: readonly string[],
  name: string,
): number | undefined {
  const places = placesOf(cells, (cell) => isSameHeading(cell, name))
  if (places.length < 2) return places[0]
  throw usageError(
    `${input} has ${places.length} columns called "${shorten(name)}"`,
    'give one of them another name',
  )
}

/** Whether a column is typed as a number from 1. */
export function isColumnNumber(typed: string) {
  return /^[1-9]\d*$/.test(typed)
}

/** The column of this number or name. */
export function findColumn(input: string, cells: readonly string[], typed: string) {
  const isNumber = isColumnNumber(typed) && Number(typed) <= cells.length
  return isNumber ? Number(typed) - 1 : placeNamed(input, cells, typed)
}

/** Throws exit 2 for a column that is not there. */
export function refuseColumn(input: string, cells: readonly string[], name: string): never {
  throw usageError(
    `${input} has no column "${shorten(name)}"; its columns are ${quoteAll(cells)}`,
  )
}

/** The column contactId, also of a table that was never matched. Throws exit 2 if there are two. */
export function contactIdPlace(input: string, cells: readonly string[]) {
  return placeNamed(input, cells, 'contactId')
}

/**
 * The column contactId of a table that svc contacts match wrote, in which people decide who each row is; undefined in any
 * other table. Throws exit 2 if there are two.
 */
export function decisionPlace(input: string, cells: readonly string[]): number | undefined {
  const isMatched = cells.some((cell) => isSameHeading(cell, 'match'))
  return isMatched ? contactIdPlace(input, cells) : undefined
}

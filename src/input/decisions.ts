/**
 * What a person decided in a cell: who a row is, in the column contactId of a table that was matched, and whether two
 * contacts are the same person, in the column `merge` of a table of duplicates. Pure.
 */
import { fold } from '../words.ts'

/** Whether a cell under contactId says that nobody fits. Some programs write an apostrophe before a lone dash. */
export function isNobody(text: string) {
  return /^\s*'?-\s*$/.test(text)
}

/** Why a row has no contact; undefined where a cell under contactId should be an id. */
export function whyUndecided(text: string): string | undefined {
  if (text.trim() === '') return 'contactId is empty'
  return isNobody(text) ? 'contactId is "-", nobody' : undefined
}

/** Whether to merge a pair, by its cell under `merge`; undefined for a word that decides nothing. */
export function isToMerge(text: string): boolean | undefined {
  const word = fold(text)
  if (word === 'yes') return true
  return word === '' || word === 'no' ? false : undefined
}

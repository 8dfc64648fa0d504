/** A workbook as the core asks its writer for one: cells, columns, and where the heading is. */

/** A text, nothing, a number, or a day or time as its serial number: days since 1899-12-30. */
export type Cell =
  string | undefined | { readonly kind: 'number' | 'day' | 'time'; readonly raw: number }

export interface SheetForm {
  /** The row of the heading, from 1, which stays in sight above the rows that can be filtered; 0 without one. */
  readonly heading: number
  /** For each column the words to choose from; none where anything can be typed. */
  readonly choices: readonly (readonly string[])[]
}

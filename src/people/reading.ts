/** The reading of a text about a person: values that can be compared, and why the text was not understood as a whole. */

/** A phone number, an email address or the name of a messenger account. Values fit if they have one of their two forms in common. */
export interface Value {
  kind: 'phone' | 'email' | 'messenger'
  /** The value for people: `+491712345678`, `anna@example.org`, or the last digits of a number that was not understood. */
  shown: string
  /** The form that exactly equal values share: `phone +491712345678`. Undefined for a value that can only fit nearly. */
  exact: string | undefined
  /** The form that values share which fit at least nearly: the last eight digits of a number, and otherwise the exact form. */
  near: string
}

/** Why a text was not understood, as a sentence about it goes on. */
export const problemTexts = {
  noNumber: 'has no phone number',
  noAddress: 'has no email address',
  impossible: 'is not a possible phone number',
  noCountry: 'needs a country, or + before the number',
  /** Letters, digits or the signs of a mask beside a number, or an @ beside an address. */
  extraText: 'has more than numbers or addresses',
} as const

export type Problem = keyof typeof problemTexts

/** The values that were read in a text. */
export interface Reading {
  values: readonly Value[]
  /** Why the values do not make a match certain. Undefined for a text that was understood as a whole. */
  problem?: Problem | undefined
}

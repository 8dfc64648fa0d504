import type { SvcError } from '../../src/errors.ts'

/** The message and the hint of an error. */
export function shownText({ message, details: { hint } }: SvcError): string {
  return hint === undefined ? message : `${message}\n${hint}`
}

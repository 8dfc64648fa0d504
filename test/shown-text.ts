import { type SvcError, textOf } from '../src/errors.ts'

/** The message and the hint of an error, with commands as they are usually shown. */
export function shownText({ message, details: { hint } }: SvcError): string {
  return hint === undefined ? message : `${message}\n${textOf(hint, ({ text }) => `svc ${text}`)}`
}

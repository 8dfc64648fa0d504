import type { SvcError } from '../src/errors.ts'
import { textOf } from '../src/message.ts'

/** The message and the hint of an error, with commands as they are usually shown. */
export function shownText({ message, details: { hint } }: SvcError): string {
  return hint === undefined ? message : `${message}\n${textOf(hint, ({ text }) => `svc ${text}`)}`
}

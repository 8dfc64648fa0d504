import type { Hint, SvcError } from '../../src/errors.ts'
import { Messages } from '../../src/output/messages.ts'
import { hostWith } from './real-host.ts'

const messages = new Messages(hostWith({}))

/** A hint as it is printed, without a typed profile. */
export const hintText = (hint: Hint | undefined): string => messages.linesOf(hint).join('\n')

/** The message, the lines below it and the hint of an error. */
export function shownText({ message, details: { lines = [], hint } }: SvcError): string {
  return [message, ...lines.map((line) => `  ${line}`), ...messages.linesOf(hint)].join('\n')
}

/** Advice when the output of a command could not be written. */
import { say, svc, svcAsItIs, type Message, type ShownCommand } from '../message.ts'
import { isFull } from '../errno.ts'
import type { TypedLine } from '../cli/option.ts'
import { shellWord } from '../words.ts'

/** The command line with these words among its options. */
export function typedLine({ words, dashes }: TypedLine, ...more: readonly string[]): ShownCommand {
  const typed = words.toSpliced(dashes ?? words.length, 0, ...more)
  return svcAsItIs(typed.map(shellWord).join(' '))
}

/** `run`: the one that was recorded. `hasChanged`: a request was sent that changes something; such a command is not simply repeated. */
export function afterFailedOutput(
  line: TypedLine,
  cause: unknown,
  { run, hasChanged }: { readonly run?: unknown; readonly hasChanged?: boolean },
): Message {
  if (typeof run === 'string') return say`the run is recorded:\n  ${svc`runs show ${run}`}`
  if (hasChanged === true)
    return 'the service has changed something: check what, before you run the command again'
  const again = say`run it again:\n  ${typedLine(line)}`
  return isFull(cause)
    ? say`free some space and ${again}`
    : say`send the output to a file and ${again}`
}

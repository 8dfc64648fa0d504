/**
 * Messages to people: text, and the commands in it as parts. `output/stderr.ts` adds to each command the
 * profile and the folders that it needs, so that it can be typed as shown.
 */
import { shellWord } from './words.ts'

/** A command of svc. */
export interface ShownCommand {
  kind: 'command'
  /** The words after `svc`, quoted for a shell. */
  text: string
  /** Another profile than that of this command line. */
  profile?: string
  /** It continues the run that this command line works on, and writes the same files for its user. */
  isContinuation?: true
  /** The command that reads its output. */
  into?: ShownCommand
}

type MessagePart = string | ShownCommand

export type Message = string | readonly MessagePart[]

/** A command, as a template: `` svc`runs resume ${run}` ``. Each value becomes one word of a shell. */
export function svc(
  texts: TemplateStringsArray,
  ...values: readonly string[]
): ShownCommand {
  return svcWords(String.raw({ raw: texts }, ...values.map(shellWord)))
}

/** The same of a command that continues the run that this command line works on. */
export function continuing(
  texts: TemplateStringsArray,
  ...values: readonly string[]
): ShownCommand {
  return { ...svc(texts, ...values), isContinuation: true }
}

/** A command whose words are as a shell takes them. */
export function svcWords(text: string): ShownCommand {
  return { kind: 'command', text }
}

/** A message, as a template: its values are texts, commands and other messages. */
export function say(
  texts: TemplateStringsArray,
  ...values: readonly (Message | ShownCommand)[]
): Message {
  const parts = texts.flatMap((text, at) => [text, ...partsOf(values[at] ?? '')])
  return parts.filter((part) => part !== '')
}

/** Messages with a text between them; what is undefined or empty is left out. */
export function join(messages: readonly (Message | undefined)[], between: string): Message {
  const present = messages.flatMap((message) => {
    const isEmpty = message === undefined || message.length === 0
    return isEmpty ? [] : [partsOf(message)]
  })
  return present.flatMap((parts, position) =>
    position === 0 ? parts : [between, ...parts],
  )
}

/** A message whose lines but the first begin with this text. */
export function indent(message: Message, by: string): Message {
  return partsOf(message).map((part) =>
    typeof part === 'string' ? part.replaceAll('\n', `\n${by}`) : part,
  )
}

/** The parts of a message, in their order: texts, and commands that can be typed. */
export function partsOf(message: Message | ShownCommand): readonly MessagePart[] {
  return typeof message === 'string' || 'kind' in message ? [message] : message
}

/** The text of a message. `write`: how a command is written. */
export function textOf(
  message: Message | ShownCommand,
  write: (command: ShownCommand) => string,
): string {
  return partsOf(message)
    .map((part) => (typeof part === 'string' ? part : write(part)))
    .join('')
}

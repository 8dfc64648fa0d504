/**
 * Messages to people: text, and the commands in it as parts. `program/report.ts` writes each command with the profile,
 * configuration file and state folder that it needs, so that it can be typed as shown.
 */
import { shellWord } from './words.ts'

/** A command of svc. */
export interface ShownCommand {
  kind: 'command'
  /** The words after `svc`, quoted for a shell. */
  text: string
  /** A profile instead of that of this command line. */
  profile?: string | undefined
  /** It resumes the run of this command line, whose options that name files are repeated (`isRepeatedOnResume`). */
  resumesThisRun?: true
  /** The command that its output is piped into. */
  pipedInto?: ShownCommand
}

type MessagePart = string | ShownCommand

export type Message = string | readonly MessagePart[]

/**
 * A command, as a template: `` svc`runs resume ${run}` ``. Each value becomes one word of a shell. If it begins with a dash,
 * the space before it becomes a `=`, as in `--name=-x`.
 */
export function svc(
  texts: TemplateStringsArray,
  ...values: readonly string[]
): ShownCommand {
  const raw = texts.map((text, at) =>
    values[at]?.startsWith('-') === true ? text.replace(/(--[a-z-]+) $/, '$1=') : text,
  )
  // Escapes in the texts are already resolved: `String.raw` only joins.
  return { kind: 'command', text: String.raw({ raw }, ...values.map(shellWord)) }
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

/** Begins all lines of a message but the first with this text. */
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
) {
  return partsOf(message)
    .map((part) => (typeof part === 'string' ? part : write(part)))
    .join('')
}

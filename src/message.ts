/**
 * Messages to people: texts, with the commands in them as parts of their own. `program/report.ts` adds the profile, configuration
 * file and state folder to each command, so that it can be typed as shown.
 */
import { shellWord } from './words.ts'

/** A command of svc. */
export interface ShownCommand {
  kind: 'command'
  /** The words after `svc`, quoted for a shell. */
  text: string
  /** The profile to show, if not that of this command line. */
  profile?: string | undefined
  /** The command resumes the run of this command line, so it gets the options that `isRepeatedOnResume` marks. */
  resumesThisRun?: true
}

type MessagePart = string | ShownCommand

export type Message = string | readonly MessagePart[]

/**
 * A template for a command: `` svc`runs resume ${run}` ``. Each value becomes one word of a shell. If a value begins with a dash,
 * the space before it becomes `=`, as in `--name=-x`.
 */
export function svc(
  texts: TemplateStringsArray,
  ...values: readonly string[]
): ShownCommand {
  const raw = texts.map((text, index) => {
    const hasDash = values[index]?.startsWith('-') === true
    return hasDash ? text.replace(/(--[a-z-]+) $/, '$1=') : text
  })
  // Only joins texts and values: the escapes in the texts are already resolved.
  return { kind: 'command', text: String.raw({ raw }, ...values.map(shellWord)) }
}

/** A template for a message, whose values are texts, commands and other messages. */
export function say(
  texts: TemplateStringsArray,
  ...values: readonly (Message | ShownCommand)[]
): Message {
  const parts = texts.flatMap((text, index) => [text, ...partsOf(values[index] ?? '')])
  return parts.filter((part) => part !== '')
}

/** Joins messages with a text between them. Undefined and empty ones are left out. */
export function join(messages: readonly (Message | undefined)[], between: string): Message {
  const present = messages
    .filter((message) => message !== undefined)
    .filter((message) => message.length > 0)
  return present.flatMap((message, index) =>
    index === 0 ? partsOf(message) : [between, ...partsOf(message)],
  )
}

/** Indents all lines of a message but the first. */
export function indent(message: Message, by: string): Message {
  return partsOf(message).map((part) =>
    typeof part === 'string' ? part.replaceAll('\n', `\n${by}`) : part,
  )
}

/** The parts of a message: texts and commands, in their order. */
export function partsOf(message: Message | ShownCommand): readonly MessagePart[] {
  return typeof message === 'string' || 'kind' in message ? [message] : message
}

/** The text of a message, with each command as `write` writes it. */
export function textOf(
  message: Message | ShownCommand,
  write: (command: ShownCommand) => string,
) {
  return partsOf(message)
    .map((part) => (typeof part === 'string' ? part : write(part)))
    .join('')
}

/**
 * Prepares a conversation for readers, and writes it as a transcript. Each message becomes a turn with a day, a time and a sender
 * in words. Texts of turns are not safe yet: the transcript and the page escape what they write.
 */
import { dateToMinute, parseTime, paint, wrap, type Style } from './text.ts'
import type {
  Conversation,
  ConversationAttachment,
  ConversationMessage,
  PrintOptions,
} from './result.ts'
import { safe } from '../safe-text.ts'

/** A message with its day, its time and its sender in words. */
export type Turn = ReturnType<typeof turnsOf>[number]

/** Returns a turn for each message, in the same order. */
export function turnsOf({ messages, names }: Conversation) {
  let lastDay = ''
  return messages.map((message) => {
    const { sentAt, direction } = message
    const moment = parseTime(sentAt ?? '')
    // Messages without a time have a heading too.
    const undated = ['without a time', sentAt ?? ''] as const
    const [day, time] = moment === undefined ? undated : dayAndTime(moment)
    const isNewDay = day !== lastDay
    lastDay = day
    return {
      day,
      isNewDay,
      time,
      isIncoming: direction === 'incoming',
      sender: senderOf(message, names),
      parts: partsOf(message),
    }
  })
}

const weekdays = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

/** Returns the day and the time in words, such as `Sunday 2026-03-01` and `10:15`. */
function dayAndTime(moment: number): [day: string, time: string] {
  const [date = '', time = ''] = dateToMinute(moment).split(' ')
  const weekday = weekdays[new Date(moment).getDay()]
  return [`${weekday ?? ''} ${date}`, time]
}

/** A part of a message. The text of a file is its name with the facts that are known. */
interface TurnPart {
  kind: 'subject' | 'text' | 'file'
  text: string
}

function partsOf({ subject, text, attachments }: ConversationMessage): TurnPart[] {
  const parts: TurnPart[] = [
    { kind: 'subject', text: subject ?? '' },
    { kind: 'text', text: text ?? '' },
  ]
  for (const attachment of attachments ?? [])
    parts.push({ kind: 'file', text: attachmentText(attachment) })
  return parts.filter((part) => part.text !== '')
}

/**
 * Returns who sent a message. The API's description does not say it: here, incoming messages are the customer's, and any other
 * has the direction with the employee's name.
 */
function senderOf(
  { direction, fromId }: ConversationMessage,
  names: ReadonlyMap<string, string>,
) {
  if (direction === 'incoming') return 'customer'
  const name = names.get(fromId?.toLowerCase() ?? '') ?? fromId
  return joined([direction, name], ' · ') || 'unknown sender'
}

/** Joins the texts that are known. */
function joined(texts: readonly (string | null | undefined)[], between: string) {
  const known = texts.filter((text) => text != null && text !== '')
  return known.join(between)
}

/** Returns the known facts about a file, such as `image photo.jpg image/jpeg`. */
function attachmentText({ kind, fileName, mimeType, id }: ConversationAttachment) {
  return joined([kind ?? 'file', fileName || id, mimeType], ' ')
}

/** Returns the names and values of the known facts about a ticket. */
export function ticketFacts({ ticket, names }: Conversation): [string, string][] {
  const { status, assigneeId, startedAt } = ticket
  const time = parseTime(startedAt ?? '')
  const facts = {
    status,
    assignee: names.get(assigneeId?.toLowerCase() ?? '') ?? assigneeId,
    started: time === undefined ? startedAt : dateToMinute(time),
    // The time zone, such as `Europe/Berlin`: a reader of the page may live in another one.
    times: new Intl.DateTimeFormat().resolvedOptions().timeZone,
  }
  const known: [string, string][] = []
  for (const [name, value] of Object.entries(facts))
    if (value != null && value !== '') known.push([name, value])
  return known
}

/** The width without a terminal. It fits on a page of paper. */
const usualWidth = 100
/** Longer lines are hard to read, even on a wide terminal. */
const maxWidth = 120
/** The text of a message is indented, so that it cannot look like the beginning of another message. */
const indent = ' '.repeat(7)

/** Returns a conversation as text that is safe to show (`-o transcript`): days, times, senders and wrapped lines. */
export function transcript(conversation: Conversation, print: PrintOptions): string {
  const width = Math.min(maxWidth, Math.max(20, print.width ?? usualWidth))
  const lines: string[] = []
  const add = (text: string, style?: Style, margin = '') => {
    for (const line of wrapAll(text, width - margin.length))
      lines.push(margin + paint(line, print.color ? style : undefined))
  }
  const facts = ticketFacts(conversation)
  const words = facts.map((fact) => fact.join(' '))
  add(safe(`ticket ${conversation.ticket.id}`), 'bold')
  add(safe(words.join(' · ')), 'dim')
  for (const turn of turnsOf(conversation)) {
    const { day, isNewDay, time, sender, isIncoming, parts } = turn
    if (isNewDay) {
      add('')
      add(`── ${day} ──`, 'bold')
    }
    add('')
    const start = joined([time, sender], '  ')
    add(safe(start), isIncoming ? 'cyan' : 'bold')
    for (const { kind, text } of parts) {
      if (kind === 'file') {
        add(safe(`[${text}]`), 'dim', indent)
        continue
      }
      const words = kind === 'subject' ? `Subject: ${text}` : text
      // Line breaks of a message remain. Those of a file's name, above, are made visible.
      const shown = safe(words, { newlines: 'keep' })
      add(shown, kind === 'subject' ? 'bold' : undefined, indent)
    }
    if (parts.length === 0) add('(no text)', 'dim', indent)
  }
  if (conversation.messages.length === 0) add('\n(no messages)', 'dim')
  return lines.map((line) => `${line}\n`).join('')
}

/** Returns the lines of a text, wrapped to a width. */
function wrapAll(text: string, width: number) {
  const lines = text.replaceAll('\t', '    ').split(/\r?\n/)
  return lines.flatMap((line) => wrap(line, width))
}

/**
 * A conversation for readers: one walk over its messages, for the transcript and the page. Messages become turns, which have
 * a day, a time and a sender in words. Turns are not safe to print yet: each form escapes what it writes.
 */
import { dateToMinute, parseTime } from './text/time.ts'
import type {
  Conversation,
  ConversationAttachment,
  ConversationMessage,
  PrintOptions,
} from './result.ts'
import { humanSize } from '../words.ts'
import { safe } from '../safe-text.ts'
import { paint, wrap, type Style } from './text/width.ts'

/** A message with its day, its time and its sender in words. */
export type Turn = ReturnType<typeof turnsOf>[number]

/** The turns of a conversation, in the order of its messages. */
export function turnsOf({ messages, names }: Conversation) {
  let lastDay = ''
  return messages.map((message) => {
    const { sentAt, direction } = message
    const moment = parseTime(sentAt ?? '')
    // Undated messages have a heading too.
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

/** `Sunday 2026-03-01` and `10:15`. */
function dayAndTime(moment: number): [day: string, time: string] {
  const [date = '', time = ''] = dateToMinute(moment).split(' ')
  const weekday = weekdays[new Date(moment).getDay()]
  return [`${weekday ?? ''} ${date}`, time]
}

/** A text of a message; a file has its name and what is known of it. */
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
    parts.push({ kind: 'file', text: attachmentWords(attachment) })
  return parts.filter((part) => part.text !== '')
}

/** The description does not say who wrote a message. Only `incoming` counts as the customer, and an id as an employee's. */
function senderOf(
  { direction, fromId }: ConversationMessage,
  names: ReadonlyMap<string, string>,
) {
  if (direction === 'incoming') return 'customer'
  const name = names.get(fromId?.toLowerCase() ?? '') ?? fromId
  return joined([direction, name], ' · ') || 'unknown sender'
}

/** The texts that are known, with others between them. */
function joined(texts: readonly (string | null | undefined)[], between: string) {
  const known = texts.filter((text) => text != null && text !== '')
  return known.join(between)
}

/** `image photo.jpg (image/jpeg, 1.2 MB)`, as much of it as is known. */
function attachmentWords({ kind, fileName, mimeType, size, id }: ConversationAttachment) {
  const sizeWords = typeof size === 'number' ? humanSize(size) : undefined
  const facts = joined([mimeType, sizeWords], ', ')
  const name = joined([kind ?? 'file', fileName || id], ' ')
  return facts === '' ? name : `${name} (${facts})`
}

/** The known facts about a ticket: name and value. */
export function ticketFacts({ ticket, names }: Conversation): [string, string][] {
  const { status, assigneeId, startedAt } = ticket
  const time = parseTime(startedAt ?? '')
  const facts = {
    status,
    assignee: names.get(assigneeId?.toLowerCase() ?? '') ?? assigneeId,
    started: time === undefined ? startedAt : dateToMinute(time),
    // A reader of the page may live elsewhere: `Europe/Berlin`.
    times: new Intl.DateTimeFormat().resolvedOptions().timeZone,
  }
  const known: [string, string][] = []
  for (const [name, value] of Object.entries(facts))
    if (value != null && value !== '') known.push([name, value])
  return known
}

/** Off a terminal: wide enough to be read, narrow enough for a letter. */
const usualWidth = 100
/** The eye loses longer lines, however wide the terminal is. */
const widest = 120
/** Text is below its sender and never at the edge, so that no message can look like the beginning of another. */
const indent = ' '.repeat(7)

/** A conversation as text to read (`-o transcript`): days, times, senders, wrapped lines. Safe to show. */
export function transcript(conversation: Conversation, print: PrintOptions): string {
  const width = Math.min(widest, Math.max(20, print.width ?? usualWidth))
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
      // Line breaks of a message stay, those of a file's name are made visible.
      const shown = safe(words, { newlines: 'keep' })
      add(shown, kind === 'subject' ? 'bold' : undefined, indent)
    }
    if (parts.length === 0) add('(no text)', 'dim', indent)
  }
  if (conversation.messages.length === 0) add('\n(no messages)', 'dim')
  return lines.map((line) => `${line}\n`).join('')
}

/** The lines of a text. */
function wrapAll(text: string, width: number) {
  const lines = text.replaceAll('\t', '    ').split(/\r?\n/)
  return lines.flatMap((line) => wrap(line, width))
}

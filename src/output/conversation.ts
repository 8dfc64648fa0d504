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
    const [day, time] =
      moment === undefined ? ['without a time', sentAt ?? ''] : dayAndTime(moment)
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
  return [`${weekdays[new Date(moment).getDay()] ?? ''} ${date}`, time]
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
  return [direction, name].filter(Boolean).join(' · ') || 'unknown sender'
}

/** `image photo.jpg (image/jpeg, 1.2 MB)`, as much of it as is known. */
function attachmentWords({ kind, fileName, mimeType, size, id }: ConversationAttachment) {
  const facts = [mimeType, typeof size === 'number' && humanSize(size)]
  const known = facts.filter(Boolean).join(', ')
  const name = [kind ?? 'file', fileName || id].filter(Boolean).join(' ')
  return known === '' ? name : `${name} (${known})`
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
  return Object.entries(facts).flatMap(([name, value]): [string, string][] =>
    value == null || value === '' ? [] : [[name, value]],
  )
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
  const facts = ticketFacts(conversation).map(([name, value]) => `${name} ${value}`)
  add(safe(`ticket ${conversation.ticket.id}`), 'bold')
  add(safe(facts.join(' · ')), 'dim')
  for (const { day, isNewDay, time, sender, isIncoming, parts } of turnsOf(conversation)) {
    if (isNewDay) {
      add('')
      add(`── ${day} ──`, 'bold')
    }
    add('')
    add(safe([time, sender].filter(Boolean).join('  ')), isIncoming ? 'cyan' : 'bold')
    for (const { kind, text } of parts) {
      if (kind === 'subject') add(keepLines(`Subject: ${text}`), 'bold', indent)
      if (kind === 'text') add(keepLines(text), undefined, indent)
      if (kind === 'file') add(safe(`[${text}]`), 'dim', indent)
    }
    if (parts.length === 0) add('(no text)', 'dim', indent)
  }
  if (conversation.messages.length === 0) add('\n(no messages)', 'dim')
  return lines.map((line) => `${line}\n`).join('')
}

/** Line breaks of a message stay, those of a file's name are made visible. */
function keepLines(text: string) {
  return safe(text, { newlines: 'keep' })
}

/** The lines of a text. */
function wrapAll(text: string, width: number) {
  const lines = text.split(/\r?\n/)
  return lines.flatMap((line) => wrap(line.replaceAll('\t', '    '), width))
}

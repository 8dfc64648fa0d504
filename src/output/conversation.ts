/** A conversation in words (its facts and its turns), and the transcript that is written from them. */
import { safe } from '../safe-text.ts'
import { joinPresent, paint, type Style } from '../words.ts'
import type { Conversation, ConversationMessage, PrintOptions } from './result.ts'
import { dateToMinute, isoTime, wrap } from './text.ts'

/** A message in words. Its texts are as the service sent them, so they must be made safe. */
export interface Turn {
  /** The day, if it is another one than that of the turn before: `Sunday 2026-03-01`. */
  newDay: string | undefined
  time: string
  sender: string
  isIncoming: boolean
  parts: readonly { kind: 'subject' | 'text' | 'file' | 'none'; text: string }[]
}

/** Yields the turns of a conversation. */
export function* turnsOf({ messages, names }: Conversation): Generator<Turn> {
  let lastDay = ''
  for (const message of messages) {
    const { direction, fromId } = message
    const { day, time } = momentOf(message)
    // The API's description does not say who sent a message. Here, incoming messages are the customer's.
    const isIncoming = direction === 'incoming'
    const sender = joinPresent([direction, nameOf(fromId, names)], ' · ')
    yield {
      newDay: day === lastDay ? undefined : day,
      time,
      sender: isIncoming ? 'customer' : sender || 'unknown sender',
      isIncoming,
      parts: partsOf(message),
    }
    lastDay = day
  }
}

const weekdays = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

/** Returns the day and the time of a message. A time that cannot be read is shown as the service sent it. */
function momentOf({ sentAt }: ConversationMessage) {
  const moment = isoTime(sentAt ?? '')
  if (moment === undefined) return { day: 'without a time', time: sentAt ?? '' }
  const [date, time = ''] = dateToMinute(moment).split(' ')
  return { day: `${weekdays[new Date(moment).getDay()]} ${date}`, time }
}

function partsOf({ subject, text, attachments }: ConversationMessage): Turn['parts'] {
  const files = (attachments ?? []).map(({ kind, fileName, mimeType, id }) =>
    joinPresent([kind ?? 'file', fileName || id, mimeType], ' '),
  )
  const parts = [
    { kind: 'subject', text: subject ?? '' } as const,
    { kind: 'text', text: text ?? '' } as const,
    ...files.map((file) => ({ kind: 'file', text: file }) as const),
  ].filter((part) => part.text !== '')
  return parts.length > 0 ? parts : [{ kind: 'none', text: 'no text' }]
}

/** Returns the name of an employee, or the id if the name is not known. */
function nameOf(id: string | null | undefined, names: Conversation['names']) {
  return names.get(id?.toLowerCase() ?? '') ?? id
}

/** Returns the known facts about a ticket, each as its label and its text. */
export function factsOf({ ticket, names }: Conversation) {
  const { status, assigneeId, startedAt } = ticket
  const time = isoTime(startedAt ?? '')
  const facts = {
    status,
    assignee: nameOf(assigneeId, names),
    started: time === undefined ? startedAt : dateToMinute(time),
    // The time zone, such as `Europe/Berlin`: a reader may live in another one.
    times: new Intl.DateTimeFormat().resolvedOptions().timeZone,
  }
  return Object.entries(facts).filter((fact): fact is [string, string] => !!fact[1])
}

/** The width without a terminal. It fits on a page of paper. */
const usualWidth = 100
const minWidth = 20
/** Longer lines are hard to read, even on a wide terminal. */
const maxWidth = 120
/** Indents the text of a message, which could otherwise look like the beginning of another message. */
const indent = ' '.repeat(7)

/** How a text of a transcript looks. */
interface TextLook {
  style?: Style
  margin?: string
  /** Whether its line breaks begin new lines. Elsewhere, as in the name of a file, they become visible. */
  hasLines?: boolean
}

/** Returns a conversation as text that is safe to show (`-o transcript`): days, times, senders and wrapped lines. */
export function transcript(conversation: Conversation, print: PrintOptions): string {
  const width = Math.min(maxWidth, Math.max(minWidth, print.width ?? usualWidth))
  const lines: string[] = []
  const add = (text: string, { style, margin = '', hasLines = false }: TextLook = {}) => {
    const shown = safe(text, hasLines ? 'lines' : undefined).replaceAll('\t', '    ')
    for (const line of shown.split(/\r?\n/))
      for (const part of wrap(line, width - margin.length)) {
        const isStyled = style !== undefined && part !== '' && print.color === true
        lines.push(margin + (isStyled ? paint(part, style) : part))
      }
  }
  const facts = factsOf(conversation).map((fact) => fact.join(' '))
  add(`ticket ${conversation.ticket.id}`, { style: 'bold' })
  add(facts.join(' · '), { style: 'dim' })
  for (const { newDay, time, sender, isIncoming, parts } of turnsOf(conversation)) {
    add('')
    if (newDay !== undefined) {
      add(`── ${newDay} ──`, { style: 'bold' })
      add('')
    }
    add(joinPresent([time, sender], '  '), { style: isIncoming ? 'cyan' : 'bold' })
    for (const { kind, text } of parts) {
      const own = { margin: indent, hasLines: kind === 'subject' || kind === 'text' }
      if (kind === 'subject') add(`Subject: ${text}`, { ...own, style: 'bold' })
      else if (kind === 'text') add(text, own)
      else add(kind === 'file' ? `[${text}]` : `(${text})`, { ...own, style: 'dim' })
    }
  }
  if (conversation.messages.length === 0) {
    add('')
    add('(no messages)', { style: 'dim' })
  }
  return lines.map((line) => `${line}\n`).join('')
}

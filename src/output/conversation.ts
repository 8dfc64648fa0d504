/**
 * A conversation for readers: one walk over its messages, for the transcript and the page. Messages become turns, which have
 * a day, a time and a sender in words. Turns are not safe to print yet: each form escapes what it writes.
 */
import { dateAndTime, dateToMinute, parseTime } from './text/time.ts'
import type {
  ConversationAttachment,
  Conversation,
  ConversationMessage as Message,
  PrintOptions,
} from './result.ts'
import { humanSize } from '../words.ts'
import { loadPaints, type Paints } from './text/cells.ts'
import { safe } from '../safe-text.ts'
import { wrap } from './text/width.ts'

/** Messages and what is known of their ticket. */
export interface ConversationInput {
  messages: AsyncIterable<Message> | Iterable<Message>
  conversation: Conversation
  print: PrintOptions
  /** What was left out, in a few words; known when the messages are out. */
  leftOut?: () => string | undefined
}

/** A message with its day, its time and its sender in words. */
export type Turn = ReturnType<typeof turn>

/** The turns of a conversation, in the order of its messages. */
export async function* turns({
  messages,
  conversation: { names },
}: ConversationInput): AsyncGenerator<Turn & { isNewDay: boolean }> {
  let day: string | undefined
  for await (const message of messages) {
    const made = turn(message, names)
    yield { ...made, isNewDay: made.day !== day }
    day = made.day
  }
}

function turn(message: Message, names: ReadonlyMap<string, string>) {
  const { sentAt } = message
  const moment = parseTime(sentAt ?? '')
  const at = moment === undefined ? undefined : dateAndTime(moment)
  return {
    /** `Sunday 2026-03-01`; undated messages have a heading too. */
    day: dayHeading(at?.date),
    isDated: at !== undefined,
    /** `10:15`, or the time as it came. */
    time: at?.time.slice(0, 5) ?? sentAt ?? '',
    isIncoming: message.direction === 'incoming',
    sender: senderOf(message, names),
    parts: partsOf(message),
  }
}

/** A text of a message; a file has its name and what is known of it. */
export interface TurnPart {
  kind: 'subject' | 'text' | 'file'
  text: string
}

function partsOf({ subject, text, attachments }: Message): TurnPart[] {
  const parts: TurnPart[] = []
  if (isText(subject)) parts.push({ kind: 'subject', text: subject })
  if (isText(text)) parts.push({ kind: 'text', text })
  for (const attachment of attachments ?? [])
    parts.push({ kind: 'file', text: attachmentWords(attachment) })
  return parts
}

/** The description does not say who wrote a message. Only `incoming` counts as the customer, and an id as an employee's. */
function senderOf({ direction, fromId }: Message, names: ReadonlyMap<string, string>) {
  if (direction === 'incoming') return 'customer'
  const name = names.get(fromId?.toLowerCase() ?? '') ?? fromId
  return [direction, name].filter(isText).join(' · ') || 'unknown sender'
}

/** `image photo.jpg (image/jpeg, 1.2 MB)`, as much of it as is known. */
function attachmentWords({ kind, fileName, mimeType, size, id }: ConversationAttachment) {
  const sizeWords = typeof size === 'number' ? humanSize(size) : undefined
  const details = [mimeType, sizeWords].filter(isText)
  const label = isText(fileName) ? fileName : id
  const name = [kind ?? 'file', label].filter(isText).join(' ')
  return details.length === 0 ? name : `${name} (${details.join(', ')})`
}

/** Whether there is something to show: the service sends null, an empty text or nothing for what it does not know. */
export function isText(value: string | null | undefined): value is string {
  return value !== null && value !== undefined && value !== ''
}

const weekdays = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

function dayHeading(date: string | undefined) {
  if (date === undefined) return 'without a time'
  // The date is taken as one of UTC on both sides, so that no time zone moves the weekday.
  const midnight = new Date(`${date}T00:00:00Z`)
  return `${weekdays[midnight.getUTCDay()] ?? ''} ${date}`.trim()
}

/** The known facts about a ticket: name and value. */
export function ticketFacts({
  conversation: { ticket, names },
}: ConversationInput): [string, string][] {
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
    isText(value) ? [[name, value]] : [],
  )
}

/** Off a terminal: wide enough to be read, narrow enough for a letter. */
const usualWidth = 100
/** The eye loses longer lines, however wide the terminal is. */
const widest = 120
/** Text is below its sender and never at the edge, so that no message can look like the beginning of another. */
const indent = ' '.repeat(7)
/**
 * A conversation as text to read (`-o transcript`): days, times, senders, wrapped lines. Pieces of one or more whole lines,
 * safe to show.
 */
export async function* transcript(input: ConversationInput): AsyncGenerator<string> {
  const { conversation, print } = input
  const paints = await loadPaints(print.color)
  const width = Math.min(widest, Math.max(20, print.width ?? usualWidth))
  const facts = ticketFacts(input).map(([name, value]) => `${name} ${value}`)
  const head = wrap(safe(`ticket ${conversation.ticket.id}`), width).map(paints.heading)
  const below = wrap(safe(facts.join(' · ')), width).map(paints.dim)
  yield `${[...head, ...below].join('\n')}\n`
  let isEmpty = true
  for await (const turn of turns(input)) {
    isEmpty = false
    const ruled = `── ${turn.day} ──`
    const line = ruled.length > width ? turn.day : ruled
    if (turn.isNewDay) yield `\n${paints.heading(line)}\n`
    yield* turnText(turn, width, paints)
  }
  if (isEmpty) yield `\n${paints.dim('(no messages)')}\n`
}

/** A turn: its time and sender on a line at the edge, and below it, indented, what was written. */
function* turnText(
  { isDated, parts, sender, time, isIncoming }: Turn,
  width: number,
  paints: Paints,
): Generator<string> {
  // A turn without a date may be without a time too.
  const start = isDated || isText(time) ? `${time}  ${sender}` : sender
  const paintHeading = isIncoming ? paints.state('incoming') : paints.heading
  const headings = linesOf(start, width, 'visible').map(paintHeading)
  yield `\n${headings.join(`\n${indent}`)}\n`
  for (const part of parts) {
    // Line breaks of a message stay, those of a file's name are made visible.
    const newlines = part.kind === 'file' ? 'visible' : 'keep'
    const { words, paint } = looksOf(part, paints)
    const lines = linesOf(words, width - indent.length, newlines)
    yield lines.map((line) => `${indent}${paint(line)}\n`).join('')
  }
  if (parts.length === 0) yield `${indent}${paints.dim('(no text)')}\n`
}

function looksOf({ kind, text }: TurnPart, { heading, dim }: Paints) {
  switch (kind) {
    case 'subject':
      return { words: `Subject: ${text}`, paint: heading }
    case 'text':
      return { words: text, paint: (line: string) => line }
    case 'file':
      return { words: `[${text}]`, paint: dim }
  }
}

/** Lines of a text. */
function linesOf(text: string, width: number, newlines: 'keep' | 'visible') {
  const lines = safe(text, { newlines }).split(/\r?\n/)
  return lines.flatMap((line) => wrap(line.replaceAll('\t', '    '), width))
}

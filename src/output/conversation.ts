/**
 * A conversation for readers: what its two forms, text (`formats/transcript.ts`) and page (`formats/html.ts`), have in common. Messages
 * become turns, which have a day, a time and a sender in words. Nothing here is safe to print yet: each form escapes what it writes.
 */
import { dateAndTime, parseTime } from './text/time.ts'
import type {
  Attachment,
  Conversation,
  ConversationMessage as Message,
  PrintOptions,
} from './result.ts'
import { humanSize } from '../words.ts'

/** Messages and what is known of their ticket, as `histories.ts` hands them to either form. */
export interface ConversationInput {
  readonly messages: AsyncIterable<Message> | Iterable<Message>
  readonly conversation: Conversation
  readonly print: PrintOptions
}

/** One message, or the consecutive messages of one album. */
export type Turn = ReturnType<typeof turn>

/** The turns of a conversation, in the order of its messages. When the source fails, an album that was read so far comes first. */
export async function* turns({
  messages,
  conversation: { names },
  print,
}: ConversationInput): AsyncGenerator<Turn> {
  let album: [Message, ...Message[]] | undefined
  try {
    for await (const message of messages) {
      if (album !== undefined && sameAlbum(album[0], message)) {
        album.push(message)
        continue
      }
      if (album !== undefined) yield turn(album, names, print)
      album = undefined
      // Only an album has to wait for what comes next.
      if (isText(message.mediaGroupId)) album = [message]
      else yield turn([message], names, print)
    }
  } catch (error) {
    if (album !== undefined) yield turn(album, names, print)
    throw error
  }
  if (album !== undefined) yield turn(album, names, print)
}

/** The same group id does not make an album of two senders' messages. */
function sameAlbum(first: Message, next: Message): boolean {
  return (
    first.mediaGroupId === next.mediaGroupId &&
    first.fromId === next.fromId &&
    first.direction === next.direction
  )
}

function turn(
  messages: readonly [Message, ...Message[]],
  names: ReadonlyMap<string, string>,
  { utc }: PrintOptions,
) {
  const [first] = messages
  const sentAt = parseTime(first.sentAt ?? '')
  const at = sentAt === undefined ? undefined : dateAndTime(sentAt, utc)
  return {
    /** `2026-03-01`, or undefined without a readable time. */
    date: at?.date,
    /** `10:15`, or the time as it came. */
    time: at?.time.slice(0, 5) ?? first.sentAt ?? '',
    incoming: first.direction === 'incoming',
    sender: senderOf(first, names),
    messages,
  }
}

/** The description does not say who writes what: only `incoming` is taken for the customer, and an id for an employee's. */
function senderOf({ direction, fromId }: Message, names: ReadonlyMap<string, string>): string {
  if (direction === 'incoming') return 'customer'
  const name = names.get(fromId?.toLowerCase() ?? '') ?? fromId
  const parts = [direction, name].filter(isText)
  return parts.length === 0 ? 'unknown sender' : parts.join(' · ')
}

/** `image photo.jpg (image/jpeg, 1.2 MB)`, as much of it as is known. */
export function attachmentWords({ kind, fileName, mimeType, size, id }: Attachment): string {
  const sizeWords = typeof size === 'number' ? humanSize(size) : undefined
  const details = [mimeType, sizeWords].filter(isText)
  const label = isText(fileName) ? fileName : id
  const name = [kind ?? 'file', label].filter(isText).join(' ')
  if (details.length === 0) return name
  return `${name} (${details.join(', ')})`
}

/** Whether there is something to show: the service sends null, an empty text or nothing for what it does not know. */
export function isText(value: string | null | undefined): value is string {
  return value !== null && value !== undefined && value !== ''
}

const weekdays = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
] as const

/** `Sunday 2026-03-01`. */
export function dayHeading(date: string | undefined): string {
  if (date === undefined) return 'without a time'
  // The date is taken as one of UTC on both sides, so that no time zone moves the weekday.
  const midnight = new Date(`${date}T00:00:00Z`)
  const weekday = weekdays[midnight.getUTCDay()] ?? ''
  return `${weekday} ${date}`.trim()
}

/** The facts about a ticket, as far as they are known: name and value. */
export function ticketFacts({
  conversation: { ticket, names },
  print,
}: ConversationInput): [string, string][] {
  const { assigneeId, startedAt } = ticket
  const time = parseTime(startedAt ?? '')
  const started = time === undefined ? startedAt : minuteOf(time, print)
  const assignee = names.get(assigneeId?.toLowerCase() ?? '') ?? assigneeId
  // A reader of the page may live elsewhere: `Europe/Berlin`.
  const zone = print.utc ? 'UTC' : new Intl.DateTimeFormat().resolvedOptions().timeZone
  const details = {
    status: ticket.status,
    assignee,
    started,
    times: zone,
  }
  return Object.entries(details).flatMap(([name, value]): [string, string][] =>
    isText(value) ? [[name, value]] : [],
  )
}

/** The facts about a saved page, which is read later and by others: name and value. */
export function savedFacts({
  conversation: { source },
  print,
}: ConversationInput): [string, string][] {
  if (source === undefined) return []
  return [
    ['saved', minuteOf(print.now, print)],
    ['profile', source.profile],
    ['part', source.part],
  ]
}

/** `2026-03-01 10:15`: seconds say nothing to the reader of a conversation. */
function minuteOf(moment: number, { utc }: PrintOptions): string {
  const { date, time } = dateAndTime(moment, utc)
  return `${date} ${time.slice(0, 5)}`
}

/** The last line of a conversation that could not be read to its end. */
export const stoppedHere = 'the history stopped here: the rest could not be read'

/**
 * A conversation for readers: one walk over its messages, for text (`formats/transcript.ts`) and page (`formats/html.ts`). Messages
 * become turns, which have a day, a time and a sender in words. Nothing here is safe to print yet: each form escapes what it writes.
 */
import { dateAndTime, parseTime } from './text/time.ts'
import type {
  Attachment,
  Conversation,
  ConversationMessage as Message,
  Ending,
  PrintOptions,
} from './result.ts'
import { humanSize } from '../words.ts'

/** Messages and what is known of their ticket. */
export interface ConversationInput {
  readonly messages: AsyncIterable<Message> | Iterable<Message>
  readonly conversation: Conversation
  readonly print: PrintOptions
  /** Has the ending of the messages when they are out. */
  readonly source?: { readonly ending: Ending }
}

/** One message, or the consecutive messages of one album. */
export type Turn = ReturnType<typeof turn>

/** The turns of a conversation, in the order of its messages. When the source fails, an album that was read so far comes first. */
export async function* turns({
  messages,
  conversation: { names },
  print,
}: ConversationInput): AsyncGenerator<Turn & { readonly isNewDay: boolean }> {
  let day: string | undefined
  const next = (some: readonly Message[]) => {
    const made = turn(some, names, print)
    const isNewDay = made.day !== day
    day = made.day
    return { ...made, isNewDay }
  }
  let album: Message[] = []
  try {
    for await (const message of messages) {
      const [first] = album
      if (first !== undefined && !isSameAlbum(first, message)) {
        yield next(album)
        album = []
      }
      // Only an album has to wait for what comes next.
      if (isText(message.mediaGroupId)) album.push(message)
      else yield next([message])
    }
  } catch (error) {
    if (album.length > 0) yield next(album)
    throw error
  }
  if (album.length > 0) yield next(album)
}

/** The same group id does not make an album of two senders' messages. */
function isSameAlbum(first: Message, next: Message): boolean {
  return (['mediaGroupId', 'fromId', 'direction'] as const).every(
    (member) => first[member] === next[member],
  )
}

function turn(
  messages: readonly Message[],
  names: ReadonlyMap<string, string>,
  { utc }: PrintOptions,
) {
  const { sentAt, ...first } = messages[0] ?? {}
  const moment = parseTime(sentAt ?? '')
  const at = moment === undefined ? undefined : dateAndTime(moment, utc)
  return {
    /** `Sunday 2026-03-01`; undated messages have a heading too. */
    day: dayHeading(at?.date),
    isDated: at !== undefined,
    /** `10:15`, or the time as it came. */
    time: at?.time.slice(0, 5) ?? sentAt ?? '',
    isIncoming: first.direction === 'incoming',
    sender: senderOf(first, names) + (messages.length > 1 ? ` · album of ${messages.length}` : ''),
    messages,
  }
}

/** The description does not say who writes what: only `incoming` is taken for the customer, and an id for an employee's. */
function senderOf({ direction, fromId }: Message, names: ReadonlyMap<string, string>): string {
  if (direction === 'incoming') return 'customer'
  const name = names.get(fromId?.toLowerCase() ?? '') ?? fromId
  return [direction, name].filter(isText).join(' · ') || 'unknown sender'
}

/** `image photo.jpg (image/jpeg, 1.2 MB)`, as much of it as is known. */
export function attachmentWords({ kind, fileName, mimeType, size, id }: Attachment): string {
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

function dayHeading(date: string | undefined): string {
  if (date === undefined) return 'without a time'
  // The date is taken as one of UTC on both sides, so that no time zone moves the weekday.
  const midnight = new Date(`${date}T00:00:00Z`)
  return `${weekdays[midnight.getUTCDay()] ?? ''} ${date}`.trim()
}

/** The facts about a ticket, as far as they are known: name and value. */
export function ticketFacts({
  conversation: { ticket, names },
  print,
}: ConversationInput): [string, string][] {
  const { status, assigneeId, startedAt } = ticket
  const time = parseTime(startedAt ?? '')
  const facts = {
    status,
    assignee: names.get(assigneeId?.toLowerCase() ?? '') ?? assigneeId,
    started: time === undefined ? startedAt : minuteOf(time, print),
    // A reader of the page may live elsewhere: `Europe/Berlin`.
    times: print.utc ? 'UTC' : new Intl.DateTimeFormat().resolvedOptions().timeZone,
  }
  return Object.entries(facts).flatMap(([name, value]): [string, string][] =>
    isText(value) ? [[name, value]] : [],
  )
}

/** `2026-03-01 10:15`: seconds say nothing to the reader of a conversation. */
export function minuteOf(moment: number, { utc }: PrintOptions): string {
  const { date, time } = dateAndTime(moment, utc)
  return `${date} ${time.slice(0, 5)}`
}

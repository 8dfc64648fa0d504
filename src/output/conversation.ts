/**
 * A conversation for readers: what its two forms, text (`formats/transcript.ts`) and page (`formats/html.ts`), have in common. Messages
 * become turns, which have a day, a time and a sender in words.
 */
import { dateAndTime, parseTime } from './text/time.ts'
import type {
  Attachment,
  Conversation,
  ConversationMessage as Message,
  PrintOptions,
} from './result.ts'
import { humanSize } from '../words.ts'

export interface ConversationInput {
  readonly messages: AsyncIterable<Message> | Iterable<Message>
  readonly conversation: Conversation
  readonly print: PrintOptions
}

/** One message, or the consecutive messages of one album. */
export type Turn = ReturnType<typeof turn>

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
  const details = [mimeType, typeof size === 'number' ? humanSize(size) : undefined].filter(isText)
  const name = [kind ?? 'file', isText(fileName) ? fileName : id].filter(isText).join(' ')
  return details.length === 0 ? name : `${name} (${details.join(', ')})`
}

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
  return `${weekdays[new Date(`${date}T00:00:00Z`).getUTCDay()] ?? ''} ${date}`.trim()
}

/** The facts about a ticket, as far as they are known: name and value. */
export function ticketFacts({
  conversation: { ticket, names },
  print,
}: ConversationInput): [string, string][] {
  const started = parseTime(ticket.startedAt ?? '')
  const when = started === undefined ? undefined : dateAndTime(started, print.utc)
  const { assigneeId } = ticket
  const assignee = names.get(assigneeId?.toLowerCase() ?? '') ?? assigneeId
  // A reader of the page may live elsewhere: `Europe/Berlin`.
  const zone = print.utc ? 'UTC' : new Intl.DateTimeFormat().resolvedOptions().timeZone
  const details = {
    status: ticket.status,
    assignee,
    started: when === undefined ? ticket.startedAt : `${when.date} ${when.time.slice(0, 5)}`,
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
  const { date, time } = dateAndTime(print.now, print.utc)
  return [
    ['saved', `${date} ${time.slice(0, 5)}`],
    ['profile', source.profile],
    ['part', source.part],
  ]
}

/** The last line of a conversation that could not be read to its end. */
export const stoppedHere = 'the history stopped here: the rest could not be read'

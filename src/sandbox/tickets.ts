/** The tickets of the company and their messages. Times are in milliseconds. */
import { channels, day, hour, idOf, iso, minute, pick, range } from './seed.ts'

/** The properties of an ordinary ticket. An empty text stands for none. */
const usual = {
  status: 'active',
  isAssigned: true,
  /** Whether it is the current ticket of its chat. */
  isCurrent: true,
  channel: 'messengerA',
  /** The number of messages; without it, it follows from the position. */
  messages: undefined as number | undefined,
  /** How long before the start of today the newest message was sent. */
  age: hour,
  ad: '',
  /** The subject of each message. */
  subject: '',
}

type Recipe = Partial<typeof usual>

/** The special tickets. Their order decides their ids. */
const specialTickets = {
  active: { messages: 45, ad: '120210000000000001' },
  new: { status: 'new', isAssigned: false, messages: 1 },
  old: { messages: 30, age: 40 * day },
  closed: { status: 'closed', messages: 12 },
  notCurrent: { isCurrent: false, messages: 25 },
  unassigned: { isAssigned: false, messages: 3 },
  long: { messages: 1000 },
  email: { channel: 'email', messages: 24, subject: 'Order 4711' },
} satisfies Readonly<Record<string, Recipe>>

/** How many other tickets there are. All of them can be assigned. */
const ordinaryTickets = 105

/** Returns the tickets: first the special ones, then the others. `epoch` is the start of today. */
export function seedTickets(epoch: number) {
  const ordinary = Array.from({ length: ordinaryTickets }, () => ({}))
  const recipes: Recipe[] = [...Object.values(specialTickets), ...ordinary]
  return recipes.map((recipe, position) => ticketOf(recipe, position, epoch))
}

/** The employee to whom tickets are assigned. */
const agent = idOf('employee', 0)

function ticketOf(recipe: Recipe, position: number, epoch: number) {
  const { status, isAssigned, isCurrent, channel, messages, age, ad, subject } = {
    ...usual,
    ...recipe,
  }
  const count = messages ?? 2 + (position % 30)
  const oldest = epoch - age - count * 4 * minute
  const assigneeId: string | null = isAssigned ? agent : null
  return {
    ticket: {
      id: idOf('ticket', position),
      chatId: idOf('chat', position),
      status,
      assigneeId,
      startedAt: iso(oldest),
      attribution: ad === '' ? {} : { ad_id: ad },
    },
    channel: idOf('channel', channels.indexOf(channel)),
    isCurrent,
    /** Returns the messages, with the newest first. Most sandboxes show those of few tickets. */
    messages: () =>
      range(0, count)
        .map((number) => messageOf(position, number, oldest + number * 4 * minute, subject))
        .toReversed(),
  }
}

/** Returns a message of the ticket at a position. The oldest one has the number 0. */
function messageOf(position: number, number: number, sentAt: number, subject: string) {
  const isIncoming = number % 2 === 0
  const attachment = {
    id: idOf('attachment', position * 10_000 + number),
    kind: 'file',
    fileName: 'invoice.pdf',
    mimeType: 'application/pdf',
    size: 48_120,
  }
  return {
    // These ids are greater than 2^53. A client that reads them as numbers would confuse them.
    id: `9007199254${740_993_000_000 + position * 1_000_000 + number * 3}`,
    sentAt: iso(sentAt),
    fromId: isIncoming ? String(500_000_000 + position) : agent,
    direction: isIncoming ? 'incoming' : 'outgoing',
    text: pick(phrases, number),
    ...(subject !== '' && { subject }),
    ...(number % 7 === 5 && { attachments: [attachment] }),
  }
}

/** The phrases of customer and agent, in turn. */
const phrases = [
  'Hello, my order has not arrived yet.',
  'Could you send me the number of your order, please?',
  'It is 4711.',
  'Thank you! I am looking into it.',
  '🙏 شكرا',
  'It left our warehouse this morning.\nYou can follow it here: https://example.com/track/4711',
  '太好了 👍🏽',
  'You are welcome!',
]

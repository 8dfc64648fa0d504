/** Makes the tickets of the company from recipes. Times are in milliseconds. */
import { day, hour, idOf, iso, minute, mix, pick } from './ids.ts'

export const channels = [
  'email',
  'messengerA',
  'messengerB',
  'messengerC',
  'socialA',
] as const

/** Makes an attachment. `n` is its number in the message, from 0. */
type Attach = (kind: string, fileName: string, n?: number) => Record<string, unknown>

/** The special properties of a ticket. */
interface TicketRecipe {
  status?: 'new' | 'active' | 'closed'
  isAssigned?: boolean
  isCurrent?: boolean
  channel?: (typeof channels)[number]
  /** The number of messages. Without it, the number follows from the position. */
  messages?: number
  /** How long before the start of today the newest message was sent; a minute more for each position. */
  age?: number
  /** The time between two messages. */
  step?: number
  ad?: string
  /** Returns more members for a message. `number` is the number of the message. The oldest one has 0. */
  extras?: (number: number, attach: Attach) => object
}

/** The recipes of the special tickets, by their names in the output of `sandbox start --json`. Their order decides their ids. */
export const ticketRecipes = {
  active: { messages: 45, ad: '120210000000000001' },
  new: { status: 'new', messages: 1 },
  old: { messages: 30, age: 40 * day, step: 3 * hour },
  closed: { status: 'closed', messages: 12 },
  notCurrent: { isCurrent: false, messages: 25 },
  unassigned: { isAssigned: false, messages: 3 },
  // 5,000 messages that are four minutes apart take 14 days.
  long: { messages: 5000, step: 4 * minute },
  email: {
    channel: 'email',
    messages: 24,
    step: 5 * hour,
    extras: (number, attach) => ({
      subject: number % 3 === 0 ? 'Order 4711' : 'Re: Order 4711',
      ...(number % 5 === 0 && { attachments: [attach('file', 'invoice.pdf')] }),
    }),
  },
  // Four of six messages are an album. Only the first of them has a text.
  album: {
    channel: 'messengerB',
    messages: 22,
    extras(number, attach) {
      const position = number % 6
      if (position > 3) return {}
      return {
        ...(position > 0 && { text: '' }),
        mediaGroupId: `13800000${Math.floor(number / 6)}`,
        attachments: [attach('image', `photo-${number}.jpg`)],
      }
    },
  },
  attachments: {
    channel: 'socialA',
    messages: 26,
    extras(number, attach) {
      const kind = pick(['audio', 'video', 'file'], number)
      const both = [
        attach('image', 'Screenshot 2026.png'),
        attach(kind, 'Привет 你好.ogg', 1),
      ]
      const story = { ...attach('image', 'story.jpg', 2), source: 'socialA' }
      return { attachments: number % 2 === 0 ? [...both, story] : both }
    },
  },
  // A chunk has up to 20 messages.
  fourChunks: { messages: 64 },
  twentyMessages: { messages: 20 },
  noMessages: { messages: 0 },
} satisfies Readonly<Record<string, TicketRecipe>>

/** A message as it is in answers. The sandbox reads only its id. */
type SeedMessage = Readonly<Record<string, unknown>> & { id: string }

export type SeedTicket = ReturnType<typeof ticketAt>

/** Returns the ticket at a position. `epoch` is the start of today in milliseconds since 1970. */
export function ticketAt(position: number, recipe: TicketRecipe, epoch: number) {
  const { status = 'active', channel = 'messengerA', isCurrent = true, ad } = recipe
  const { age = hour, step = 13 * minute } = recipe
  const isAssigned = recipe.isAssigned ?? status !== 'new'
  // 41 stands for the number of messages, so that it differs from other numbers.
  const count = recipe.messages ?? 2 + (mix(1, 41, position) % 30)
  const newest = epoch - age - position * minute
  const messageAt = (_: unknown, fromNewest: number) => {
    const sentAt = iso(newest - fromNewest * step)
    return message(position, count - 1 - fromNewest, sentAt, recipe.extras)
  }
  let messages: readonly SeedMessage[] | undefined
  const assigneeId: string | null = isAssigned ? agent : null
  return {
    ticket: {
      id: idOf('ticket', position),
      chatId: idOf('chat', position),
      // Any text: an assigned ticket becomes active.
      status: status as string,
      assigneeId,
      startedAt: iso(newest - Math.max(0, count - 1) * step - minute),
      attribution: ad === undefined ? {} : { ad_id: ad },
    },
    channel: idOf('channel', channels.indexOf(channel)),
    isCurrent,
    /** The messages, with the newest first. They are made at the first use. */
    get messages(): readonly SeedMessage[] {
      return (messages ??= Array.from({ length: count }, messageAt))
    },
  }
}

/** The employee to whom tickets are assigned. */
const agent = idOf('employee', 0)

/** Returns a message of the ticket at a position. `number` is the number of the message. The oldest one has 0. */
function message(
  position: number,
  number: number,
  sentAt: string,
  extras: TicketRecipe['extras'],
) {
  const hash = mix(1, 0, 51, position, number)
  const isAgent = number % 3 === 1
  const attach: Attach = (kind, fileName, n = 0) => ({
    id: idOf('attachment', position * 10_000 + number * 4 + n),
    kind,
    fileName,
    mimeType: mimeTypes[fileName.replace(/.*\./s, '')],
    size: mix(hash, n) % 5_000_000,
  })
  return {
    // These ids are greater than 2^53. A client that reads them as numbers would confuse them.
    id: `9007199254${740_993_000_000 + position * 1_000_000 + number * 3}`,
    sentAt,
    fromId: isAgent ? agent : String(500_000_000 + position),
    direction: isAgent ? 'outgoing' : 'incoming',
    text: pick(phrases, hash),
    ...extras?.(number, attach),
    // The API's description gives `version` no type, and it can be absent.
    ...(number % 7 === 6 && { version: pick<unknown>([2, '3', { edit: 1 }], number) }),
  }
}

const mimeTypes: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  jpg: 'image/jpeg',
  png: 'image/png',
  ogg: 'audio/ogg',
}

const phrases = [
  'Hello, my order has not arrived yet.',
  'Could you send me the number of your order, please?',
  'It is 4711.',
  'Thank you! I am looking into it.',
  '你好，我的订单还没有到。',
  'مرحبا، أين طلبي؟',
  'शुक्रिया 🙏',
  'It left our warehouse this morning.\nYou can follow it here: https://example.com/track/4711',
  '👍🏽',
  'Спасибо!',
] as const

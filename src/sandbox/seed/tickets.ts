/**
 * The sandbox's tickets: those that are told apart by name, and how any of them is made. `sandbox/tickets.ts` asks it for each ticket that
 * nobody has changed.
 */
import { mix, pick, day, hour, iso, minute, type Seeding } from '../ids.ts'
import { hostileFileNames, hostileTexts } from './names.ts'

export const channels = [
  'email',
  'messengerA',
  'messengerB',
  'messengerC',
  'socialA',
] as const
type Channel = (typeof channels)[number]

interface TicketRecipe {
  readonly status?: 'new' | 'active' | 'closed'
  readonly assigned?: boolean
  readonly current?: boolean
  readonly channel?: Channel
  readonly messages?: number
  /** How long before the epoch the newest message was sent, and how far messages are apart. */
  readonly age?: number
  readonly step?: number
  readonly ad?: string
  readonly style?: Style
}

/** The named tickets, by what is special about each; their order is that of their positions. */
export const ticketPlans = {
  active: { messages: 45, ad: '120210000000000001' },
  new: { status: 'new', messages: 1 },
  old: { messages: 30, age: 40 * day, step: 3 * hour },
  closed: { status: 'closed', messages: 12 },
  notCurrent: { current: false, messages: 25 },
  unassigned: { assigned: false, messages: 3 },
  // 5,000 messages, four minutes apart, are 14 days.
  long: { messages: 5000, step: 4 * minute },
  email: { channel: 'email', messages: 24, step: 5 * hour, style: 'email' },
  album: { channel: 'messengerB', messages: 22, style: 'album' },
  attachments: { channel: 'socialA', messages: 26, style: 'attachments' },
  hostile: { messages: 64, style: 'hostile', ad: '\u001b[31m=ad' },
  twentyMessages: { messages: 20 },
  noMessages: { messages: 0 },
} as const satisfies Readonly<Record<string, TicketRecipe>>

export type TicketName = keyof typeof ticketPlans
export const ticketNames = Object.keys(ticketPlans).filter(
  (name): name is TicketName => name in ticketPlans,
)

export type SeedTicket = ReturnType<typeof ticketOf>

/** The ticket of a recipe at a position. The recipe's ages are counted from the epoch. */
export function ticketOf(seeding: Seeding, position: number, recipe: TicketRecipe) {
  const { seed, epoch, ids } = seeding
  const { status = 'active', channel = 'messengerA', current = true, ad } = recipe
  const { assigned = status !== 'new', step = 13 * minute, age = hour, style } = recipe
  const count = recipe.messages ?? 2 + (mix(seed, 41, position) % 30)
  const newest = epoch - age - position * minute
  const agent = ids.employee.at(0)
  const attribution: Record<string, string> = ad === undefined ? {} : { ad_id: ad }
  return {
    id: ids.ticket.at(position),
    chatId: ids.chat.at(position),
    status,
    assigneeId: assigned ? agent : null,
    startedAt: iso(newest - Math.max(0, count - 1) * step - minute),
    attribution,
    channel: ids.channel.at(channels.indexOf(channel)),
    /** Whether it is the current ticket of its chat. */
    current,
    messages: new Messages({
      seeding,
      ticket: position,
      count,
      step,
      newest,
      agent,
      style,
    }),
  }
}

/** The messages of a ticket: each is built when it is asked for. */
interface Attachment {
  id: string
  kind: string
  fileName: string
  mimeType: string
  size: number
  source?: string
}

export interface SeedMessage {
  id: string
  sentAt: string
  fromId: string
  direction: 'incoming' | 'outgoing'
  text: string
  subject?: string
  attachments?: Attachment[]
  mediaGroupId?: string
  version?: unknown
}

type Style = 'email' | 'album' | 'attachments' | 'hostile'

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

/** Beyond 2^53, so that ids which are read as numbers collide. */
const messageIdBase = 9_007_199_254_740_993_000_000n

const mimeTypes: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  jpg: 'image/jpeg',
  png: 'image/png',
  ogg: 'audio/ogg',
}

interface MessagesSeed {
  readonly seeding: Seeding
  /** Position of the ticket. */
  readonly ticket: number
  readonly count: number
  /** Milliseconds between two messages. */
  readonly step: number
  /** When the newest one was sent, in milliseconds since 1970. */
  readonly newest: number
  /** The employee who answers. */
  readonly agent: string
  readonly style: Style | undefined
}

class Messages {
  readonly count: number
  readonly #of: MessagesSeed
  /** The id of the first message as a number; each later one is three more. */
  readonly #base: bigint

  constructor(of: MessagesSeed) {
    this.#of = of
    this.count = of.count
    this.#base = messageIdBase + BigInt(of.seeding.company * 1_000 + of.ticket) * 1_000_000n
  }

  /** The message at a place, 0 is the newest. */
  at(place: number): SeedMessage {
    const { ticket, step, newest, agent, style } = this.#of
    const number = this.count - 1 - place
    const direction = number % 3 === 1 ? 'outgoing' : 'incoming'
    const customer = String(500_000_000 + ticket)
    const isHostile = style === 'hostile'
    const from = isHostile ? `\u001b[7m${customer}` : customer
    const text = isHostile ? pick(hostileTexts, number) : pick(phrases, this.#hash(number))
    return {
      id: String(this.#base + BigInt(number) * 3n),
      sentAt: iso(newest - place * step),
      fromId: direction === 'outgoing' ? agent : from,
      direction,
      text,
      ...this.#extras(number),
      // API: Message, version: supplied by the channel, absent on older messages.
      ...(number % 7 === 6
        ? { version: pick<unknown>([2, '3', { edit: 1 }], number) }
        : {}),
    }
  }

  placeOf(messageId: string): number | undefined {
    if (!/^\d{1,40}$/.test(messageId)) return undefined
    const offset = BigInt(messageId) - this.#base
    const number = Number(offset / 3n)
    if (offset < 0n || offset % 3n !== 0n || number >= this.count) return undefined
    return this.count - 1 - number
  }

  /** Parts of a message that come from its ticket's style. */
  #extras(number: number): Partial<SeedMessage> {
    const { style } = this.#of
    switch (style) {
      case undefined:
        return {}
      case 'email': {
        const subject = number % 3 === 0 ? 'Order 4711' : 'Re: Order 4711'
        if (number % 5 !== 0) return { subject }
        const attachments = [this.#attachment(number, 0, 'file', 'invoice.pdf')]
        return { subject, attachments }
      }
      case 'album': {
        // Four of six messages are an album, whose first one has a text.
        const place = number % 6
        if (place > 3) return {}
        const group = BigInt(Math.floor(number / 6))
        const picture = {
          mediaGroupId: String(13_800_000_000_000_000n + group),
          attachments: [this.#attachment(number, 0, 'image', `photo-${number}.jpg`)],
        }
        return place === 0 ? picture : { ...picture, text: '' }
      }
      case 'attachments': {
        const kind = pick(['audio', 'video', 'file'], number)
        const story = {
          ...this.#attachment(number, 2, 'image', 'story.jpg'),
          source: 'socialA',
        }
        const attachments = [
          this.#attachment(number, 0, 'image', 'Screenshot 2026.png'),
          this.#attachment(number, 1, kind, 'Привет 你好.ogg'),
        ]
        if (number % 2 === 0) attachments.push(story)
        return { attachments }
      }
      case 'hostile': {
        const file = this.#attachment(
          number,
          0,
          '\u001b[5mfile',
          pick(hostileFileNames, number),
        )
        return {
          subject: pick(hostileTexts, number + 3).slice(0, 80),
          attachments: [{ ...file, mimeType: 'text/html\r\nX: y' }],
        }
      }
    }
  }

  #hash(number: number): number {
    const { seeding, ticket } = this.#of
    return mix(seeding.seed, seeding.company, 51, ticket, number)
  }

  #attachment(number: number, n: number, kind: string, fileName: string): Attachment {
    const { seeding, ticket } = this.#of
    const position = ticket * 10_000 + number * 4 + n
    const extension = fileName.slice(fileName.lastIndexOf('.') + 1)
    return {
      id: seeding.ids.attachment.at(position),
      kind,
      fileName,
      mimeType: mimeTypes[extension] ?? 'application/octet-stream',
      size: mix(this.#hash(number), n) % 5_000_000,
    }
  }
}

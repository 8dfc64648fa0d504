/** The sandbox's tickets and their messages: each message is built when it is asked for. */
import { ids, mix, pick, type Kind } from './ids.ts'
import { hostileFileNames, hostileTexts } from './names.ts'

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

export interface SeedMessage {
  id: string
  sentAt: string
  fromId: string
  direction: 'incoming' | 'outgoing'
  text: string
  subject?: string
  attachments?: { id: string; kind: string; fileName: string; mimeType: string; size: number; source?: string }[]
  mediaGroupId?: string
  version?: unknown
}

export interface SeedTicket {
  readonly id: string
  readonly chatId: string
  readonly status: 'new' | 'active' | 'closed'
  readonly assigneeId: string | null
  readonly startedAt: string
  readonly attribution: Record<string, string>
  readonly channel: string
  /** Whether it is the current ticket of its chat. */
  readonly current: boolean
  readonly messageCount: number
  /** The message at a place, 0 is the newest. Built when asked for. */
  readonly message: (place: number) => SeedMessage
  /** The place of a message id, or undefined. */
  readonly place: (messageId: string) => number | undefined
}

export const ticketNames = [
  'active',
  'new',
  'old',
  'closed',
  'notCurrent',
  'unassigned',
  'long',
  'email',
  'album',
  'attachments',
  'hostile',
  'twentyMessages',
  'noMessages',
] as const

export type TicketName = (typeof ticketNames)[number]

export const channels = ['email', 'messengerA', 'messengerB', 'messengerC', 'socialA'] as const
type Channel = (typeof channels)[number]

const iso = (time: number): string => new Date(time).toISOString()

export interface TicketPlan {
  readonly status?: SeedTicket['status']
  readonly assigned?: boolean
  readonly current?: boolean
  readonly channel?: Channel
  readonly messages?: number
  /** How long before the epoch the newest message was sent, and how far messages are apart. */
  readonly age?: number
  readonly step?: number
  readonly ad?: string
  readonly style?: 'email' | 'album' | 'attachments' | 'hostile'
}

export const ticketPlans: Readonly<Record<TicketName, TicketPlan>> = {
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

/** Beyond 2^53, so that ids which are read as numbers collide. */
const messageIdBase = 9_007_199_254_740_993_000_000n

export function ticketOf(
  options: { readonly seed: number; readonly epoch: number },
  company: number,
  position: number,
  plan: TicketPlan,
): SeedTicket {
  const id = (kind: Kind, at: number): string => ids(options.seed, company, kind).at(at)
  const messageCount = plan.messages ?? 2 + (mix(options.seed, 41, position) % 30)
  const step = plan.step ?? 13 * minute
  const newest = options.epoch - (plan.age ?? hour) - position * minute
  const base = messageIdBase + BigInt(company * 1_000 + position) * 1_000_000n
  const channel = plan.channel ?? 'messengerA'
  const customer = String(500_000_000 + position)
  const agent = id('employee', 0)

  function message(place: number): SeedMessage {
    const number = messageCount - 1 - place
    const hash = mix(options.seed, company, 51, position, number)
    const direction = number % 3 === 1 ? 'outgoing' : 'incoming'
    const hostile = plan.style === 'hostile'
    const result: SeedMessage = {
      id: String(base + BigInt(number) * 3n),
      sentAt: iso(newest - place * step),
      fromId: direction === 'outgoing' ? agent : hostile ? `\u001b[7m${customer}` : customer,
      direction,
      text: hostile ? pick(hostileTexts, number) : pick(phrases, hash),
    }
    const attachment = (n: number, kind: string, fileName: string, mimeType: string, source?: string) => ({
      id: id('attachment', position * 10_000 + number * 4 + n),
      kind,
      fileName,
      mimeType,
      size: mix(hash, n) % 5_000_000,
      ...(source === undefined ? {} : { source }),
    })
    if (plan.style === 'email') {
      result.subject = number % 3 === 0 ? 'Order 4711' : 'Re: Order 4711'
      if (number % 5 === 0) result.attachments = [attachment(0, 'file', 'invoice.pdf', 'application/pdf')]
    }
    if (plan.style === 'album' && number % 6 < 4) {
      result.mediaGroupId = String(13_800_000_000_000_000n + BigInt(Math.floor(number / 6)))
      result.attachments = [attachment(0, 'image', `photo-${number}.jpg`, 'image/jpeg')]
      if (number % 6 > 0) result.text = ''
    }
    if (plan.style === 'attachments') {
      result.attachments = [
        attachment(0, 'image', 'Screenshot 2026.png', 'image/png'),
        attachment(1, pick(['audio', 'video', 'file'], number), 'Привет 你好.ogg', 'audio/ogg'),
        ...(number % 2 === 0 ? [attachment(2, 'image', 'story.jpg', 'image/jpeg', 'socialA')] : []),
      ]
    }
    if (hostile) {
      result.subject = pick(hostileTexts, number + 3).slice(0, 80)
      result.attachments = [attachment(0, '\u001b[5mfile', pick(hostileFileNames, number), 'text/html\r\nX: y')]
    }
    // API: Message, version: supplied by the channel, absent on older messages.
    if (number % 7 === 6) result.version = pick<unknown>([2, '3', { edit: 1 }], number)
    return result
  }

  return {
    id: id('ticket', position),
    chatId: id('chat', position),
    status: plan.status ?? 'active',
    assigneeId: plan.assigned === false || plan.status === 'new' ? null : agent,
    startedAt: iso(newest - Math.max(0, messageCount - 1) * step - minute),
    attribution: plan.ad === undefined ? {} : { ad_id: plan.ad },
    channel: ids(options.seed, company, 'channel').at(channels.indexOf(channel)),
    current: plan.current ?? true,
    messageCount,
    message,
    place: (messageId) => {
      if (!/^\d{1,40}$/.test(messageId)) return undefined
      const offset = BigInt(messageId) - base
      const number = Number(offset / 3n)
      if (offset < 0n || offset % 3n !== 0n || number >= messageCount) return undefined
      return messageCount - 1 - number
    },
  }
}

/** The messages of a ticket: each is built when it is asked for. */
import { ids, mix, pick } from '../ids.ts'
import { hostileFileNames, hostileTexts } from './names.ts'

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

export type Style = 'email' | 'album' | 'attachments' | 'hostile'

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
  readonly seed: number
  readonly company: number
  /** Position of the ticket. */
  readonly ticket: number
  readonly count: number
  /** Milliseconds between two messages. */
  readonly step: number
  /** When the newest one was sent, in milliseconds since 1970. */
  readonly newest: number
  /** Who answers. */
  readonly agent: string
  readonly style: Style | undefined
}

export class Messages {
  readonly count: number
  readonly #of: MessagesSeed
  /** The id of the first message as a number; each later one is three more. */
  readonly #base: bigint

  constructor(of: MessagesSeed) {
    this.#of = of
    this.count = of.count
    this.#base = messageIdBase + BigInt(of.company * 1_000 + of.ticket) * 1_000_000n
  }

  /** The message at a place, 0 is the newest. */
  at(place: number): SeedMessage {
    const { seed, company, ticket, step, newest, agent, style } = this.#of
    const number = this.count - 1 - place
    const direction = number % 3 === 1 ? 'outgoing' : 'incoming'
    const customer = String(500_000_000 + ticket)
    const isHostile = style === 'hostile'
    const text = isHostile
      ? pick(hostileTexts, number)
      : pick(phrases, mix(seed, company, 51, ticket, number))
    return {
      id: String(this.#base + BigInt(number) * 3n),
      sentAt: new Date(newest - place * step).toISOString(),
      fromId: direction === 'outgoing' ? agent : isHostile ? `\u001b[7m${customer}` : customer,
      direction,
      text,
      ...this.#extras(number),
      // API: Message, version: supplied by the channel, absent on older messages.
      ...(number % 7 === 6 ? { version: pick<unknown>([2, '3', { edit: 1 }], number) } : {}),
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
      case 'email':
        return {
          subject: number % 3 === 0 ? 'Order 4711' : 'Re: Order 4711',
          ...(number % 5 === 0
            ? { attachments: [this.#attachment(number, 0, 'file', 'invoice.pdf')] }
            : {}),
        }
      case 'album':
        if (number % 6 > 3) return {}
        return {
          mediaGroupId: String(13_800_000_000_000_000n + BigInt(Math.floor(number / 6))),
          attachments: [this.#attachment(number, 0, 'image', `photo-${number}.jpg`)],
          ...(number % 6 > 0 ? { text: '' } : {}),
        }
      case 'attachments': {
        const kind = pick(['audio', 'video', 'file'], number)
        const story = { ...this.#attachment(number, 2, 'image', 'story.jpg'), source: 'socialA' }
        return {
          attachments: [
            this.#attachment(number, 0, 'image', 'Screenshot 2026.png'),
            this.#attachment(number, 1, kind, 'Привет 你好.ogg'),
            ...(number % 2 === 0 ? [story] : []),
          ],
        }
      }
      case 'hostile': {
        const file = this.#attachment(number, 0, '\u001b[5mfile', pick(hostileFileNames, number))
        return {
          subject: pick(hostileTexts, number + 3).slice(0, 80),
          attachments: [{ ...file, mimeType: 'text/html\r\nX: y' }],
        }
      }
    }
  }

  #attachment(number: number, n: number, kind: string, fileName: string): Attachment {
    const { seed, company, ticket } = this.#of
    return {
      id: ids(seed, company, 'attachment').at(ticket * 10_000 + number * 4 + n),
      kind,
      fileName,
      mimeType:
        mimeTypes[fileName.slice(fileName.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
      size: mix(mix(seed, company, 51, ticket, number), n) % 5_000_000,
    }
  }
}

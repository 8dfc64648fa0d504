/**
 * The tickets of a company: how they are made, their history in chunks, and their assignees. Only the assignee
 * of a ticket changes. The rules of the service are quoted where they are checked, in the order of the checks.
 */
import { limits } from '../api/operations.ts'
import { refusals } from './exchange.ts'
import { day, hour, iso, minute, mix, pick, type Seeding } from './ids.ts'
import type { SandboxCall } from './input.ts'

export const channels = [
  'email',
  'messengerA',
  'messengerB',
  'messengerC',
  'socialA',
] as const

/** A message as the service answers with it. Only its id is used here. */
type SeedMessage = Readonly<Record<string, unknown>> & { id: string }

/** Makes an attachment. `n`: which of the attachments of its message it is, from 0. */
type Attach = (kind: string, fileName: string, n?: number) => Record<string, unknown>

interface TicketRecipe {
  status?: 'new' | 'active' | 'closed'
  assigned?: boolean
  current?: boolean
  channel?: (typeof channels)[number]
  /** The number of messages; without it, a random one. */
  messages?: number
  /** Milliseconds from the newest message to the epoch. */
  age?: number
  /** Milliseconds between two messages. */
  step?: number
  ad?: string
  /** More members of a message. `number`: its position from the oldest. */
  extras?: (number: number, attach: Attach) => object
}

/** The recipes of the named tickets, each named for what is special about it. Their order is that of their positions. */
export const ticketRecipes = {
  active: { messages: 45, ad: '120210000000000001' },
  new: { status: 'new', messages: 1 },
  old: { messages: 30, age: 40 * day, step: 3 * hour },
  closed: { status: 'closed', messages: 12 },
  notCurrent: { current: false, messages: 25 },
  unassigned: { assigned: false, messages: 3 },
  // 5,000 messages, four minutes apart, are 14 days.
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
  fourChunks: { messages: 64 },
  twentyMessages: { messages: 20 },
  noMessages: { messages: 0 },
} satisfies Readonly<Record<string, TicketRecipe>>

export type TicketName = keyof typeof ticketRecipes
export const ticketNames = Object.keys(ticketRecipes).filter(
  (name): name is TicketName => name in ticketRecipes,
)

export interface SeedTicket {
  id: string
  chatId: string
  status: string
  assigneeId: string | null
  startedAt: string
  attribution: Record<string, string>
  channel: string
  /** Whether it is the current ticket of its chat. */
  current: boolean
  /** Returns the messages, the newest first. They are made on the first call. */
  readMessages: () => readonly SeedMessage[]
}

/** The ticket of a recipe at a position. The recipe's ages are counted from the epoch. */
export function ticketOf(
  seeding: Seeding,
  position: number,
  recipe: TicketRecipe,
): SeedTicket {
  const { seed, epoch, ids } = seeding
  const {
    status = 'active',
    assigned = status !== 'new',
    current = true,
    channel = 'messengerA',
    age = hour,
    step = 13 * minute,
    ad,
    extras,
  } = recipe
  const count = recipe.messages ?? 2 + (mix(seed, 41, position) % 30)
  const newest = epoch - age - position * minute
  const agent = ids.employee(0)
  const customer = String(500_000_000 + position)
  const firstId = messageIdBase + BigInt(position) * 1_000_000n
  const messageAt = (fromNewest: number) => {
    const fromOldest = count - 1 - fromNewest
    const hash = mix(seed, 0, 51, position, fromOldest)
    const isAgent = fromOldest % 3 === 1
    const attach: Attach = (kind, fileName, n = 0) => ({
      id: ids.attachment(position * 10_000 + fromOldest * 4 + n),
      kind,
      fileName,
      mimeType: mimeTypes[fileName.replace(/.*\./s, '')] ?? 'application/octet-stream',
      size: mix(hash, n) % 5_000_000,
    })
    return {
      id: String(firstId + BigInt(fromOldest) * 3n),
      sentAt: iso(newest - fromNewest * step),
      fromId: isAgent ? agent : customer,
      direction: isAgent ? 'outgoing' : 'incoming',
      text: pick(phrases, hash),
      ...extras?.(fromOldest, attach),
      // API: Message, version: supplied by the channel, absent on older messages.
      ...(fromOldest % 7 === 6 && {
        version: pick<unknown>([2, '3', { edit: 1 }], fromOldest),
      }),
    }
  }
  let messages: readonly SeedMessage[] | undefined
  return {
    id: ids.ticket(position),
    chatId: ids.chat(position),
    status,
    assigneeId: assigned ? agent : null,
    startedAt: iso(newest - Math.max(0, count - 1) * step - minute),
    attribution: ad === undefined ? {} : { ad_id: ad },
    channel: ids.channel(channels.indexOf(channel)),
    current,
    readMessages: () =>
      (messages ??= Array.from({ length: count }, (_, fromNewest) =>
        messageAt(fromNewest),
      )),
  }
}

/** API: operation 8. `cursor`: `chunkLastMessageId` of the request. */
export function historyOf(
  found: SeedTicket,
  cursor: string | undefined,
  { limitedHistory, now }: SandboxCall,
) {
  const { readMessages, channel: _, current: __, ...ticket } = found
  // API: operation 8, rule 4.
  if (ticket.status === 'new') {
    throw refusals.validation('the history is unavailable while the ticket is new')
  }
  // API: operation 8, rule 6.
  const age = now - Date.parse(ticket.startedAt)
  if (limitedHistory && age > limits.historyDays * day) throw refusals.history()
  const all = readMessages()
  const start = cursor === undefined ? 0 : all.findIndex((message) => message.id === cursor)
  if (start < 0) {
    throw refusals.validation('chunkLastMessageId is not a message of this ticket')
  }
  const end = start + limits.messagesPerChunk
  const messages = all.slice(start, end)
  return { ticket, messages, nextChunkStartMessageId: all[end]?.id }
}

/** API: operation 9 and "States and transitions", rule 2. Each refusal names the rule that is broken. */
export function assign(
  ticket: SeedTicket,
  employees: readonly { id: string; status: string; channels: readonly string[] }[],
  newAssigneeId: string,
) {
  const { assigneeId: from, chatId } = ticket
  const wanted = newAssigneeId.toLowerCase()
  const employee = employees.find((one) => one.id === wanted)
  if (ticket.status !== 'active') throw refusals.validation('the ticket is not active')
  if (!ticket.current) {
    throw refusals.validation('the ticket is not the current ticket of its chat')
  }
  if (from === null) throw refusals.validation('the ticket has no assignee')
  if (employee === undefined) {
    throw refusals.validation('the new assignee is not an employee of the company')
  }
  if (employee.status !== 'active')
    throw refusals.validation('the new assignee is not active')
  if (employee.id === from)
    throw refusals.validation('the new assignee is the current assignee')
  if (!employee.channels.includes(ticket.channel)) {
    throw refusals.validation("the new assignee has no access to the ticket's channel")
  }
  const to = employee.id
  ticket.assigneeId = to
  return { ticketId: ticket.id, chatId, previousAssigneeId: from, newAssigneeId: to }
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

/** Beyond 2^53, so that ids collide if they are read as numbers. */
const messageIdBase = 9_007_199_254_740_993_000_000n

const mimeTypes: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  jpg: 'image/jpeg',
  png: 'image/png',
  ogg: 'audio/ogg',
}

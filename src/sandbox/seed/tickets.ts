/** The sandbox's tickets: those that are told apart by name, and how any of them is made. */
import { ids, mix } from '../ids.ts'
import { Messages, type Style } from './messages.ts'
import { day, hour, iso, minute } from './time.ts'

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
  readonly messages: Messages
}

export const channels = ['email', 'messengerA', 'messengerB', 'messengerC', 'socialA'] as const
type Channel = (typeof channels)[number]

export interface TicketRecipe {
  readonly status?: SeedTicket['status']
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

/** The ticket of a recipe at a position. `epoch` is the time, in milliseconds since 1970, that the recipe's ages are counted from. */
export function ticketOf(
  { seed, epoch }: { readonly seed: number; readonly epoch: number },
  company: number,
  position: number,
  recipe: TicketRecipe,
): SeedTicket {
  const agent = ids(seed, company, 'employee').at(0)
  const count = recipe.messages ?? 2 + (mix(seed, 41, position) % 30)
  const step = recipe.step ?? 13 * minute
  const newest = epoch - (recipe.age ?? hour) - position * minute
  return {
    id: ids(seed, company, 'ticket').at(position),
    chatId: ids(seed, company, 'chat').at(position),
    status: recipe.status ?? 'active',
    assigneeId: recipe.assigned === false || recipe.status === 'new' ? null : agent,
    startedAt: iso(newest - Math.max(0, count - 1) * step - minute),
    attribution: recipe.ad === undefined ? {} : { ad_id: recipe.ad },
    channel: ids(seed, company, 'channel').at(channels.indexOf(recipe.channel ?? 'messengerA')),
    current: recipe.current ?? true,
    messages: new Messages({
      seed,
      company,
      ticket: position,
      count,
      step,
      newest,
      agent,
      style: recipe.style,
    }),
  }
}

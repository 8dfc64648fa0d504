/**
 * The sandbox's data. Everything is computed from a seed and a position, so that ids are the same on every start and
 * 100,000 contacts cost no memory: a contact is built when it is asked for.
 *
 * Times are relative to the start of the UTC day on which the data was first made: ids never change, and the ticket
 * that must be older than 30 days always is, while the others are younger.
 */
import { identityKeys, type IdentityKey } from '../api/contract.ts'
import { hostileFileNames, hostileNames, hostileTexts, pools } from './names.ts'

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

/** What the service knows of a company's plan. `none`: no API; `limited-history`: tickets up to 30 days. */
export type Plan = 'full' | 'limited-history' | 'none'

export interface Key {
  readonly name: string
  readonly apiKey: string
  readonly apiSecret: string
  readonly scope: 'read' | 'read-write'
  readonly plan: Plan
}

/** A key and the company whose data it opens (0 or 1). */
export interface CompanyKey extends Key {
  readonly company: number
}

/** The five keys. The secrets are public on purpose: they open nothing but a sandbox. */
export const companyKeys: readonly CompanyKey[] = [
  key('read-write', 'rw', 'read-write', 'full', 0),
  key('read', 'read', 'read', 'full', 0),
  key('no-plan', 'noplan', 'read-write', 'none', 0),
  key('limited-history', 'limited', 'read-write', 'limited-history', 0),
  key('second-company', 'second', 'read-write', 'full', 1),
]

function key(name: string, short: string, scope: Key['scope'], plan: Plan, company: number): CompanyKey {
  return {
    name,
    apiKey: `pk_sandbox_${short}`,
    apiSecret: `sk_sandbox_${short}_opens_nothing_but_the_sandbox`,
    scope,
    plan,
    company,
  }
}

/** A well mixed 32-bit number from some numbers: the same ones give the same. */
export function mix(...values: readonly number[]): number {
  let hash = 0x9e3779b9
  for (const value of values) {
    hash ^= value
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
    hash ^= hash >>> 16
  }
  return hash >>> 0
}

function pick<T>(from: readonly T[], number: number): T {
  const item = from[number % from.length]
  if (item === undefined) throw new Error('nothing to pick from')
  return item
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')

/** Ids of one kind of one company: 24 hexadecimal digits from a position, and back. */
export interface Ids {
  readonly at: (position: number) => string
  /** The position of an id in any letter case, or undefined when it is no id of this kind. */
  readonly position: (id: string) => number | undefined
}

const kinds = ['contact', 'list', 'membership', 'employee', 'ticket', 'chat', 'channel', 'attachment'] as const
export type Kind = (typeof kinds)[number]

export function ids(seed: number, company: number, kind: Kind): Ids {
  const number = kinds.indexOf(kind)
  const middle = hex(mix(seed, company, number), 8) + hex(mix(seed, company, number, 1) & 0xff, 2)
  const at = (position: number): string => hex(0x64000000 + position * 37 + number, 8) + middle + hex(position, 6)
  return {
    at,
    position: (id) => {
      const position = Number.parseInt(id.slice(18), 16)
      return at(position) === id.toLowerCase() ? position : undefined
    },
  }
}

export type Identities = Record<IdentityKey, string[]>

export interface SeedContact {
  firstName: string
  lastName: string
  identities: Identities
  createdAt: string
  updatedAt: string
  /** API: Delete contacts in bulk, a contact associated with chats is not deleted. */
  chat: boolean
}

export interface SeedList {
  readonly name: string
  readonly description: string | undefined
  /** Positions of contacts, the one that joined first comes first. */
  readonly members: readonly number[]
  readonly createdAt: string
}

export interface SeedEmployee {
  readonly id: string
  readonly firstName: string
  readonly lastName: string
  readonly channels: readonly string[]
  readonly kind: 'human' | 'ai'
  readonly position: string
  readonly access: string
  readonly status: 'active' | 'inactive'
  readonly createdAt: string
}

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

export interface CompanySeed {
  readonly ids: Readonly<Record<'contact' | 'list' | 'membership', Ids>>
  readonly contactCount: number
  readonly contact: (position: number) => SeedContact
  readonly lists: readonly SeedList[]
  readonly employees: readonly SeedEmployee[]
  readonly tickets: readonly SeedTicket[]
}

const ticketNames = [
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

/** Ids to try things with. With `empty` data the single ids are well formed but unknown, and the arrays are empty. */
export interface Examples {
  readonly list: string
  readonly emptyList: string
  readonly contactsWithoutChats: readonly string[]
  readonly contactsWithChats: readonly string[]
  readonly contactsHostile: readonly string[]
  readonly employee: string
  readonly aiEmployee: string
  readonly employeeInactive: string
  readonly employeeWithoutChannel: string
  /** Active, current, assigned tickets beyond the named ones, for bulk changes. */
  readonly assignableTickets: readonly string[]
  readonly tickets: Readonly<Record<(typeof ticketNames)[number], string>>
}

export interface SeedOptions {
  readonly seed: number
  readonly contacts: number
  readonly empty: boolean
  /** Start of the day that times are relative to, in milliseconds since 1970. */
  readonly epoch: number
}

const iso = (time: number): string => new Date(time).toISOString()

export function noIdentities(): Identities {
  return {
    phone: [],
    email: [],
    messengerA_phone: [],
    messengerA_user_id: [],
    messengerA_parent_user_id: [],
    messengerB_user_id: [],
    messengerB_username: [],
    messengerB_phone: [],
    messengerC_user_id: [],
    messengerC_username: [],
    messengerC_phone: [],
    socialA_user_id: [],
    socialB_user_id: [],
    socialC_user_id: [],
    socialC_username: [],
  }
}

function identity(kind: IdentityKey, position: number, hash: number): string {
  if (kind.endsWith('phone')) return `+1555${String(1_000_000 + (position % 9_000_000)).padStart(7, '0')}`
  if (kind === 'email') return `contact${position}@example.com`
  if (kind.endsWith('username')) return `@user_${position}`
  return String(100_000_000 + (hash % 900_000_000))
}

export function seedContact({ seed, epoch }: SeedOptions, company: number, position: number): SeedContact {
  const hash = mix(seed, company, 11, position)
  const pool = pick(pools, hash)
  const hostile = company === 0 ? hostileNames[position] : undefined
  const identities = noIdentities()
  // Every key occurs: one by position, and a phone or an email for most.
  const own = pick(identityKeys, position)
  identities[own].push(identity(own, position, hash))
  if (hash % 4 !== 0 && own !== 'phone') identities.phone.push(identity('phone', position, hash))
  if (hash % 3 !== 0 && own !== 'email') identities.email.push(identity('email', position, hash))
  if (hash % 17 === 0) identities.phone.push(`+44 20 7946 0${String(hash % 1000).padStart(3, '0')}`)
  if (hostile !== undefined) {
    identities.email.push(`"${hostile[0].slice(0, 40)}"@evil.example`)
    identities.messengerB_username.push(hostile[1])
    identities.phone.push('=1+1')
  }
  const createdAt = epoch - day - (hash % 500) * day - (mix(hash) % day)
  return {
    firstName: hostile?.[0] ?? pick(pool.first, hash >>> 8),
    lastName: hostile?.[1] ?? pick(pool.last, hash >>> 16),
    identities,
    createdAt: iso(createdAt),
    updatedAt: iso(createdAt + (mix(hash, 1) % day)),
    chat: position % 3 === 1,
  }
}

/** Positions of the first company's lists that are told apart by name; the others are campaigns. */
const vip = 160
const emptyList = 200

const specialLists: Readonly<Record<number, { name: string; description?: string }>> = {
  7: { name: 'Newsletter', description: 'The older of two lists with the same name' },
  20: { name: 'Hostile names', description: 'Contacts whose names attack whoever shows them' },
  40: { name: '-VIP', description: 'Begins like an option' },
  41: { name: 'vip', description: 'Another letter case is another name' },
  42: { name: 'Café', description: 'Composed' },
  43: { name: 'Cafe\u0301', description: 'Decomposed: looks like the other one' },
  44: { name: '640000000000000000000abc', description: 'A name that looks like an id' },
  45: { name: '=1+1', description: "=cmd|' /C calc'!A0" },
  46: { name: '\u001b]0;owned\u0007Red \u001b[31mlist', description: 'two\nlines\u202e and more' },
  47: { name: '👩‍👩‍👧‍👦'.repeat(14), description: 'd'.repeat(1000) },
  48: { name: '顧客リスト', description: '' },
  49: { name: 'العملاء المميزون' },
  [vip]: { name: 'VIP', description: 'Customers who are called back within the hour' },
  [emptyList]: { name: 'Nobody yet', description: 'Has no members' },
  250: { name: '"double" \'single\' $(touch pwned): colon', description: '`touch pwned`; rm -rf ~' },
  299: { name: 'Newsletter', description: 'The newer of two lists with the same name' },
}

function listsOf(options: SeedOptions): SeedList[] {
  const lists: SeedList[] = []
  for (let position = 0; position < 300; position += 1) {
    const special = specialLists[position]
    const hash = mix(options.seed, 21, position)
    lists.push({
      name: special?.name ?? `Campaign ${String(position).padStart(3, '0')}`,
      description: special === undefined && hash % 3 === 0 ? `Autumn mailing, part ${position}` : special?.description,
      members: membersOf(options, position, hash),
      createdAt: iso(options.epoch - (300 - position) * 7 * hour - (hash % hour)),
    })
  }
  return lists
}

function membersOf({ contacts }: SeedOptions, list: number, hash: number): number[] {
  if (list === emptyList || contacts === 0) return []
  const [start, count] =
    list === vip ? [600, 280] : list === 20 ? [0, hostileNames.length] : [100 + (hash % 4000), 3 + (hash % 30)]
  return Array.from({ length: Math.min(count, contacts) }, (_, n) => (start + n) % contacts)
}

const channels = ['email', 'messengerA', 'messengerB', 'messengerC', 'socialA'] as const
type Channel = (typeof channels)[number]

function employeesOf(options: SeedOptions, company: number, count: number): SeedEmployee[] {
  const employeeIds = ids(options.seed, company, 'employee')
  const channelIds = ids(options.seed, company, 'channel')
  const all = channels.map((_, n) => channelIds.at(n))
  return Array.from({ length: count }, (_, position) => {
    const hash = mix(options.seed, company, 31, position)
    const pool = pick(pools.slice(0, 11), hash)
    // The first ones have a known part; 6 and 7 share one "First Last".
    const names: Readonly<Record<number, readonly [string, string]>> = {
      0: ['Alice', 'Adams'],
      1: ['Robin', 'Berg'],
      2: ['Helper', 'Bot'],
      3: ['Ingrid', 'Inactive'],
      4: ['Nils', 'Nochannel'],
      5: ['Mallory\u001b[31m', 'Override\u202e'],
      6: ['Sam', 'Twin'],
      7: ['Sam', 'Twin'],
    }
    const [firstName, lastName] = names[position] ?? [pick(pool.first, hash >>> 8), pick(pool.last, hash >>> 16)]
    const ai = position === 2 || (position > 7 && hash % 6 === 0)
    const inactive = position === 3 || (position > 7 && hash % 7 === 0)
    return {
      id: employeeIds.at(position),
      firstName,
      lastName,
      channels: position === 4 ? [] : position > 7 && hash % 5 === 0 ? all.slice(1, 3) : all,
      kind: ai ? 'ai' : 'human',
      position: ai ? 'Assistant' : pick(['Support agent', 'Team lead', 'Sales', ''], hash),
      access: position === 0 ? 'admin' : pick(['agent', 'agent', 'viewer'], hash >>> 4),
      status: inactive ? 'inactive' : 'active',
      createdAt: iso(options.epoch - 400 * day - (hash % day)),
    }
  })
}

interface TicketPlan {
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

const ticketPlans: Readonly<Record<(typeof ticketNames)[number], TicketPlan>> = {
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

function ticketOf(options: SeedOptions, company: number, position: number, plan: TicketPlan): SeedTicket {
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

const assignable = 100

export function seedCompany(options: SeedOptions, company: number): CompanySeed {
  const shared = {
    ids: {
      contact: ids(options.seed, company, 'contact'),
      list: ids(options.seed, company, 'list'),
      membership: ids(options.seed, company, 'membership'),
    },
    contact: (position: number) => seedContact(options, company, position),
  }
  if (options.empty) return { ...shared, contactCount: 0, lists: [], employees: [], tickets: [] }
  if (company === 0) {
    return {
      ...shared,
      contactCount: options.contacts,
      lists: listsOf(options),
      employees: employeesOf(options, 0, 60),
      tickets: [
        ...ticketNames.map((name, position) => ticketOf(options, 0, position, ticketPlans[name])),
        ...Array.from({ length: assignable }, (_, n) => ticketOf(options, 0, ticketNames.length + n, {})),
      ],
    }
  }
  return {
    ...shared,
    contactCount: 30,
    lists: ['VIP', 'Second company', 'Empty'].map((name, position) => ({
      name,
      description: undefined,
      members: position === 2 ? [] : [0, 1, 2, 3, 4, 5],
      createdAt: iso(options.epoch - (3 - position) * day),
    })),
    employees: employeesOf(options, company, 5),
    tickets: [ticketOf(options, company, 0, ticketPlans.active)],
  }
}

export function examplesOf(options: SeedOptions): Examples {
  const id = (kind: Kind, position: number): string => ids(options.seed, 0, kind).at(position)
  const contacts = options.empty ? 0 : options.contacts
  const some = (count: number, start: number, wanted: (position: number) => boolean): string[] => {
    const found: string[] = []
    for (let position = start; position < contacts && found.length < count; position += 1) {
      if (wanted(position)) found.push(id('contact', position))
    }
    return found
  }
  const ticket = (name: (typeof ticketNames)[number]): string => id('ticket', ticketNames.indexOf(name))
  return {
    list: id('list', vip),
    emptyList: id('list', emptyList),
    contactsWithoutChats: some(300, hostileNames.length, (position) => position % 3 !== 1),
    contactsWithChats: some(20, hostileNames.length, (position) => position % 3 === 1),
    contactsHostile: some(hostileNames.length, 0, (position) => position < hostileNames.length),
    employee: id('employee', 1),
    aiEmployee: id('employee', 2),
    employeeInactive: id('employee', 3),
    employeeWithoutChannel: id('employee', 4),
    assignableTickets: options.empty
      ? []
      : Array.from({ length: assignable }, (_, n) => id('ticket', ticketNames.length + n)),
    tickets: {
      active: ticket('active'),
      new: ticket('new'),
      old: ticket('old'),
      closed: ticket('closed'),
      notCurrent: ticket('notCurrent'),
      unassigned: ticket('unassigned'),
      long: ticket('long'),
      email: ticket('email'),
      album: ticket('album'),
      attachments: ticket('attachments'),
      hostile: ticket('hostile'),
      twentyMessages: ticket('twentyMessages'),
      noMessages: ticket('noMessages'),
    },
  }
}

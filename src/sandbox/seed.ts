/**
 * The company on its first day: contacts, lists, employees, and tickets with their messages. Documents name them by their ids, which follow from their positions,
 * the same on every start, so positions must not change. Times are in milliseconds; `epoch` is the start of today since 1970.
 */
import { identityKeys, type IdentityKey } from '../api/operations.ts'

/** Ten digits for each kind of thing. The order gives each kind a number. */
const kinds = {
  contact: 'd5aad2927b',
  list: '81a0fa394c',
  membership: 'fb829da811',
  employee: '76ded2c460',
  ticket: 'caa033e218',
  chat: '97e4820e34',
  channel: 'a60186e414',
  attachment: '69c295364a',
} as const

const hex = (value: number, length: number) => value.toString(16).padStart(length, '0')

/** Returns an id: 8 hexadecimal digits that grow with the position, 10 digits of the kind, and 6 digits of the position. */
export function idOf(kind: keyof typeof kinds, position: number) {
  const start = 0x64000000 + position * 37 + Object.keys(kinds).indexOf(kind)
  return `${hex(start, 8)}${kinds[kind]}${hex(position, 6)}`
}

/** Picks an item by a number, which may be larger than the length. */
export function pick<T>(from: readonly T[], number: number): T {
  const item = from[number % from.length]
  if (item === undefined) throw new Error('nothing to pick from')
  return item
}

/** Positions that follow one another. */
export function range(start: number, length: number) {
  return Array.from({ length }, (_, n) => start + n)
}

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

export const iso = (time: number) => new Date(time).toISOString()

/** People for examples: some are the same person twice, with numbers and addresses in different forms. */
const people = [
  person(4976, 'Maria', 'Schmidt', { phone: '+49 171 2345678' }),
  person(4977, 'Maria', 'Schmitt', {
    phone: '0171 2345678',
    email: 'maria.schmidt@example.org',
  }),
  person(4978, 'maria', 'schmidt', {
    email: 'Maria.Schmidt@Example.ORG',
    messengerA_phone: '+491712345678',
  }),
  person(4986, 'João', 'Souza', { phone: '+55 11 91234-5678' }),
  person(4988, 'Sofía', 'Núñez', { phone: '+54 9 11 2345-6789' }),
  person(4998, 'Noor', 'Haddad', { email: 'noor.haddad@example.org' }),
  // On no list.
  person(4999, 'Robin', 'Unlisted', { email: 'robin.unlisted@example.org' }),
]

function person(
  position: number,
  firstName: string,
  lastName: string,
  values: Partial<Record<IdentityKey, string>>,
) {
  return { position, firstName, lastName, values }
}

const firstNames = ['Anna', 'Ben', 'Zoë', '建国', 'محمد', 'Ольга', 'प्रिया']
const lastNames = ['Miller', 'Nordström', '王', 'خان', 'Петрова']

/** Returns an ordinary contact. Its number and its address are unique to the position. */
function ordinaryPerson(position: number) {
  return person(position, pick(firstNames, position), pick(lastNames, position), {
    messengerB_username: `@user_${position}`,
    ...(position % 4 > 0 && { phone: `+1555${1_000_000 + position}` }),
    ...(position % 3 > 0 && { email: `contact${position}@example.com` }),
  })
}

/** Returns the contacts. */
export function seedContacts(epoch: number) {
  const all = [...range(0, 1000).map(ordinaryPerson), ...people]
  return all.map(({ position, firstName, lastName, values }) => {
    const createdAt = iso(epoch - (5000 - position) * 3 * hour)
    const identities: Record<string, string[]> = {}
    for (const key of identityKeys) {
      const value = values[key]
      identities[key] = value === undefined ? [] : [value]
    }
    return {
      id: idOf('contact', position),
      firstName,
      lastName,
      identities,
      createdAt,
      updatedAt: createdAt,
    }
  })
}

/** Makes a list. `members` are positions of contacts, in the order in which they joined. */
function list(position: number, name: string, description: string, members: number[]) {
  return { position, name, description, members }
}

/** A campaign has from 3 to 29 members. */
const campaigns = range(280, 19).map((n) =>
  list(n, `Campaign ${n}`, `Autumn mailing, part ${n}`, range(n, 3 + (n % 27))),
)

const listed = people.slice(0, -1).map(({ position }) => position)

/** One id of each kind, to try things with. The contact can be deleted, and the ticket assigned to the employee. */
export const exampleIds = {
  list: idOf('list', 160),
  contact: idOf('contact', 38),
  employee: idOf('employee', 1),
  ticket: idOf('ticket', 8),
}

const lists = [
  list(7, 'Newsletter', 'The older of two lists with the same name', range(60, 22)),
  list(20, 'Early customers', 'The first contacts', range(0, 38)),
  list(60, 'Trade fair', 'Has people who are there twice', [...range(100, 30), ...listed]),
  list(160, 'VIP', 'Customers who are called back within the hour', range(600, 280)),
  list(200, 'Nobody yet', 'Has no members', []),
  ...campaigns,
  list(299, 'Newsletter', 'The newer of two lists with the same name', range(80, 27)),
]

/** The position of the first list that is created. */
export const newList = 300

/** Returns the lists, with the oldest first. */
export function seedLists(epoch: number) {
  return lists.map(({ position, members, ...list }) => ({
    ...list,
    id: idOf('list', position),
    createdAt: epoch - (newList - position) * 7 * hour,
    members: members.map((member) => idOf('contact', member)),
  }))
}

/** Channels of tickets. */
export const channels = ['email', 'messengerA', 'messengerB', 'messengerC', 'socialA']

/** Returns the employees. Two have the same name. */
export function seedEmployees(epoch: number) {
  return [
    { firstName: 'Alice', lastName: 'Adams', position: 'Team lead', access: 'admin' },
    { firstName: 'Robin', lastName: 'Berg' },
    { firstName: 'Helper', lastName: 'Bot', kind: 'ai', position: 'Assistant' },
    { firstName: 'Ingrid', lastName: 'Inactive', status: 'inactive' },
    { firstName: 'Nils', lastName: 'Nochannel', channels: Array.of<string>() },
    { firstName: 'Mallory', lastName: 'Override', position: '' },
    { firstName: 'Sam', lastName: 'Twin' },
    { firstName: 'Sam', lastName: 'Twin' },
    { firstName: 'Νίκος', lastName: 'Παπαδόπουλος', position: 'Sales', access: 'viewer' },
  ].map((employee, n) => ({
    id: idOf('employee', n),
    channels: channels.map((_, channel) => idOf('channel', channel)),
    kind: 'human',
    position: 'Support agent',
    access: 'agent',
    status: 'active',
    createdAt: iso(epoch - (400 - n) * day),
    ...employee,
  }))
}

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

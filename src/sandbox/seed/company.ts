/**
 * The data of the sandbox's two companies: lists, some hard to read or type, and people, some without tickets. `state.ts` makes the
 * companies of it. All of it follows from the seed, so that every id of an example is the same on every machine. Positions that are
 * told apart by name are used by tests, recipes and `examplesOf`: a new special list takes a free position, and none moves.
 */
import {
  ids,
  mix,
  pick,
  type Ids,
  type Kind,
  day,
  hour,
  iso,
  type SeedOptions,
} from '../ids.ts'
import {
  seedContact,
  type SeedContact,
  peopleList,
  peopleOn,
  seedPerson,
  hasChat,
} from './contacts.ts'
import { hostileNames, pools } from './names.ts'
import {
  channels,
  ticketNames,
  ticketOf,
  ticketPlans,
  type SeedTicket,
  type TicketName,
} from './tickets.ts'

export interface CompanySeed {
  readonly ids: Readonly<Record<'contact' | 'list' | 'membership', Ids>>
  readonly contactCount: number
  readonly contact: (position: number) => SeedContact
  readonly lists: readonly SeedList[]
  readonly employees: readonly SeedEmployee[]
  readonly tickets: readonly SeedTicket[]
}

/** Active, current, assigned tickets of the first company beyond the named ones, for bulk changes. */
const assignable = 100

/** The data of a company: 0 is the large one, 1 the small one that another key sees. */
export function seedCompany(options: SeedOptions, company: number): CompanySeed {
  const shared = {
    ids: {
      contact: ids(options.seed, company, 'contact'),
      list: ids(options.seed, company, 'list'),
      membership: ids(options.seed, company, 'membership'),
    },
    contact: (position: number) => {
      if (company === 0) return seedPerson(options, position)
      return seedContact(options, company, position)
    },
  }
  if (options.empty) {
    return {
      ...shared,
      contactCount: 0,
      lists: [],
      employees: [],
      tickets: [],
    }
  }
  if (company === 0) {
    return {
      ...shared,
      contactCount: options.contacts,
      lists: listsOf(options),
      employees: employeesOf(options, 0, 60),
      tickets: ticketsOf(options),
    }
  }
  return {
    ...shared,
    contactCount: 30,
    lists: fewLists(options),
    employees: employeesOf(options, company, 5),
    tickets: [ticketOf(options, company, 0, ticketPlans.active)],
  }
}

/** The tickets of the first company: the named ones, then those for bulk changes. */
function ticketsOf(options: SeedOptions): SeedTicket[] {
  const named = ticketNames.map((name, position) => {
    return ticketOf(options, 0, position, ticketPlans[name])
  })
  const others = Array.from({ length: assignable }, (_, n) => {
    return ticketOf(options, 0, ticketNames.length + n, {})
  })
  return [...named, ...others]
}

/** The lists of the second company. */
function fewLists({ epoch }: SeedOptions): SeedList[] {
  return ['VIP', 'Second company', 'Empty'].map((name, position) => ({
    name,
    description: undefined,
    members: position === 2 ? [] : [0, 1, 2, 3, 4, 5],
    createdAt: iso(epoch - (3 - position) * day),
  }))
}

export interface SeedList {
  readonly name: string
  readonly description: string | undefined
  /** Positions of contacts, the one that joined first comes first. */
  readonly members: readonly number[]
  readonly createdAt: string
}

/** Positions of the first company's lists that are told apart by name; the others are campaigns. */
const vip = 160
const emptyList = 200

const specialLists: Readonly<Record<number, { name: string; description?: string }>> = {
  7: { name: 'Newsletter', description: 'The older of two lists with the same name' },
  20: {
    name: 'Hostile names',
    description: 'Contacts whose names attack the program that shows them',
  },
  40: { name: '-VIP', description: 'Begins like an option' },
  41: { name: 'vip', description: 'Another letter case is another name' },
  42: { name: 'Café', description: 'Composed' },
  43: { name: 'Cafe\u0301', description: 'Decomposed: looks like the other one' },
  44: { name: '640000000000000000000abc', description: 'A name that looks like an id' },
  45: { name: '=1+1', description: "=cmd|' /C calc'!A0" },
  46: {
    name: '\u001b]0;owned\u0007Red \u001b[31mlist',
    description: 'two\nlines\u202e and more',
  },
  47: {
    name: '👩‍👩‍👧‍👦'.repeat(14),
    description: 'd'.repeat(1000),
  },
  48: { name: '顧客リスト', description: '' },
  49: { name: 'العملاء المميزون' },
  [peopleList]: {
    name: 'Trade fair',
    description: 'People who are there twice, or only look like it',
  },
  [vip]: { name: 'VIP', description: 'Customers who are called back within the hour' },
  [emptyList]: { name: 'Nobody yet', description: 'Has no members' },
  250: {
    name: '"double" \'single\' $(touch pwned): colon',
    description: '`touch pwned`; rm -rf ~',
  },
  299: { name: 'Newsletter', description: 'The newer of two lists with the same name' },
}

/** The 300 lists of the first company: special ones, and campaigns of which every third has a description. */
function listsOf(options: SeedOptions): SeedList[] {
  const lists: SeedList[] = []
  for (let position = 0; position < 300; position += 1) {
    const hash = mix(options.seed, 21, position)
    const number = String(position).padStart(3, '0')
    const campaign = {
      name: `Campaign ${number}`,
      description: hash % 3 === 0 ? `Autumn mailing, part ${position}` : undefined,
    }
    const { name, description } = specialLists[position] ?? campaign
    const age = (300 - position) * 7 * hour + (hash % hour)
    lists.push({
      name,
      description,
      members: [...membersOf(options, position, hash), ...peopleOn(options, position)],
      createdAt: iso(options.epoch - age),
    })
  }
  return lists
}

/** Positions of the contacts on a list: so many in a row, around the end. */
function membersOf({ contacts }: SeedOptions, list: number, hash: number): number[] {
  if (list === emptyList || contacts === 0) return []
  const { start, count } = spanOf(list, hash)
  const length = Math.min(count, contacts)
  return Array.from({ length }, (_, n) => (start + n) % contacts)
}

function spanOf(list: number, hash: number): { start: number; count: number } {
  if (list === vip) return { start: 600, count: 280 }
  // The list "Hostile names".
  if (list === 20) return { start: 0, count: hostileNames.length }
  return {
    start: 100 + (hash % 4000),
    count: 3 + (hash % 30),
  }
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

/** Employees of a company: the first eight are special, the others drawn. */
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
    const [firstName, lastName] = names[position] ?? [
      pick(pool.first, hash >>> 8),
      pick(pool.last, hash >>> 16),
    ]
    const isOther = position > 7
    const ai = position === 2 || (isOther && hash % 6 === 0)
    const inactive = position === 3 || (isOther && hash % 7 === 0)
    const someChannels = isOther && hash % 5 === 0 ? all.slice(1, 3) : all
    return {
      id: employeeIds.at(position),
      firstName,
      lastName,
      channels: position === 4 ? [] : someChannels,
      kind: ai ? 'ai' : 'human',
      position: ai ? 'Assistant' : pick(['Support agent', 'Team lead', 'Sales', ''], hash),
      access: position === 0 ? 'admin' : pick(['agent', 'agent', 'viewer'], hash >>> 4),
      status: inactive ? 'inactive' : 'active',
      createdAt: iso(options.epoch - 400 * day - (hash % day)),
    }
  })
}

/**
 * Ids to try things with, by what is special about them. With `empty` data the single ids are well formed but unknown, and the arrays are empty.
 */
export function examplesOf(options: SeedOptions) {
  const id = (kind: Kind, position: number): string => ids(options.seed, 0, kind).at(position)
  const contacts = options.empty ? 0 : options.contacts
  const some = (
    count: number,
    start: number,
    wanted: (position: number) => boolean,
  ): string[] => {
    const contactIds: string[] = []
    for (let position = start; position < contacts; position += 1) {
      if (contactIds.length === count) break
      if (wanted(position)) contactIds.push(id('contact', position))
    }
    return contactIds
  }
  const tickets = ticketNames.map((name, position) => [name, id('ticket', position)])
  const bulkTickets = Array.from({ length: assignable }, (_, n) => {
    return id('ticket', ticketNames.length + n)
  })
  return {
    list: id('list', vip),
    emptyList: id('list', emptyList),
    contactsWithoutChats: some(300, hostileNames.length, (position) => !hasChat(position)),
    contactsWithChats: some(20, hostileNames.length, hasChat),
    contactsHostile: some(
      hostileNames.length,
      0,
      (position) => position < hostileNames.length,
    ),
    employee: id('employee', 1),
    aiEmployee: id('employee', 2),
    employeeInactive: id('employee', 3),
    employeeWithoutChannel: id('employee', 4),
    /** Active, current, assigned tickets beyond the named ones, for bulk changes. */
    assignableTickets: options.empty ? [] : bulkTickets,
    tickets: Object.fromEntries(tickets) as Readonly<Record<TicketName, string>>,
  }
}

export type Examples = Readonly<ReturnType<typeof examplesOf>>

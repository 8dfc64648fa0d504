/**
 * The lists, tickets and employees with which a company begins, some of them special. Everything is computed
 * from the seed, so that the ids of examples are the same on every machine.
 *
 * Positions that have a name here are used by tests, recipes and `examplesOf`: a new special list takes a
 * free position, and none moves.
 */
import { hasChat, peopleList, peopleOn, pools } from './contacts.ts'
import {
  day,
  hour,
  iso,
  mix,
  pick,
  seedingOf,
  type IdKind,
  type SeedOptions,
  type Seeding,
} from './ids.ts'
import {
  channels,
  ticketNames,
  ticketOf,
  ticketRecipes,
  type SeedTicket,
  type TicketName,
} from './tickets.ts'

/** Active, current, assigned tickets of the first company beyond the named ones, for bulk changes. */
const assignable = 100

/** The tickets of a company: the named ones, then those for bulk changes. The second company has one. */
export function seedTickets(seeding: Seeding): SeedTicket[] {
  const named = Object.values(ticketRecipes)
  const all = [...named, ...Array.from({ length: assignable }, () => ({}))]
  const recipes = seeding.company === 0 ? all : all.slice(0, 1)
  return recipes.map((recipe, position) => ticketOf(seeding, position, recipe))
}

/** Positions of the first company's lists that are told apart by name; the others are campaigns. */
const vip = 160
const emptyList = 200

/** The number of early customers. They are never examples, so that trying an example does not change them. */
const early = 38

/** Special lists by position. `span`: the first member's position, and the number of members. */
const specialLists: Readonly<
  Record<
    number,
    { name: string; description: string; span?: [start: number, count: number] }
  >
> = {
  7: { name: 'Newsletter', description: 'The older of two lists with the same name' },
  20: { name: 'Early customers', description: 'The first contacts', span: [0, early] },
  [peopleList]: {
    name: 'Trade fair',
    description: 'People who are there twice, or only look like it',
  },
  [vip]: {
    name: 'VIP',
    description: 'Customers who are called back within the hour',
    span: [600, 280],
  },
  [emptyList]: { name: 'Nobody yet', description: 'Has no members', span: [0, 0] },
  299: { name: 'Newsletter', description: 'The newer of two lists with the same name' },
}

/** The lists of a company. The first one has 300: special ones, and campaigns of which every third has a description. */
export function seedLists(seeding: Seeding): ReturnType<typeof listAt>[] {
  const { company, epoch } = seeding
  if (company === 0) return Array.from({ length: 300 }, (_, n) => listAt(seeding, n))
  return ['VIP', 'Second company', 'Empty'].map((name, position) => ({
    name,
    description: undefined,
    members: name === 'Empty' ? [] : [0, 1, 2, 3, 4, 5],
    createdAt: epoch - (3 - position) * day,
  }))
}

/** Its members are positions of contacts, and the one that joined first comes first. */
function listAt(seeding: Seeding, position: number) {
  const { seed, epoch, contacts } = seeding
  const hash = mix(seed, 21, position)
  const campaign = {
    name: `Campaign ${String(position).padStart(3, '0')}`,
    description: hash % 3 === 0 ? `Autumn mailing, part ${position}` : undefined,
    span: undefined,
  }
  const { name, description, span } = specialLists[position] ?? campaign
  const [start, count] = span ?? [100 + (hash % 4000), 3 + (hash % 30)]
  const length = Math.min(count, contacts)
  const members = Array.from({ length }, (_, n) => (start + n) % contacts)
  return {
    name,
    description,
    members: [...members, ...peopleOn(seeding, position)],
    createdAt: epoch - (300 - position) * 7 * hour - (hash % hour),
  }
}

export type SeedEmployee = ReturnType<typeof seedEmployees>[number]

/** The first employees, who are special; two share one "First Last". */
const specialEmployees = [
  { firstName: 'Alice', lastName: 'Adams', access: 'admin' },
  { firstName: 'Robin', lastName: 'Berg' },
  { firstName: 'Helper', lastName: 'Bot', kind: 'ai', position: 'Assistant' },
  { firstName: 'Ingrid', lastName: 'Inactive', status: 'inactive' },
  { firstName: 'Nils', lastName: 'Nochannel', channels: Array.of<string>() },
  { firstName: 'Mallory', lastName: 'Override' },
  { firstName: 'Sam', lastName: 'Twin' },
  { firstName: 'Sam', lastName: 'Twin' },
]

/** Employees of a company: the first are special, the others drawn. */
export function seedEmployees({ seed, company, epoch, ids }: Seeding) {
  const all = channels.map((_, n) => ids.channel(n))
  return Array.from({ length: company === 0 ? 60 : 5 }, (_, place) => {
    const hash = mix(seed, company, 31, place)
    const pool = pick(pools.slice(0, 11), hash)
    const special = specialEmployees[place]
    const isOneOf = (count: number) => special === undefined && hash % count === 0
    const isAi = isOneOf(6)
    return {
      id: ids.employee(place),
      firstName: pick(pool.first, hash >>> 8),
      lastName: pick(pool.last, hash >>> 16),
      channels: isOneOf(5) ? all.slice(1, 3) : all,
      kind: isAi ? 'ai' : 'human',
      position: isAi
        ? 'Assistant'
        : pick(['Support agent', 'Team lead', 'Sales', ''], hash),
      access: pick(['agent', 'agent', 'viewer'], hash >>> 4),
      status: isOneOf(7) ? 'inactive' : 'active',
      createdAt: iso(epoch - 400 * day - (hash % day)),
      ...special,
    }
  })
}

/** Ids to try things with, by what is special about them. */
export function examplesOf(options: SeedOptions) {
  const { ids } = seedingOf(options, 0)
  const id = (kind: IdKind, position: number) => ids[kind](position)
  const all = Array.from({ length: options.contacts }, (_, n) => id('contact', n))
  const ordinary = (chat: boolean) =>
    all.filter((_, n) => n >= early && hasChat(n) === chat)
  const tickets = ticketNames.map((name, position) => [name, id('ticket', position)])
  return {
    list: id('list', vip),
    emptyList: id('list', emptyList),
    contactsWithoutChats: ordinary(false).slice(0, 300),
    contactsWithChats: ordinary(true).slice(0, 20),
    employee: id('employee', 1),
    aiEmployee: id('employee', 2),
    employeeInactive: id('employee', 3),
    employeeWithoutChannel: id('employee', 4),
    /** Active, current, assigned tickets beyond the named ones, for bulk changes. */
    assignableTickets: Array.from({ length: assignable }, (_, n) =>
      id('ticket', ticketNames.length + n),
    ),
    tickets: Object.fromEntries(tickets) as Readonly<Record<TicketName, string>>,
  }
}

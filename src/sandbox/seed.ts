/**
 * The lists, tickets and employees with which a company begins, some of them special. Everything is computed from the
 * seed, so that the ids of examples are the same on every machine.
 *
 * Tests, recipes and `examplesOf` use the positions that have a name here. So a new special list takes a free position,
 * and no list moves.
 */
import { hasChat, ordinaryNames, peopleList, peopleOn } from './contacts.ts'
import { day, hour, iso, mix, pick, type Seeding } from './ids.ts'
import {
  channels,
  ticketNames,
  ticketOf,
  ticketRecipes,
  type SeedTicket,
  type TicketName,
} from './tickets.ts'

/** The number of active, current, assigned tickets after the named ones, for bulk changes. */
const assignable = 100

/** The tickets of a company: the named ones, then those for bulk changes. */
export function seedTickets(seeding: Seeding): SeedTicket[] {
  const named = Object.values(ticketRecipes)
  const recipes = [...named, ...Array.from({ length: assignable }, () => ({}))]
  return recipes.map((recipe, position) => ticketOf(seeding, position, recipe))
}

/** Positions of lists that `examplesOf` names. */
const vip = 160
const emptyList = 200

/** The number of early customers. They are never examples, so that trying an example does not change them. */
const earlyCustomers = 38

/**
 * Special lists by position. `span`: the position of the first member, and the number of members; without one, it has the
 * members of a campaign.
 */
const specialLists: Readonly<
  Record<
    number,
    { name: string; description: string; span?: [start: number, count: number] }
  >
> = {
  7: { name: 'Newsletter', description: 'The older of two lists with the same name' },
  20: {
    name: 'Early customers',
    description: 'The first contacts',
    span: [0, earlyCustomers],
  },
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

/** The 300 lists of a company: special ones, and campaigns, of which a third has a description. */
export function seedLists(seeding: Seeding): ReturnType<typeof listAt>[] {
  return Array.from({ length: 300 }, (_, n) => listAt(seeding, n))
}

/** The list at a position. Its members are positions of contacts, in the order in which they joined. */
function listAt(seeding: Seeding, position: number) {
  const { seed, epoch, contacts } = seeding
  const hash = mix(seed, 21, position)
  const campaign = {
    name: `Campaign ${String(position).padStart(3, '0')}`,
    description: hash % 3 === 0 ? `Autumn mailing, part ${position}` : undefined,
  }
  const special = specialLists[position]
  const { name, description } = special ?? campaign
  const [start, count] = special?.span ?? [100 + (hash % 4000), 3 + (hash % 30)]
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

/** The first employees, who are special. Two have the same name. */
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

/** Employees of a company: the first are special, the others random. */
export function seedEmployees({ seed, epoch, ids }: Seeding) {
  const all = channels.map((_, n) => ids.channel(n))
  return Array.from({ length: 60 }, (_, position) => {
    const hash = mix(seed, 0, 31, position)
    const { first, last } = pick(ordinaryNames, hash)
    const special = specialEmployees[position]
    const isOneIn = (count: number) => special === undefined && hash % count === 0
    const isAi = isOneIn(6)
    return {
      id: ids.employee(position),
      firstName: pick(first, hash >>> 8),
      lastName: pick(last, hash >>> 16),
      channels: isOneIn(5) ? all.slice(1, 3) : all,
      kind: isAi ? 'ai' : 'human',
      position: isAi
        ? 'Assistant'
        : pick(['Support agent', 'Team lead', 'Sales', ''], hash),
      access: pick(['agent', 'agent', 'viewer'], hash >>> 4),
      status: isOneIn(7) ? 'inactive' : 'active',
      createdAt: iso(epoch - 400 * day - (hash % day)),
      ...special,
    }
  })
}

/** Ids for trying things, by what is special about them. */
export function examplesOf({ ids, contacts: count }: Seeding) {
  const all = Array.from({ length: count }, (_, n) => ids.contact(n))
  const contacts = (chat: boolean) =>
    all.filter((_, n) => n >= earlyCustomers && hasChat(n) === chat)
  const tickets = ticketNames.map((name, position) => [name, ids.ticket(position)])
  return {
    list: ids.list(vip),
    emptyList: ids.list(emptyList),
    contactsWithoutChats: contacts(false).slice(0, 300),
    contactsWithChats: contacts(true).slice(0, 20),
    employee: ids.employee(1),
    aiEmployee: ids.employee(2),
    employeeInactive: ids.employee(3),
    employeeWithoutChannel: ids.employee(4),
    assignableTickets: Array.from({ length: assignable }, (_, n) =>
      ids.ticket(ticketNames.length + n),
    ),
    tickets: Object.fromEntries(tickets) as Readonly<Record<TicketName, string>>,
  }
}

/** Makes the lists and employees of the company. Examples use the special ones by position, so positions must not change. */
import { names, peopleList, peopleOn } from './contacts.ts'
import { day, hour, idOf, iso, mix, pick } from './ids.ts'
import { channels } from './tickets.ts'

/** The positions of two special lists, which `examplesOf` names. */
export const vip = 160
export const emptyList = 200

/** The number of contacts on the list of early customers. No example changes them. */
export const earlyCustomers = 38

/** Positions that follow one another. */
function range(start: number, length: number) {
  return Array.from({ length }, (_, n) => start + n)
}

/** The special lists by position. One without `members` has those of a campaign at this position. */
const specialLists: Readonly<
  Record<number, { name: string; description: string; members?: number[] }>
> = {
  7: { name: 'Newsletter', description: 'The older of two lists with the same name' },
  20: {
    name: 'Early customers',
    description: 'The first contacts',
    members: range(0, earlyCustomers),
  },
  [peopleList]: {
    name: 'Trade fair',
    description: 'People who are there twice, or only look like it',
  },
  [vip]: {
    name: 'VIP',
    description: 'Customers who are called back within the hour',
    members: range(600, 280),
  },
  [emptyList]: {
    name: 'Nobody yet',
    description: 'Has no members',
    members: [],
  },
  299: { name: 'Newsletter', description: 'The newer of two lists with the same name' },
}

/** The number of lists. All lists but the special ones are campaigns, and a third of the campaigns has a description. */
export const listsCount = 300

/** Returns the list at a position. Its members are positions of contacts, in the order in which they joined. */
export function listAt(position: number, epoch: number) {
  // 21 stands for lists, so that their numbers differ from those of others.
  const hash = mix(1, 21, position)
  const campaign = {
    name: `Campaign ${String(position).padStart(3, '0')}`,
    description: hash % 3 === 0 ? `Autumn mailing, part ${position}` : undefined,
    members: range(100 + (hash % 4000), 3 + (hash % 30)),
  }
  const { name, description, members } = { ...campaign, ...specialLists[position] }
  return {
    name,
    description,
    // `peopleOn` adds people who are there twice, so that there are duplicates to find.
    members: [...members, ...peopleOn(position)],
    createdAt: epoch - (listsCount - position) * 7 * hour - (hash % hour),
  }
}

/** The special employees, who come first. Two have the same name. */
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

/** Returns the employees: first the special ones, then others, which are made from their positions. */
export function seedEmployees(epoch: number) {
  const all = channels.map((_, n) => idOf('channel', n))
  // The last entries have names that are hard to display.
  const usualNames = names.slice(0, 11)
  return Array.from({ length: 60 }, (_, position) => {
    const hash = mix(1, 0, 31, position)
    const { first, last } = pick(usualNames, hash)
    const special = specialEmployees[position]
    const isOneIn = (count: number) => special === undefined && hash % count === 0
    const isAi = isOneIn(6)
    return {
      id: idOf('employee', position),
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

/** The data of the sandbox's two companies, put together. */
import { ids, type Ids } from '../ids.ts'
import { seedContact, type SeedContact } from './contacts.ts'
import { employeesOf, type SeedEmployee } from './employees.ts'
import { listsOf, type SeedList } from './lists.ts'
import { ticketNames, ticketOf, ticketPlans, type SeedTicket } from './tickets.ts'
import { day, iso, type SeedOptions } from './time.ts'

export interface CompanySeed {
  readonly ids: Readonly<Record<'contact' | 'list' | 'membership', Ids>>
  readonly contactCount: number
  readonly contact: (position: number) => SeedContact
  readonly lists: readonly SeedList[]
  readonly employees: readonly SeedEmployee[]
  readonly tickets: readonly SeedTicket[]
}

/** Active, current, assigned tickets of the first company beyond the named ones, for bulk changes. */
export const assignable = 100

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

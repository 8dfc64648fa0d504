/** Ids of the sandbox's data by what is special about them. */
import { ids, type Kind } from '../ids.ts'
import { assignable, emptyList, vip } from './company.ts'
import { hasChat } from './contacts.ts'
import { hostileNames } from './names.ts'
import { ticketNames, type TicketName } from './tickets.ts'
import type { SeedOptions } from './time.ts'

/** Ids to try things with. With `empty` data the single ids are well formed but unknown, and the arrays are empty. */
export function examplesOf(options: SeedOptions) {
  const id = (kind: Kind, position: number): string => ids(options.seed, 0, kind).at(position)
  const contacts = options.empty ? 0 : options.contacts
  const some = (count: number, start: number, wanted: (position: number) => boolean): string[] => {
    const found: string[] = []
    for (let position = start; position < contacts && found.length < count; position += 1) {
      if (wanted(position)) found.push(id('contact', position))
    }
    return found
  }
  return {
    list: id('list', vip),
    emptyList: id('list', emptyList),
    contactsWithoutChats: some(300, hostileNames.length, (position) => !hasChat(position)),
    contactsWithChats: some(20, hostileNames.length, hasChat),
    contactsHostile: some(hostileNames.length, 0, (position) => position < hostileNames.length),
    employee: id('employee', 1),
    aiEmployee: id('employee', 2),
    employeeInactive: id('employee', 3),
    employeeWithoutChannel: id('employee', 4),
    /** Active, current, assigned tickets beyond the named ones, for bulk changes. */
    assignableTickets: options.empty
      ? []
      : Array.from({ length: assignable }, (_, n) => id('ticket', ticketNames.length + n)),
    tickets: Object.fromEntries(
      ticketNames.map((name, position) => [name, id('ticket', position)]),
    ) as Readonly<Record<TicketName, string>>,
  }
}

export type Examples = Readonly<ReturnType<typeof examplesOf>>

/** Ids of a new sandbox to try things with, by what is special about them. */
import type { Company } from '../../src/sandbox/company.ts'
import { exampleIds, idOf } from '../../src/sandbox/seed.ts'

/** The special tickets, in the order of their positions. */
const ticketNames = [
  'active',
  'new',
  'old',
  'closed',
  'notCurrent',
  'unassigned',
  'long',
  'email',
] as const

export function examplesOf({ contacts, chats, lists, tickets }: Company) {
  // No example changes the first contacts, who are the early customers.
  const ids = [...contacts.keys()].slice(38)
  const ticketIds = [...tickets.keys()]
  const special = ticketNames.map((name, n) => [name, ticketIds[n]])
  const empty = [...lists.values()].find(({ name }) => name === 'Nobody yet')
  return {
    list: exampleIds.list,
    emptyList: empty?.id ?? '',
    contactsWithoutChats: ids.filter((id) => !chats.has(id)).slice(0, 300),
    contactsWithChats: ids.filter((id) => chats.has(id)).slice(0, 20),
    employee: exampleIds.employee,
    aiEmployee: idOf('employee', 2),
    employeeInactive: idOf('employee', 3),
    employeeWithoutChannel: idOf('employee', 4),
    assignableTickets: ticketIds.slice(ticketNames.length),
    tickets: Object.fromEntries(special) as Record<(typeof ticketNames)[number], string>,
  }
}

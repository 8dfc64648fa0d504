/** Commands that people type and that svc does not have, with what to do instead. */
import { say, svc, type Message } from '../message.ts'

interface Absent {
  names: readonly string[]
  problem: string
  instead: Message
}

const absent: readonly Absent[] = [
  {
    names: ['lists delete', 'lists remove', 'lists rm'],
    problem: 'the service cannot delete lists',
    instead: say`you can rename one:\n  ${svc`lists update <list> --name <name>`}`,
  },
  {
    names: ['lists remove-contacts', 'lists remove-contact'],
    problem: 'the service cannot remove contacts from a list',
    instead: say`you can add those that stay to a new list:\n  ${svc`lists members <list> -o ids`}`,
  },
  {
    names: ['contacts create', 'contacts add'],
    problem: 'the service cannot create contacts',
    instead: 'a contact is created when somebody writes to the company',
  },
  {
    names: ['tickets list', 'tickets ls'],
    problem: 'the service cannot list tickets',
    instead: say`copy the address of a ticket from the service:\n  ${svc`tickets get <ticket>`}`,
  },
  {
    names: ['tickets reply', 'tickets send'],
    problem: 'the service cannot send messages',
    instead: 'reply to the ticket in the service itself',
  },
  {
    names: ['find', 'search'],
    problem: 'people are found with a command of contacts',
    instead: say`use:\n  ${svc`contacts find <words>`}`,
  },
]

/** The advice in place of a command; undefined for one that nobody expects. */
export function absentCommand(path: string): Absent | undefined {
  return absent.find(({ names }) => names.includes(path))
}

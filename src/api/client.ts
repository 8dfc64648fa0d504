/** The ten operations, bound to one door. */
import type { Http } from '../http/client.ts'
import { contactsApi, type Contacts } from './contacts.ts'
import { employeesApi, type Employees } from './employees.ts'
import { listsApi, type Lists } from './lists.ts'
import { ticketsApi, type Tickets } from './tickets.ts'

export interface Api {
  readonly lists: Lists
  readonly contacts: Contacts
  readonly tickets: Tickets
  readonly employees: Employees
  /** The door itself: pace and clock are shared by all operations. */
  readonly http: Http
}

export function createApi(http: Http): Api {
  return {
    lists: listsApi(http),
    contacts: contactsApi(http),
    tickets: ticketsApi(http),
    employees: employeesApi(http),
    http,
  }
}

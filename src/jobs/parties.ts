/** The list, contact and employees of a command line: names or ids, which become ids with names. */
import { findEmployee, findList, fullName, type NameOptions } from '../api/by-name.ts'
import type { Api } from '../api/api.ts'
import type { Employee } from '../api/schemas.ts'
import type { Job, Party } from '../runs/engine.ts'
import { isId, isSameId } from '../identifiers.ts'

/** Names or ids, as they were typed. */
export interface TypedParties {
  /** The list of an add. */
  list?: string | undefined
  /** The contact that stays after a merge. */
  into?: string | undefined
  /** The one new assignee of all tickets. */
  to?: string | undefined
  /** The assignee that a ticket must have to be changed. */
  ifAssignee?: string | undefined
}

export interface PartyTools {
  api: () => Promise<Api>
  /** The employees, read when they are first needed, and once. */
  employees: () => Promise<readonly Employee[]>
  nameOptions: NameOptions
}

/** Resolves the list or employee of all items, and the employee of `--if-assignee`. Throws exit 1 for a name that fits none or several. */
export async function resolveParties(
  tools: PartyTools,
  { list, to, ifAssignee }: TypedParties,
  known: readonly (Party | undefined)[],
): Promise<Pick<Job, 'target' | 'ifAssignee'>> {
  const resolve = async (text: string | undefined, find: typeof listParty) => {
    if (text === undefined) return undefined
    const isTyped = (party: Party | undefined) =>
      party?.name === text || isSameId(party?.id, text)
    return known.find(isTyped) ?? (await find(tools, text))
  }
  const target = (await resolve(list, listParty)) ?? (await resolve(to, employeeParty))
  return { target, ifAssignee: await resolve(ifAssignee, employeeParty) }
}

/** Returns a list. An id that was typed is checked: its list is read. */
async function listParty(tools: PartyTools, text: string): Promise<Party> {
  const api = await tools.api()
  const { id, name } = isId(text)
    ? await api.lists.get(text)
    : await findList(api, text, tools.nameOptions)
  return name === undefined ? { id } : { id, name }
}

/** Returns an employee. An id that was typed is not checked, because the service checks it. */
async function employeeParty(tools: PartyTools, text: string): Promise<Party> {
  const { id } = await findEmployee(tools.employees, text, tools.nameOptions)
  const employee = (await tools.employees()).find((each) => isSameId(each.id, id))
  return employee === undefined ? { id } : { id, name: fullName(employee) }
}

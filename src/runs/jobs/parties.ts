/** The other side of a change: the list, contact or employee that was typed, or that a person at the terminal chooses. */
import {
  employeeChoices,
  findEmployee,
  findList,
  fullName,
  listChoices,
  parseReference,
} from '../../api/names.ts'
import type { BulkOperation } from '../../api/operations.ts'
import { usageError } from '../../errors.ts'
import { say, svc } from '../../message.ts'
import { isSameId, parseId } from '../../values.ts'
import type { Items } from '../../input/items.ts'
import type { Party } from '../lines.ts'
import type { RunTools } from '../tools.ts'
import type { Job } from './job.ts'

/** Names and ids as they were typed. */
export interface TypedParties {
  /** The list of an add. */
  list?: string | undefined
  /** The contact that stays after a merge. */
  into?: string | undefined
  /** The new assignee of an assign. */
  to?: string | undefined
  /** The assignee that a ticket must have to be assigned. */
  ifAssignee?: string | undefined
}

/** Throws exit 2 for a text that can be neither a name nor an id. Whether there is such a party is checked later. */
export function checkParties({ list, into, to, ifAssignee }: TypedParties) {
  if (list !== undefined) parseReference(list, 'list')
  if (into !== undefined) parseId(into, '--into')
  for (const employee of [to, ifAssignee])
    if (employee !== undefined) parseReference(employee, 'employee')
}

/** The parties of a job. If a list or an employee is left out, a person at the terminal chooses it; else throws exit 2. */
export async function chooseMissing(
  tools: RunTools,
  { operation, parties }: { operation: BulkOperation; parties: TypedParties },
  items: Items,
): Promise<{ parties: TypedParties; isChosen: boolean }> {
  if (operation === 'lists.add-contacts' && parties.list === undefined) {
    const list = await tools.questions.choose('Which list?', async () =>
      listChoices(await tools.api()),
    )
    if (list === undefined) throw usageError('missing required argument "list"')
    return { parties: { ...parties, list }, isChosen: true }
  }
  // Pairs name their own employees, and without an item there is nothing to assign.
  const needsEmployee = operation === 'tickets.assign' && !items.arePairs && items.size > 0
  if (needsEmployee && parties.to === undefined) {
    const to = await chooseEmployee(tools)
    if (to !== undefined) return { parties: { ...parties, to }, isChosen: true }
    throw usageError(
      '--to is missing',
      say`type:\n  ${svc`tickets assign <ticket> --to <employee>`}`,
    )
  }
  return { parties, isChosen: false }
}

/** The new assignee that a person at the terminal chooses; undefined without a terminal. */
export function chooseEmployee({ questions, employees }: RunTools) {
  return questions.choose('Assign to which employee?', async () =>
    employeeChoices(await employees()),
  )
}

/**
 * The list or employee of all items, and the employee of `--if-assignee`. `withNames`: also looks up the name of an employee
 * whose id was typed. Throws exit 1 for a name that fits none or several.
 */
export async function resolveParties(
  tools: RunTools,
  { list, to, ifAssignee }: TypedParties,
  { withNames }: { withNames: boolean },
): Promise<Pick<Job, 'target' | 'ifAssignee'>> {
  const employee = (text: string | undefined) =>
    text === undefined ? undefined : employeeParty(tools, text, withNames)
  return {
    target: list === undefined ? await employee(to) : await listParty(tools, list),
    ifAssignee: await employee(ifAssignee),
  }
}

/** An employee. Whether there is one with a typed id is not checked: the service does. */
async function employeeParty(
  tools: RunTools,
  text: string,
  withNames: boolean,
): Promise<Party> {
  const { id, name } = await findEmployee(tools.employees, text, tools.nameOptions)
  if (name !== undefined) return { id, name }
  const all = withNames ? await tools.employees() : []
  const employee = all.find((each) => isSameId(each.id, id))
  return employee === undefined ? { id } : { id, name: fullName(employee) }
}

/** A list. One with a typed id is read, so that it is known to be there. */
async function listParty(tools: RunTools, text: string): Promise<Party> {
  const api = await tools.api()
  const reference = parseReference(text, 'list')
  const { id, name } =
    reference.kind === 'id'
      ? await api.lists.get(reference.id)
      : await findList(api, text, tools.nameOptions)
  return name === undefined ? { id } : { id, name }
}

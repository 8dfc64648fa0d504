/** The lists and employees that a command line or a table of pairs names, and whether pairs contradict each other. */
import { findEmployee, findList, fullName, type NameOptions } from '../api/by-name.ts'
import type { Employee } from '../api/schemas.ts'
import { messageOf, SvcError } from '../errors.ts'
import { Items, type Item } from '../input/items.ts'
import type { Job, Party, RunTools } from '../runs/engine.ts'
import { isId, isSameId } from '../identifiers.ts'
import { firstTexts, groupDigits, pluralize } from '../words.ts'

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

/** The parts of the program that a job needs. */
export interface JobTools extends Pick<RunTools, 'host' | 'api' | 'note'> {
  /** The employees, read when they are first needed, and once. */
  employees: () => Promise<readonly Employee[]>
  nameOptions: NameOptions
}

/** Resolves the list or employee of all items, and the employee of `--if-assignee`. Throws exit 1 for a name that fits none or several. */
export async function resolveParties(
  tools: JobTools,
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
async function listParty(tools: JobTools, text: string): Promise<Party> {
  const api = await tools.api()
  const { id, name } = isId(text)
    ? await api.lists.get(text)
    : await findList(api, text, tools.nameOptions)
  return name === undefined ? { id } : { id, name }
}

/** Returns an employee. An id that was typed is not checked, because the service checks it. */
async function employeeParty(tools: JobTools, text: string): Promise<Party> {
  const { id } = await findEmployee(tools.employees, text, tools.nameOptions)
  const employee = (await employeesFor(tools, text)).find((each) => isSameId(each.id, id))
  return employee === undefined ? { id } : { id, name: fullName(employee) }
}

/** Reads the employees. For an id that was typed, only a name would be missing, so then a failure gives none. */
async function employeesFor({ employees }: JobTools, text: string) {
  try {
    return await employees()
  } catch (error) {
    const isNeeded =
      !isId(text) || (error instanceof SvcError && error.category === 'interrupted')
    if (isNeeded) throw error
    return []
  }
}

/** Throws exit 2 for an id that comes twice, a contact merged into itself, and a target that is itself a source. */
export function checkPairs(pairs: Iterable<Item>) {
  const lineById = new Map<string, number>()
  const problems: string[] = []
  for (const { id, line } of pairs) {
    const first = lineById.get(id.toLowerCase())
    if (first === undefined) lineById.set(id.toLowerCase(), line)
    else
      problems.push(
        inLine(line, `${id} is in line ${groupDigits(first)} too, in another pair`),
      )
  }
  for (const { id, line, target = '' } of pairs) {
    const mergedIn = lineById.get(target.toLowerCase())
    if (isSameId(id, target))
      problems.push(inLine(line, `${id} would be merged into itself`))
    else if (mergedIn !== undefined)
      problems.push(
        inLine(line, `${target} is itself merged in line ${groupDigits(mergedIn)}`),
      )
  }
  if (problems.length > 0)
    throw new SvcError('usage', 'the pairs contradict each other; nothing was sent', {
      lines: firstTexts(problems),
    })
}

/** A pair that was typed has no line. */
const inLine = (line: number, problem: string) =>
  line === 0 ? problem : `line ${groupDigits(line)}: ${problem}`

/** Returns pairs of tickets with ids of employees, each once. Throws exit 2 with every name that fits none or several. */
export async function resolveEmployees(tools: JobTools, pairs: Items) {
  const idByName = new Map<string, string>()
  const problems: string[] = []
  for (const { target: name = '', line } of pairs) {
    if (idByName.has(name)) continue
    idByName.set(name, name)
    try {
      const { id } = await findEmployee(tools.employees, name, tools.nameOptions)
      idByName.set(name, id)
    } catch (error) {
      // `rejected`: the name fits none or several.
      if (!(error instanceof SvcError && error.category === 'rejected')) throw error
      problems.push(inLine(line, messageOf(error)))
    }
  }
  if (problems.length > 0)
    throw new SvcError(
      'usage',
      `${pluralize(problems.length, 'employee name is', 'employee names are')} unknown or ambiguous; nothing was sent`,
      {
        lines: firstTexts(problems),
        hint: 'write exact names or ids into the file; see them with:\n  svc employees list --limit all',
      },
    )
  // One line can have the name of an employee, and another line the id.
  const resolved = Array.from(pairs, (pair) => ({
    ...pair,
    target: idByName.get(pair.target ?? '') ?? '',
  }))
  return Items.of(resolved).unique()
}

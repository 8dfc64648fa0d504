/**
 * The parties of a command line: lists, employees and contacts as typed or chosen at a terminal, which reading turns into
 * ids.
 */
import {
  employeeChoices,
  findEmployee,
  findList,
  listChoices,
  parseReference,
} from '../../api/names.ts'
import { messageOf, SvcError, usageError } from '../../errors.ts'
import type { Pair } from '../../input/pairs.ts'
import { partsOf, say, svc } from '../../message.ts'
import { parseId } from '../../values.ts'
import { firstOf, groupDigits, pluralize } from '../../words.ts'
import type { Parameters, Party } from '../lines.ts'
import { isActive } from '../operations/assign.ts'
import type { RunTools } from './job.ts'

/** The list of an add, the target of a merge, the new assignee of an assign and its condition, as they were typed. */
export type TypedParties = Readonly<
  Partial<Record<'list' | 'into' | 'to' | 'ifAssignee', string | undefined>>
>

/** Throws exit 2 for a text that cannot be a name or an id. Whether the party exists is checked later. */
export function checkTyped({ list, into, to, ifAssignee }: TypedParties) {
  if (list !== undefined) parseReference(list, 'list')
  if (into !== undefined) parseId(into, '--into')
  for (const employee of [to, ifAssignee]) {
    if (employee !== undefined) parseReference(employee, 'employee')
  }
}

/** Throws exit 2 if there is nobody to ask. */
export async function chooseList(tools: RunTools): Promise<string> {
  const choices = async () => listChoices(await tools.api())
  const id = await tools.questions.choose('Which list?', choices)
  if (id !== undefined) return id
  throw usageError('missing required argument "list"')
}

/** Undefined if there is nobody to ask. */
export function chooseEmployee(tools: RunTools): Promise<string | undefined> {
  const choices = async () => {
    const employees = await tools.employees()
    return employeeChoices(employees.filter((each) => isActive(employees, each) !== false))
  }
  return tools.questions.choose('Assign to which employee?', choices)
}

/** Finds the ids of the typed names. Throws exit 1 for a name that fits none or several. */
export async function findParameters(
  tools: RunTools,
  { list, to, ifAssignee }: TypedParties,
): Promise<Parameters> {
  return {
    ...(list !== undefined && { list: await findListParty(tools, list) }),
    ...(to !== undefined && { to: await findEmployeeParty(tools, to) }),
    ...(ifAssignee !== undefined && {
      ifAssignee: await findEmployeeParty(tools, ifAssignee),
    }),
  }
}

async function findEmployeeParty(tools: RunTools, text: string): Promise<Party> {
  const { id, name } = await findEmployee(tools.employees, text, tools.acceptNear)
  return { id, name }
}

async function findListParty(tools: RunTools, text: string): Promise<Party> {
  const reference = parseReference(text, 'list')
  if (reference.kind === 'name') {
    const how = { isToFill: true } as const
    const { id, name } = await findList(await tools.api(), text, tools.acceptNear, how)
    return { id, name }
  }
  // An id needs no request, so a dry run with ids works without a profile.
  return { id: reference.id }
}

/** An error lists at most so many names, because more do not help in a terminal. */
const mostNames = 20

/** The pairs with the employees' ids, each pair once. Throws exit 1 with every name that fits none or several. */
export async function resolveEmployees(
  tools: RunTools,
  pairs: readonly Pair[],
): Promise<Pair[]> {
  const ids = new Map<string, string>()
  const problems: string[] = []
  for (const { other, line } of pairs) {
    if (ids.has(other)) continue
    // A bad name is reported once.
    ids.set(other, other)
    try {
      const { id } = await findEmployee(tools.employees, other, tools.acceptNear)
      ids.set(other, id)
    } catch (error) {
      const isOurs = error instanceof SvcError
      if (!isOurs || !['rejected', 'usage'].includes(error.category)) throw error
      problems.push(`line ${groupDigits(line)}: ${nameProblem(error)}`)
    }
  }
  if (problems.length > 0) {
    const count = pluralize(problems.length, 'employee name is', 'employee names are')
    throw new SvcError('usage', `${count} unknown or ambiguous; nothing was sent`, {
      lines: firstOf(problems, mostNames),
      hint: say`write exact names or ids into the file; see them with:\n  ${svc`employees list --limit all`}`,
    })
  }
  const seen = new Set<string>()
  return pairs.flatMap((pair) => {
    const other = ids.get(pair.other) ?? pair.other
    // The same employee can be named once by name and once by id.
    const key = `${pair.id} ${other}`.toLowerCase()
    if (seen.has(key)) return []
    seen.add(key)
    return [{ ...pair, other }]
  })
}

/** The error about a name, together with its suggestion of the nearest name. */
function nameProblem(error: SvcError) {
  const { hint = '' } = error.details
  const texts = partsOf(hint)
    .filter((part) => typeof part === 'string')
    .join('')
  const [first = ''] = texts.split('\n')
  const problem = messageOf(error).replace(/; nothing was sent$/, '')
  return first.startsWith('did you mean') ? `${problem}; ${first}` : problem
}

/** The parties of a command line: lists, employees and contacts as typed or chosen, which become ids; and pairs of them. */
import {
  employeeChoices,
  findEmployee,
  findList,
  fullName,
  listChoices,
  parseReference,
} from '../../api/names.ts'
import type { BulkOperation } from '../../api/operations.ts'
import type { Pair } from '../../input/pairs.ts'
import { messageOf, SvcError, usageError } from '../../errors.ts'
import { say, svc } from '../../message.ts'
import { shorten } from '../../safe-text.ts'
import { isSameId, parseId } from '../../values.ts'
import { firstOf, groupDigits, pluralize } from '../../words.ts'
import { Items } from '../items.ts'
import type { ItemTuple, Party } from '../lines.ts'
import { operationOf } from '../operations/operations.ts'
import type { Job } from './job.ts'
import type { RunTools } from '../tools.ts'

/** The list of an add, the target of a merge, the new assignee of an assign and its condition, as they were typed. */
export interface Parties {
  list?: string | undefined
  into?: string | undefined
  to?: string | undefined
  ifAssignee?: string | undefined
}

/** Throws exit 2 for a text that cannot be a name or an id. Whether the party exists is checked later. */
export function checkParties({ list, into, to, ifAssignee }: Parties) {
  if (list !== undefined) parseReference(list, 'list')
  if (into !== undefined) parseId(into, '--into')
  for (const employee of [to, ifAssignee])
    if (employee !== undefined) parseReference(employee, 'employee')
}

/** The parties, with the list or the assignee that a person at the terminal chooses. Throws exit 2 if one is missing. */
export async function chooseMissing(
  tools: RunTools,
  { operation, parties }: { operation: BulkOperation; parties: Parties },
  items: Items,
): Promise<{ parties: Parties; isPicked: boolean }> {
  if (operation === 'lists.add-contacts' && parties.list === undefined) {
    const list = await tools.questions.choose('Which list?', async () =>
      listChoices(await tools.api()),
    )
    if (list === undefined) throw usageError('missing required argument "list"')
    return { parties: { ...parties, list }, isPicked: true }
  }
  if (
    operation === 'tickets.assign' &&
    parties.to === undefined &&
    !items.arePairs &&
    items.size > 0
  ) {
    const to = await chooseEmployee(tools)
    if (to !== undefined) return { parties: { ...parties, to }, isPicked: true }
    throw usageError(
      '--to is missing',
      say`type:\n  ${svc`tickets assign <ticket> --to <employee>`}`,
    )
  }
  return { parties, isPicked: false }
}

/** The new assignee that a person at the terminal chooses; undefined without a terminal. */
export function chooseEmployee({ questions, employees }: RunTools) {
  return questions.choose('Assign to which employee?', async () =>
    employeeChoices(await employees()),
  )
}

/**
 * Finds the ids and names of what was typed; the name of an employee's id only with `isNamed`. Throws exit 1 for a name that fits none
 * or several.
 */
export async function resolveParties(
  tools: RunTools,
  { list, to, ifAssignee }: Parties,
  isNamed: boolean,
): Promise<Pick<Job, 'target' | 'ifAssignee'>> {
  const employeeOf = async (text: string | undefined): Promise<Party | undefined> => {
    if (text === undefined) return undefined
    const { id, name } = await findEmployee(tools.employees, text, tools.acceptNear)
    if (name !== undefined) return { id, name }
    const employee = isNamed
      ? (await tools.employees()).find((each) => isSameId(each.id, id))
      : undefined
    return employee === undefined ? { id } : { id, name: fullName(employee) }
  }
  const target = list === undefined ? await employeeOf(to) : await listOf(tools, list)
  return { target, ifAssignee: await employeeOf(ifAssignee) }
}

async function listOf(tools: RunTools, text: string): Promise<Party> {
  const api = await tools.api()
  const reference = parseReference(text, 'list')
  const { id, name } =
    reference.kind === 'id'
      ? await api.lists.get(reference.id)
      : await findList(api, text, tools.acceptNear)
  return name === undefined ? { id } : { id, name }
}

/** Pairs with the employees' ids, each pair once. Throws exit 2 with every name that fits none or several. */
export async function resolveEmployees(tools: RunTools, items: Items): Promise<Items> {
  const ids = new Map<string, string>()
  const problems: string[] = []
  const pairs = items.ids.map((_, at) => items.at(at))
  for (const { other: name = '', line } of pairs) {
    if (ids.has(name)) continue
    // A bad name is reported once.
    ids.set(name, name)
    try {
      ids.set(name, (await findEmployee(tools.employees, name, tools.acceptNear)).id)
    } catch (error) {
      const isOfName =
        error instanceof SvcError && ['rejected', 'usage'].includes(error.category)
      if (!isOfName) throw error
      problems.push(`line ${groupDigits(line)}: ${messageOf(error)}`)
    }
  }
  if (problems.length > 0) {
    const count = pluralize(problems.length, 'employee name is', 'employee names are')
    throw new SvcError('usage', `${count} unknown or ambiguous; nothing was sent`, {
      lines: firstOf(problems),
      hint: say`write exact names or ids into the file; see them with:\n  ${svc`employees list --limit all`}`,
    })
  }
  // The same employee can be named once by name and once by id.
  const unique = new Map<string, Pair>()
  for (const { id, line, other: name = '' } of pairs) {
    const other = ids.get(name) ?? name
    const key = `${id} ${other}`.toLowerCase()
    if (!unique.has(key)) unique.set(key, { id, line, other })
  }
  checkPairs([...unique.values()], 'tickets.assign')
  return itemsOf([...unique.values()])
}

export const itemsOf = (pairs: readonly Pair[]) =>
  Items.of(pairs.map(({ id, line, other }): ItemTuple => [id, line, other]))

/** Throws exit 2 for an id with two second parties, and for merges into a contact that is itself merged. */
export function checkPairs(pairs: readonly Pair[], operation: BulkOperation) {
  const { preposition } = operationOf(operation).words
  const byId = new Map<string, Pair>()
  const problems: string[] = []
  const report = ({ line }: Pair, problem: string) =>
    problems.push(`line ${groupDigits(line)}: ${problem}`)
  for (const pair of pairs) {
    const first = byId.get(pair.id.toLowerCase())
    if (first === undefined) byId.set(pair.id.toLowerCase(), pair)
    else {
      const other = ({ other: party }: Pair) => `${preposition} "${shorten(party)}"`
      const before = `line ${groupDigits(first.line)} has it ${other(first)}`
      report(pair, `${pair.id} ${other(pair)}, but ${before}`)
    }
  }
  if (operation === 'contacts.merge') {
    for (const pair of pairs) {
      const problem = chainProblem(pair, byId)
      if (problem !== undefined) report(pair, problem)
    }
  }
  if (problems.length === 0) return
  throw new SvcError('usage', 'the pairs contradict each other; nothing was sent', {
    lines: firstOf(problems),
  })
}

/** Why a target cannot be one: the row to write instead, for a chain. */
function chainProblem({ id, other }: Pair, sources: ReadonlyMap<string, Pair>) {
  if (isSameId(id, other)) return `${id} would be merged into itself`
  const next = sources.get(other.toLowerCase())
  if (next === undefined || isSameId(next.id, next.other)) return undefined
  const flat = isSameId(next.other, id)
    ? 'keep one of the two rows'
    : `write ${id},${next.other} instead`
  return `${other} is itself merged in line ${groupDigits(next.line)}; ${flat}`
}

/** Pairs of a file as items: they must not contradict each other, and employees that are named become ids. */
import { findEmployee } from '../../api/names.ts'
import type { BulkOperation } from '../../api/operations.ts'
import { messageOf, SvcError } from '../../errors.ts'
import { Items, type Item } from '../../input/items.ts'
import { say, svc } from '../../message.ts'
import { shorten } from '../../safe-text.ts'
import { isSameId } from '../../values.ts'
import { firstOf, groupDigits, pluralize } from '../../words.ts'
import type { RunTools } from '../tools.ts'

/** Throws exit 2 for a source with two targets, a merge into itself, and a target that is itself merged. */
export function checkMergePairs(pairs: Iterable<Item>) {
  const { firstById, problems } = findContradictions(pairs, 'into')
  for (const pair of pairs) {
    const problem = chainProblem(pair, firstById)
    if (problem !== undefined) problems.push(inLine(pair, problem))
  }
  refuse(problems)
}

/** The first pair of each id, and the pairs that give the same id another second party. */
function findContradictions(pairs: Iterable<Item>, preposition: 'into' | 'to') {
  const firstById = new Map<string, Item>()
  const problems: string[] = []
  const textOf = ({ other = '' }: Item) => `${preposition} "${shorten(other)}"`
  for (const pair of pairs) {
    const key = pair.id.toLowerCase()
    const first = firstById.get(key)
    if (first === undefined) {
      firstById.set(key, pair)
      continue
    }
    const before = `line ${groupDigits(first.line)} has it ${textOf(first)}`
    problems.push(inLine(pair, `${pair.id} ${textOf(pair)}, but ${before}`))
  }
  return { firstById, problems }
}

const inLine = ({ line }: Item, problem: string) => `line ${groupDigits(line)}: ${problem}`

function refuse(problems: readonly string[]) {
  if (problems.length === 0) return
  throw new SvcError('usage', 'the pairs contradict each other; nothing was sent', {
    lines: firstOf(problems),
  })
}

/** What is wrong with the target of a merge; of a chain, with the row to write instead. */
function chainProblem({ id, other = '' }: Item, sources: ReadonlyMap<string, Item>) {
  if (isSameId(id, other)) return `${id} would be merged into itself`
  const next = sources.get(other.toLowerCase())
  // A row that merges into itself is reported where it stands.
  if (next === undefined || isSameId(next.id, next.other)) return undefined
  const leadsBack = isSameId(next.other, id)
  const advice = leadsBack
    ? 'keep one of the two rows'
    : `write ${id},${next.other} instead`
  return `${other} is itself merged in line ${groupDigits(next.line)}; ${advice}`
}

/**
 * The items to send: where each ticket names its own employee, the pairs with their ids, each pair once. Throws exit 2 for
 * a ticket with two employees, and with every name that fits none or several.
 */
export async function resolveEmployees(
  tools: RunTools,
  operation: BulkOperation,
  items: Items,
): Promise<Items> {
  if (operation !== 'tickets.assign' || !items.arePairs) return items
  const idByName = await employeeIds(tools, items)
  // An employee can be given by name in one line and by id in another.
  const unique = new Map<string, Item>()
  for (const { id, line, other: name = '' } of items) {
    const other = idByName.get(name) ?? name
    const key = `${id} ${other}`.toLowerCase()
    if (!unique.has(key)) unique.set(key, { id, line, other })
  }
  const pairs = Items.of(unique.values())
  refuse(findContradictions(pairs, 'to').problems)
  return pairs
}

/** The id of each employee that pairs name. Throws exit 2 with every name that fits none or several. */
async function employeeIds(tools: RunTools, items: Items) {
  const firstByName = new Map<string, Item>()
  for (const pair of items) {
    const { other: name = '' } = pair
    if (!firstByName.has(name)) firstByName.set(name, pair)
  }
  const idByName = new Map<string, string>()
  const problems: string[] = []
  for (const [name, pair] of firstByName) {
    try {
      const { id } = await findEmployee(tools.employees, name, tools.nameOptions)
      idByName.set(name, id)
    } catch (error) {
      // `rejected`: it fits none or several. `usage`: it can be neither a name nor an id.
      const isAboutName =
        error instanceof SvcError && ['rejected', 'usage'].includes(error.category)
      if (!isAboutName) throw error
      problems.push(inLine(pair, messageOf(error)))
    }
  }
  if (problems.length === 0) return idByName
  const count = pluralize(problems.length, 'employee name is', 'employee names are')
  throw new SvcError('usage', `${count} unknown or ambiguous; nothing was sent`, {
    lines: firstOf(problems),
    hint: say`write exact names or ids into the file; see them with:\n  ${svc`employees list --limit all`}`,
  })
}

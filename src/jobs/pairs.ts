/** Pairs of a table: sources with targets, or tickets with employees. Pairs that contradict each other are refused. */
import { findEmployee } from '../api/names.ts'
import { messageOf, SvcError } from '../errors.ts'
import { Items, type Item } from '../input/items.ts'
import type { Operation } from '../runs/engine.ts'
import { shorten } from '../safe-text.ts'
import { isSameId } from '../values.ts'
import { firstTexts, groupDigits, pluralize } from '../words.ts'
import type { PartyTools } from './parties.ts'

/** Throws exit 2 for a source with two targets, a contact merged into itself, and a target that is itself a source. */
export function checkMergePairs(pairs: Iterable<Item>) {
  const { firstById, problems } = findContradictions(pairs, 'into')
  for (const pair of pairs) {
    const problem = targetProblem(pair, firstById)
    if (problem !== undefined) problems.push(inLine(pair, problem))
  }
  refusePairs(problems)
}

/** Returns the first pair of each id, and a problem for each further pair with the same id. */
function findContradictions(pairs: Iterable<Item>, preposition: 'into' | 'to') {
  const firstById = new Map<string, Item>()
  const problems: string[] = []
  const toOther = ({ other = '' }: Item) => `${preposition} "${shorten(other)}"`
  for (const pair of pairs) {
    const key = pair.id.toLowerCase()
    const first = firstById.get(key)
    if (first === undefined) {
      firstById.set(key, pair)
      continue
    }
    const before = `line ${groupDigits(first.line)} has it ${toOther(first)}`
    problems.push(inLine(pair, `${pair.id} ${toOther(pair)}, but ${before}`))
  }
  return { firstById, problems }
}

const inLine = ({ line }: Item, problem: string) => `line ${groupDigits(line)}: ${problem}`

function refusePairs(problems: readonly string[]) {
  if (problems.length === 0) return
  throw new SvcError('usage', 'the pairs contradict each other; nothing was sent', {
    lines: firstTexts(problems),
  })
}

/** Returns what is wrong with the target of a pair, and how to fix it; undefined if nothing is. */
function targetProblem({ id, other = '' }: Item, firstById: ReadonlyMap<string, Item>) {
  if (isSameId(id, other)) return `${id} would be merged into itself`
  const next = firstById.get(other.toLowerCase())
  // A pair that merges a contact into itself has its own problem.
  if (next === undefined || isSameId(next.id, next.other)) return undefined
  const advice = isSameId(next.other, id)
    ? 'keep one of the two rows'
    : `write ${id},${next.other} instead`
  return `${other} is itself merged in line ${groupDigits(next.line)}; ${advice}`
}

/**
 * Resolves the employees in pairs of tickets. Returns each pair once, with ids. Any other items are returned as they are.
 * Throws exit 2 with every name that fits none or several, and with every ticket that has two employees.
 */
export async function resolveEmployees(
  tools: PartyTools,
  { isReadFirst }: Operation,
  items: Items,
): Promise<Items> {
  if (isReadFirst !== true || !items.arePairs) return items
  const idByName = await findEmployeeIds(tools, items)
  // One line can have the name of an employee, and another line the id.
  const resolved = Array.from(items, (pair) => {
    const { other = '' } = pair
    return { ...pair, other: idByName.get(other) ?? other }
  })
  const pairs = Items.of(resolved).unique()
  refusePairs(findContradictions(pairs, 'to').problems)
  return pairs
}

/** Returns the id of each employee that pairs name. Throws exit 2 with every name that fits none or several. */
async function findEmployeeIds(tools: PartyTools, items: Items) {
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
      // `rejected`: the name fits none or several. `usage`: the text can be neither a name nor an id.
      const isAboutName =
        error instanceof SvcError && ['rejected', 'usage'].includes(error.category)
      if (!isAboutName) throw error
      problems.push(inLine(pair, messageOf(error)))
    }
  }
  if (problems.length === 0) return idByName
  const count = pluralize(problems.length, 'employee name is', 'employee names are')
  throw new SvcError('usage', `${count} unknown or ambiguous; nothing was sent`, {
    lines: firstTexts(problems),
    hint: 'write exact names or ids into the file; see them with:\n  svc employees list --limit all',
  })
}

/** Pairs of a table: sources with targets, or tickets with employees. Pairs that contradict each other are refused. */
import { findEmployee } from '../api/by-name.ts'
import { messageOf, SvcError } from '../errors.ts'
import { Items, type Item } from '../input/items.ts'
import type { Operation } from '../runs/engine.ts'
import { isSameId } from '../values.ts'
import { firstTexts, groupDigits, pluralize } from '../words.ts'
import type { PartyTools } from './parties.ts'

/** Throws exit 2 for a contact merged into itself, a source that comes twice, and a target that is itself a source. */
export function checkMergePairs(pairs: Iterable<Item>) {
  const { lineById, problems } = findRepeated(pairs)
  for (const { id, line, other = '' } of pairs) {
    const mergedIn = lineById.get(other.toLowerCase())
    if (isSameId(id, other))
      problems.push(inLine(line, `${id} would be merged into itself`))
    else if (mergedIn !== undefined)
      problems.push(
        inLine(line, `${other} is itself merged in line ${groupDigits(mergedIn)}`),
      )
  }
  refusePairs(problems)
}

/** Returns the first line of each id, and a problem for each further pair with the same id. */
function findRepeated(pairs: Iterable<Item>) {
  const lineById = new Map<string, number>()
  const problems: string[] = []
  for (const { id, line } of pairs) {
    const first = lineById.get(id.toLowerCase())
    if (first === undefined) lineById.set(id.toLowerCase(), line)
    else
      problems.push(
        inLine(line, `${id} is in line ${groupDigits(first)} too, with another id`),
      )
  }
  return { lineById, problems }
}

const inLine = (line: number, problem: string) => `line ${groupDigits(line)}: ${problem}`

function refusePairs(problems: readonly string[]) {
  if (problems.length === 0) return
  throw new SvcError('usage', 'the pairs contradict each other; nothing was sent', {
    lines: firstTexts(problems),
  })
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
  refusePairs(findRepeated(pairs).problems)
  return pairs
}

/** Returns the id of each employee that pairs name. Throws exit 2 with every name that fits none or several. */
async function findEmployeeIds(tools: PartyTools, items: Items) {
  const idByName = new Map<string, string>()
  const problems: string[] = []
  for (const { other: name = '', line } of items) {
    if (idByName.has(name)) continue
    idByName.set(name, name)
    try {
      const { id } = await findEmployee(tools.employees, name, tools.nameOptions)
      idByName.set(name, id)
    } catch (error) {
      // `rejected`: the name fits none or several. `usage`: the text can be neither a name nor an id.
      const isAboutName =
        error instanceof SvcError && ['rejected', 'usage'].includes(error.category)
      if (!isAboutName) throw error
      problems.push(inLine(line, messageOf(error)))
    }
  }
  if (problems.length === 0) return idByName
  const count = pluralize(problems.length, 'employee name is', 'employee names are')
  throw new SvcError('usage', `${count} unknown or ambiguous; nothing was sent`, {
    lines: firstTexts(problems),
    hint: 'write exact names or ids into the file; see them with:\n  svc employees list --limit all',
  })
}

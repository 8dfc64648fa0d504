/** Pairs of a table: sources with targets, or tickets with employees. Pairs that contradict each other are refused. */
import { findEmployee } from '../api/by-name.ts'
import { messageOf, SvcError } from '../errors.ts'
import { Items, type Item } from '../input/items.ts'
import { isSameId } from '../identifiers.ts'
import { firstTexts, groupDigits, pluralize } from '../words.ts'
import type { PartyTools } from './parties.ts'

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
  for (const { id, line, other = '' } of pairs) {
    const mergedIn = lineById.get(other.toLowerCase())
    if (isSameId(id, other))
      problems.push(inLine(line, `${id} would be merged into itself`))
    else if (mergedIn !== undefined)
      problems.push(
        inLine(line, `${other} is itself merged in line ${groupDigits(mergedIn)}`),
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
export async function resolveEmployees(tools: PartyTools, pairs: Items) {
  const idByName = new Map<string, string>()
  const problems: string[] = []
  for (const { other: name = '', line } of pairs) {
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
    other: idByName.get(pair.other ?? '') ?? '',
  }))
  return Items.of(resolved).unique()
}

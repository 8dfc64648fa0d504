/** The pairs of a job: what contradicts itself in merges, and the employees of tickets. */
import { findEmployee } from '../api/by-name.ts'
import type { Employee } from '../api/schemas.ts'
import { messageOf, SvcError } from '../errors.ts'
import { isSameId } from '../identifiers.ts'
import { uniqueItems, type Item } from '../input/ids.ts'
import { firstTexts, groupDigits, pluralize } from '../words.ts'

/** Throws exit 2 for an id that comes twice, a contact merged into itself, and a target that is itself a source. */
export function checkPairs(pairs: readonly Item[]) {
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
export async function resolveEmployees(
  tools: { employees: () => Promise<readonly Employee[]> },
  pairs: readonly Item[],
) {
  const idByName = new Map<string, string>()
  const problems: string[] = []
  for (const { target: name = '', line } of pairs) {
    if (idByName.has(name)) continue
    idByName.set(name, name)
    try {
      const { id } = await findEmployee(tools.employees, name)
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
        hint: 'write exact names or ids into the file; to see them:\n  svc employees list --limit all',
      },
    )
  // One line can have the name of an employee, and another line the id.
  const resolved = pairs.map((pair) => ({
    ...pair,
    target: idByName.get(pair.target ?? '') ?? '',
  }))
  return uniqueItems(resolved)
}

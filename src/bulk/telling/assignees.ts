/** Employees to whom tickets would be assigned, before anything is sent: the service refuses some of them. */
import { refusalOf } from '../../api/assignees.ts'
import { namesOf } from '../../api/names.ts'
import { messageOf, SvcError } from '../../errors.ts'
import { safe } from '../../output/text/safe.ts'
import { groupDigits } from '../../words.ts'
import type { BulkOperation } from '../record/events.ts'
import type { ParameterValues } from '../record/run.ts'
import type { Batches } from '../record/batches.ts'
import type { Items } from '../record/items.ts'
import { targetOf, targetParameter } from '../operations/operations.ts'
import type { BulkTools } from '../tools.ts'

interface Assignments {
  readonly parameters: ParameterValues
  readonly items: Items
  readonly batches: Batches
}

/** Warns of employees whose tickets the service will refuse, as far as the list of employees tells. */
export async function warnOfAssignees(
  { employees, warn, note }: Pick<BulkTools, 'employees' | 'warn' | 'note'>,
  operation: BulkOperation,
  assignments: Assignments,
): Promise<void> {
  if (targetParameter(operation)?.kind !== 'employee') return
  try {
    const all = await employees()
    const names = namesOf(all)
    for (const [id, count] of countAssignees(operation, assignments)) {
      const refusal = refusalOf(all, id)
      const name = names.get(id.toLowerCase())
      const who = name === undefined ? id : JSON.stringify(safe(name))
      const tickets = count === 1 ? '1 ticket' : `${groupDigits(count)} tickets`
      if (refusal !== undefined) warn(`the service will refuse ${tickets}: ${who} ${refusal}`)
    }
  } catch (error) {
    if (!(error instanceof SvcError) || error.category === 'interrupted') throw error
    note(
      `employees could not be read, so it is unknown whether they are active: ${safe(messageOf(error))}`,
    )
  }
}

/** Tickets by the id of their new assignee. */
function countAssignees(
  operation: BulkOperation,
  { parameters, items, batches: { from, to } }: Assignments,
): ReadonlyMap<string, number> {
  const common = targetOf(operation, parameters)
  if (common !== undefined) return new Map([[common.id, to - from]])
  const counts = new Map<string, number>()
  for (const { other } of items.pairs?.slice(from, to) ?? []) {
    const id = other.toLowerCase()
    counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  return counts
}

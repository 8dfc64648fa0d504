/** Employees as the verbs on tickets name them. */
import { namesOf } from '../../api/names.ts'
import type { Employee } from '../../api/schemas.ts'
import { messageOf, SvcError } from '../../errors.ts'
import type { Context } from '../../cli/context.ts'
import { safe } from '../../safe-text.ts'

export type Employees = () => Promise<readonly Employee[]>

/** Names by lower-case id; a shared one has its id behind it. A key that may not read employees loses only them. */
export async function employeeNames(
  context: Pick<Context, 'note'>,
  employees: Employees,
): Promise<ReadonlyMap<string, string>> {
  try {
    return namesOf(await employees())
  } catch (error) {
    if (error instanceof SvcError && error.category === 'interrupted') throw error
    context.note(
      `employees are shown by id, since they could not be read: ${safe(messageOf(error))}`,
    )
    return new Map()
  }
}

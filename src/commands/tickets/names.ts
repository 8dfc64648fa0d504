import type { Employee } from '../../api/schemas.ts'
import { fullName } from '../../api/names.ts'
import { messageOf, SvcError } from '../../errors.ts'
import type { Context } from '../../cli/verb.ts'

export type Employees = () => Promise<readonly Employee[]>

/** The employees, read when they are first needed, and once for all who need them. */
export function employeesOf(context: Context): Employees {
  let reading: Promise<readonly Employee[]> | undefined
  return () => (reading ??= context.api().then((api) => api.employees.list()))
}

/** Names by lower-case id. They are only a help: a key that may not read employees loses the names and nothing else. */
export async function employeeNames(context: Context, employees: Employees): Promise<ReadonlyMap<string, string>> {
  try {
    return new Map((await employees()).map((employee) => [employee.id.toLowerCase(), fullName(employee)]))
  } catch (error) {
    if (error instanceof SvcError && error.category === 'interrupted') throw error
    context.note(`employees are shown by id, since they could not be read: ${messageOf(error)}`)
    return new Map()
  }
}

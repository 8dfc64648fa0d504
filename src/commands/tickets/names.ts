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

/**
 * Names by lower-case id; of two employees with one name each has its id behind it. They are only a help: a key that may not
 * read employees loses the names and nothing else.
 */
export async function employeeNames(context: Context, employees: Employees): Promise<ReadonlyMap<string, string>> {
  try {
    return namesOf(await employees())
  } catch (error) {
    if (error instanceof SvcError && error.category === 'interrupted') throw error
    context.note(`employees are shown by id, since they could not be read: ${messageOf(error)}`)
    return new Map()
  }
}

function namesOf(employees: readonly Employee[]): Map<string, string> {
  const count = new Map<string, number>()
  for (const employee of employees) count.set(fullName(employee), (count.get(fullName(employee)) ?? 0) + 1)
  return new Map(
    employees.flatMap((employee): [string, string][] => {
      const name = fullName(employee)
      if (name === '') return []
      return [[employee.id.toLowerCase(), (count.get(name) ?? 0) > 1 ? `${name} (${employee.id})` : name]]
    }),
  )
}

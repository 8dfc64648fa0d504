/**
 * Employees as new assignees, by the rules of the description: active, of this company, with access to the channel. `tickets assign` and the
 * dry run of a bulk one say before anything is sent what can be seen of that.
 */
import { limits } from './operations.ts'
import type { Employee } from './schemas.ts'

/** The employee with an id, in either letter case. */
export function employeeOf(employees: readonly Employee[], wanted: string): Employee | undefined {
  return employees.find(({ id }) => id.toLowerCase() === wanted.toLowerCase())
}

/** Undefined where that cannot be seen: the values of a status are not described, and only the two plain words are taken at their word. */
export function isActive(
  employees: readonly Employee[],
  employee: Employee | undefined,
): boolean | undefined {
  // The service returns so many at most, and there may be more.
  const mayBeMore = employees.length >= limits.employees
  if (employee === undefined) return mayBeMore ? undefined : false
  const status = employee.status?.toLowerCase()
  if (status === 'active') return true
  return status === 'inactive' ? false : undefined
}

/** Why the service will refuse to assign any ticket to an employee; undefined when nothing that can be read says so. */
export function refusalOf(employees: readonly Employee[], id: string): string | undefined {
  const employee = employeeOf(employees, id)
  if (isActive(employees, employee) === false) {
    if (employee === undefined) return 'is not an employee of this company'
    return 'is inactive'
  }
  const hasNoChannel = employee?.channels?.length === 0
  return hasNoChannel ? 'has access to no channel' : undefined
}

import type { Http } from '../http/client.ts'
import type { Employee } from './schemas.ts'

export interface Employees {
  /** At most 1000, sorted by first name, last name, id. */
  list(): Promise<Employee[]>
}

export function employeesApi(http: Http): Employees {
  return { list: () => http.call('employees.list', {}) }
}

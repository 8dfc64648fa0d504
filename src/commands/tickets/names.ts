import type { Api } from '../../api/api.ts'
import { employeeName } from '../../api/names.ts'
import { messageOf, SvcError } from '../../errors.ts'
import type { Tools } from '../../verb.ts'

/** Names by lower-case id. They are only a help: a key that may not read employees loses the names and nothing else. */
export async function employeeNames(tools: Tools, api: Api): Promise<ReadonlyMap<string, string>> {
  try {
    const employees = await api.employees.list()
    return new Map(employees.map((employee) => [employee.id.toLowerCase(), employeeName(employee)]))
  } catch (error) {
    if (error instanceof SvcError && error.category === 'interrupted') throw error
    tools.note(`employees are shown by id, since they could not be read: ${messageOf(error)}`)
    return new Map()
  }
}

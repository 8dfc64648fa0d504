import type { Employee } from '../../api/schemas.ts'
import { fullName, type Named } from '../../api/names.ts'
import { idPattern } from '../../values.ts'
import type { Resolve } from '../../bulk/tools.ts'
import { messageOf, SvcError } from '../../errors.ts'
import type { Context } from '../../cli/verb.ts'
import { safe } from '../../output/text/safe.ts'

export type Employees = () => Promise<readonly Employee[]>

/** The employees, read when they are first needed, and once for all who need them. */
export function employeesOf(context: Context): Employees {
  let reading: Promise<readonly Employee[]> | undefined
  return () => (reading ??= context.api().then((api) => api.employees.list()))
}

/** Names by lower-case id; a shared one has its id behind it. A key that may not read employees loses only them. */
export async function employeeNames(
  context: Context,
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

/** Lets a person choose. Undefined where nobody can be asked. */
export async function chooseEmployee(
  context: Context,
  employees: Employees,
): Promise<Named | undefined> {
  const id = await context.choose('Assign to which employee?', async () => {
    const all = await employees()
    const names = namesOf(all)
    return all.map(({ id, kind, position, status, channels }) => {
      const details = [kind, position, status, channels?.length === 0 ? 'no channels' : undefined]
      const detail = details.filter((word) => word != null && word !== '').join(', ')
      return { value: id, name: names.get(id.toLowerCase()) ?? id, detail }
    })
  })
  return id === undefined
    ? undefined
    : { id, name: namesOf(await employees()).get(id.toLowerCase()) }
}

/** The employees of a csv file, all found in one reading. */
export function employeesByName(read: Employees): Resolve {
  return async (texts) => {
    const isName = (text: string): boolean => !idPattern.test(text.replace(/^id:/, ''))
    const employees = [...texts].some(isName) ? await read() : []
    const byName = new Map<string, string | undefined>()
    for (const employee of employees) {
      const name = fullName(employee)
      byName.set(name, byName.has(name) ? undefined : employee.id)
    }
    byName.delete('')
    return (text) => {
      if (!isName(text)) return text.replace(/^id:/, '')
      return text.startsWith('id:') ? undefined : byName.get(text.replace(/^name:/, ''))
    }
  }
}

function namesOf(employees: readonly Employee[]): Map<string, string> {
  const count = new Map<string, number>()
  for (const employee of employees)
    count.set(fullName(employee), (count.get(fullName(employee)) ?? 0) + 1)
  return new Map(
    employees.flatMap((employee): [string, string][] => {
      const name = fullName(employee)
      if (name === '') return []
      return [
        [employee.id.toLowerCase(), (count.get(name) ?? 0) > 1 ? `${name} (${employee.id})` : name],
      ]
    }),
  )
}

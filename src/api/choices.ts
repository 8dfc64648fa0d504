/** Lists and employees that a person at a terminal chooses from. */
import type { Choice } from '../output/questions/picker.ts'
import type { Api } from './client.ts'
import { namesOf } from './names.ts'
import type { Employee } from './schemas.ts'

export async function listChoices({ lists }: Pick<Api, 'lists'>): Promise<Choice[]> {
  const all: Choice[] = []
  for await (const { id, name, contactsCount } of lists.all({ limit: Infinity }))
    all.push({ value: id, name, detail: `contacts: ${contactsCount}, ${id}` })
  return all
}

export function employeeChoices(employees: readonly Employee[]): Choice[] {
  const names = namesOf(employees)
  return employees.map(({ id, kind, position, status, channels }) => {
    const details = [kind, position, status, channels?.length === 0 ? 'no channels' : undefined]
    const detail = details.filter((word) => word != null && word !== '').join(', ')
    return { value: id, name: names.get(id.toLowerCase()) ?? id, detail }
  })
}

/** Lists and employees, for a person at a terminal to choose from. */
import type { Choice } from '../output/questions.ts'
import type { Api } from './client.ts'
import { allLists, employeeCandidate, listCandidate, type NameCandidate } from './names.ts'
import type { Employee } from './schemas.ts'

/** Reads all lists. */
export async function listChoices(api: Pick<Api, 'lists'>): Promise<Choice[]> {
  return (await allLists(api)).map(listCandidate).map(choiceOf)
}

export function employeeChoices(employees: readonly Employee[]): Choice[] {
  return employees.map(employeeCandidate).map(choiceOf)
}

function choiceOf({ id, name, detail }: NameCandidate): Choice {
  return {
    value: id,
    name: name === '' ? id : name,
    detail: detail === '' ? id : `${detail}, ${id}`,
  }
}

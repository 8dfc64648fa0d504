import { defineCommand, type Verb } from '../../cli/verb.ts'
import { list } from './list.ts'

export const employees: Verb = (program, run) => {
  const noun = defineCommand(program, 'employees', "the company's employees, human and AI", [
    'svc employees list --kind human',
  ])
  for (const verb of [list]) verb(noun, run)
}

import { summaries } from '../../cli/summaries.ts'
import type { Noun } from '../../cli/command.ts'
import { list } from './list.ts'

export const employees: Noun = {
  path: 'employees',
  summary: summaries.employees,
  examples: ['svc employees list --kind human'],
  commands: [list],
}

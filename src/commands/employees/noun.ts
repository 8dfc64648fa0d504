import { summaries, type Noun } from '../../cli/command.ts'

export const employees: Noun = {
  kind: 'noun',
  path: 'employees',
  summary: summaries.employees,
  examples: ['svc employees list --kind human'],
  commands: {
    list: async () => (await import('./list.ts')).list,
  },
}

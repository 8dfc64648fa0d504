import { summaries, type Noun } from '../../cli/command.ts'

/** `svc employees`: its verbs, each loaded when its name is typed. `program/nouns.ts` loads this file when `employees` is. */
export const employees: Noun = {
  kind: 'noun',
  path: 'employees',
  summary: summaries.employees,
  examples: ['svc employees list --kind human'],
  commands: {
    list: async () => (await import('./list.ts')).list,
  },
}

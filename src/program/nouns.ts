/**
 * Everything behind `svc`, loaded when a command line names it: without the options that every command takes, which help does not show.
 * `help/answer.ts`, `answers.ts` and `completion.ts` begin with it.
 */
import { type Command, type Noun, summaries } from '../cli/command.ts'
import { treeOf, type Tree } from './tree.ts'

type Name = keyof typeof summaries

const loaders: Readonly<Record<Name, () => Promise<Noun | Command>>> = {
  lists: async () => (await import('../commands/lists/noun.ts')).lists,
  contacts: async () => (await import('../commands/contacts/noun.ts')).contacts,
  tickets: async () => (await import('../commands/tickets/noun.ts')).tickets,
  employees: async () => (await import('../commands/employees/noun.ts')).employees,
  runs: async () => (await import('../commands/runs/noun.ts')).runs,
  plans: async () => (await import('../commands/plans/noun.ts')).plans,
  ids: async () => (await import('../commands/ids/noun.ts')).ids,
  profiles: async () => (await import('../commands/profiles/noun.ts')).profiles,
  whoami: async () => (await import('../commands/whoami.ts')).whoami,
  doctor: async () => (await import('../commands/doctor/doctor.ts')).doctor,
  help: async () => (await import('./help/help.ts')).helpCommand(nouns),
  api: async () => (await import('../commands/api/api.ts')).api,
  completion: async () => (await import('../commands/completion/completion.ts')).completion,
  sandbox: async () => (await import('../commands/sandbox/noun.ts')).sandbox,
}

const forDevelopers: ReadonlySet<string> = new Set(['api', 'completion', 'sandbox'])

const root = treeOf({
  kind: 'noun',
  path: 'svc',
  summary: 'manage contacts, lists, tickets and employees of a customer-conversation service',
  description: 'Manage the contacts, lists, tickets and employees of a conversation service.',
  examples: [
    'svc sandbox exec -- svc lists get VIP',
    'svc lists add-contacts VIP --file ids.txt',
    'svc help bulk',
  ],
  commands: {},
})

export const nouns: Tree = {
  ...root,
  commands: Object.entries(loaders).map(([name, load]) => ({
    name,
    path: `svc ${name}`,
    summary: summaries[name as Name],
    ...(forDevelopers.has(name) ? { group: 'For developers:' } : {}),
    load: async () => treeOf(await load()),
  })),
}

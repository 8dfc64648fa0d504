/** Everything behind `svc`, loaded when a command line names it. */
import type { Command, Noun } from '../cli/command.ts'
import { summaries } from '../cli/summaries.ts'
import { treeOf, type Tree } from './tree.ts'
import { rootOptions } from './global-options.ts'

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
  help: async () => (await import('./help/help.ts')).helpCommand(wholeTree),
  api: async () => (await import('../commands/api/api.ts')).api,
  completion: async () => (await import('../commands/completion/completion.ts')).completion,
  sandbox: async () => (await import('../commands/sandbox/noun.ts')).sandbox,
}

const names = Object.keys(summaries) as Name[]
const forDevelopers: ReadonlySet<Name> = new Set(['api', 'completion', 'sandbox'])

/** What a noun is when only its name matters. */
const nameAlone = (name: Name): Noun => ({ path: name, summary: summaries[name], commands: [] })

/** The tree of commands. Of the nouns that are not among `words`, only what they are called. */
export async function treeFor(words: readonly string[]): Promise<Tree> {
  const loaded = await Promise.all(
    names.map(async (name) => {
      const tree = treeOf(words.includes(name) ? await loaders[name]() : nameAlone(name))
      return forDevelopers.has(name) ? { ...tree, group: 'For developers:' } : tree
    }),
  )
  return {
    ...treeOf({
      path: 'svc',
      summary: 'manage contacts, lists, tickets and employees of a customer-conversation service',
      description: 'Manage the contacts, lists, tickets and employees of a conversation service.',
      examples: ['svc sandbox exec -- svc lists get VIP', 'svc lists add-contacts VIP --file ids.txt', 'svc help bulk'],
      commands: [],
      options: rootOptions,
    }),
    commands: loaded,
  }
}

/** Every command with all that is known of it. */
export function wholeTree(): Promise<Tree> {
  return treeFor(names)
}

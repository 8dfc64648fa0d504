import { summaries, type Noun } from '../../cli/command.ts'

/** `svc profiles`: its verbs, each loaded when its name is typed. `program/nouns.ts` loads this file when `profiles` is. */
export const profiles: Noun = {
  kind: 'noun',
  path: 'profiles',
  summary: summaries.profiles,
  description: "Saved connections: base URL, key and secret, in the user's configuration file.",
  examples: ['svc profiles list', 'svc profiles show'],
  commands: {
    list: async () => (await import('./list.ts')).list,
    show: async () => (await import('./show.ts')).show,
    add: async () => (await import('./add.ts')).add,
    use: async () => (await import('./use.ts')).use,
    rename: async () => (await import('./rename.ts')).rename,
    remove: async () => (await import('./remove.ts')).remove,
    path: async () => (await import('./path.ts')).path,
  },
}

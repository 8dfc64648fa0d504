import { summaries, type Noun } from '../../cli/command.ts'

/** `svc lists`: its verbs, each loaded when its name is typed. `program/nouns.ts` loads this file when `lists` is. */
export const lists: Noun = {
  kind: 'noun',
  path: 'lists',
  summary: summaries.lists,
  examples: ['svc lists list --search VIP', 'svc lists members VIP -o ids'],
  commands: {
    list: async () => (await import('./list.ts')).list,
    get: async () => (await import('./get.ts')).get,
    members: async () => (await import('./members.ts')).members,
    create: async () => (await import('./create.ts')).create,
    update: async () => (await import('./update.ts')).update,
    'add-contacts': async () => (await import('./add-contacts.ts')).addContacts,
  },
}

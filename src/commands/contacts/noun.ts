import { summaries, type Noun } from '../../cli/command.ts'

/** `svc contacts`: its verbs, each loaded when its name is typed. `program/nouns.ts` loads this file when `contacts` is. */
export const contacts: Noun = {
  kind: 'noun',
  path: 'contacts',
  summary: summaries.contacts,
  examples: [
    'svc contacts find --email contact25@example.com',
    'svc contacts delete --file ids.txt --dry-run',
  ],
  commands: {
    list: async () => (await import('./list.ts')).list,
    get: async () => (await import('./get.ts')).get,
    find: async () => (await import('./find.ts')).find,
    match: async () => (await import('./match.ts')).match,
    duplicates: async () => (await import('./duplicates.ts')).duplicates,
    merge: async () => (await import('./merge.ts')).merge,
    delete: async () => (await import('./delete.ts')).deleteContacts,
  },
}

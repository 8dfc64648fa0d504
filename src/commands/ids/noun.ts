import { summaries, type Noun } from '../../cli/command.ts'

/** `svc ids`: its verbs, each loaded when its name is typed. `program/nouns.ts` loads this file when `ids` is. */
export const ids: Noun = {
  kind: 'noun',
  path: 'ids',
  summary: summaries.ids,
  description:
    'Check, clean and combine id files, in every format that the bulk commands read. No request is sent.',
  examples: ['svc ids check ids.txt', 'svc ids subtract ids.txt keep.txt > rest.txt'],
  commands: {
    check: async () => (await import('./check.ts')).check,
    union: async () => (await import('./union.ts')).union,
    intersect: async () => (await import('./intersect.ts')).intersect,
    subtract: async () => (await import('./subtract.ts')).subtract,
  },
}

import { summaries, type Noun } from '../../cli/command.ts'

/** `svc tickets`: its verbs, each loaded when its name is typed. `program/nouns.ts` loads this file when `tickets` is. */
export const tickets: Noun = {
  kind: 'noun',
  path: 'tickets',
  summary: summaries.tickets,
  description:
    'Tickets, their history and their assignee. The id of a ticket is part of its address in the service; you can paste\n' +
    'the address instead. The service cannot list tickets, not even those of a contact.',
  examples: [
    'svc tickets history 64000004caa033e218000000 -o transcript',
    'svc tickets assign 64000004caa033e218000000 --to "Robin Berg"',
  ],
  commands: {
    get: async () => (await import('./get.ts')).get,
    history: async () => (await import('./history.ts')).history,
    assign: async () => (await import('./assign.ts')).assign,
  },
}

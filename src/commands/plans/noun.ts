import { summaries, type Noun } from '../../cli/command.ts'

/** `svc plans`: its verbs, each loaded when its name is typed. `program/nouns.ts` loads this file when `plans` is. */
export const plans: Noun = {
  kind: 'noun',
  path: 'plans',
  summary: summaries.plans,
  description:
    'Plans of bulk commands: --plan writes what would be sent as a file, somebody else reviews and signs it, and it is\n' +
    'applied once, exactly as written.',
  examples: [
    'svc contacts delete --file ids.txt --plan old.plan --reason "DSAR 4711"',
    'svc plans approve old.plan',
    'svc plans apply old.plan --yes',
  ],
  commands: {
    show: async () => (await import('./show.ts')).show,
    approve: async () => (await import('./approve.ts')).approve,
    apply: async () => (await import('./apply.ts')).apply,
  },
}

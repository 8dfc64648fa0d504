import { summaries, type Noun } from '../../cli/command.ts'

/** `svc sandbox`: its verbs, each loaded when its name is typed. `program/nouns.ts` loads this file when `sandbox` is. */
export const sandbox: Noun = {
  kind: 'noun',
  path: 'sandbox',
  summary: summaries.sandbox,
  description:
    'Run the whole service on this machine, with sample data that is always the same, to try and test things.',
  examples: [
    'svc sandbox shell',
    'svc sandbox exec -- svc lists get VIP',
    'svc sandbox start --port 0',
  ],
  commands: {
    shell: async () => (await import('./shell.ts')).shell,
    exec: async () => (await import('./exec.ts')).exec,
    start: async () => (await import('./start.ts')).start,
  },
}

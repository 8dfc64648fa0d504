import { summaries, type Noun } from '../../cli/command.ts'

/** `svc runs`: its verbs, each loaded when its name is typed. `program/nouns.ts` loads this file when `runs` is. */
export const runs: Noun = {
  kind: 'noun',
  path: 'runs',
  summary: summaries.runs,
  description:
    'Recorded bulk runs: see what became of each id, resume after a stop, send some ids again, undo assigns.',
  examples: ['svc runs list', 'svc runs resume --last'],
  commands: {
    list: async () => (await import('./list.ts')).list,
    show: async () => (await import('./show.ts')).show,
    resume: async () => (await import('./resume.ts')).resume,
    retry: async () => (await import('./retry.ts')).retry,
    undo: async () => (await import('./undo.ts')).undo,
    export: async () => (await import('./export.ts')).exportRun,
    evidence: async () => (await import('./evidence.ts')).evidence,
    check: async () => (await import('./check.ts')).checkRun,
    prune: async () => (await import('./prune.ts')).prune,
  },
}

import { defineVerb } from '../../cli/verb.ts'
import { rows } from '../../output/result.ts'
import { evidenceView } from '../../views/plan.ts'
import { lastOption, otherForms, runArgument, typedRun } from './reading.ts'

export const evidence = defineVerb({
  description:
    'Write a new folder with the plan and its signatures if there were any, the receipts, the journal, what is claimed\n' +
    'in plain words, and checksums. It contains ids, the reason and paths, and no names. It is checked without svc, with\n' +
    'sha256sum and ssh-keygen. It says what the service answered, and nothing beyond that.',
  examples: [
    'svc runs evidence 20260301T101500Z-7f3a --out-dir dsar-4711',
    'svc runs evidence --last --out-dir dsar-4711 --key ben.pub',
  ],
  notes: otherForms,
  arguments: [runArgument],
  options: {
    ...lastOption,
    outDir: {
      value: 'folder',
      takes: 'file',
      summary: 'a folder that does not exist yet',
      isRequired: true,
    },
    key: {
      value: 'file',
      takes: 'file',
      summary: 'the SSH key with which the checksums are signed',
    },
  },
  effect: 'local',
  shows: evidenceView,
  run: async (context, [name], options) => {
    const { writeEvidence } = await import('../../plans/evidence.ts')
    return rows(await writeEvidence(context, typedRun(name, options), options))
  },
})

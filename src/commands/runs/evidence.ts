import type { Verb } from '../../cli/verb.ts'
import { rows } from '../../output/result.ts'
import { evidenceView } from '../../resources/plan.ts'
import { runVerb, typedRun } from './reading.ts'

export const evidence: Verb = (runs, run) =>
  runVerb(runs, 'evidence', 'write a folder that shows what became of a run, to be checked without svc', [
    'svc runs evidence 20260301T101500Z-7f3a --out-dir dsar-4711',
    'svc runs evidence --last --out-dir dsar-4711 --key ben.pub',
  ])
    .description(
      'Write a new folder with the plan and its signatures if there were any, the receipts, the journal, what is claimed\n' +
        'in plain words, and checksums. It contains ids, the reason and paths, and no names. It is checked without svc, with\n' +
        'sha256sum and ssh-keygen. It says what the service answered, and nothing beyond that.',
    )
    .requiredOption('--out-dir <folder>', 'a folder that does not exist yet')
    .option('--key <file>', 'the SSH key with which the checksums are signed')
    .action(
      run(evidenceView, async (context, name, options) => {
        const { writeEvidence } = await import('../../plans/evidence.ts')
        return rows(await writeEvidence(context, await typedRun(context, name, options), options))
      }),
    )

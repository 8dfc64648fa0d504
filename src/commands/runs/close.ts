import { defineVerb } from '../../cli/verb.ts'
import { plainText } from '../../output/result.ts'
import { closeRun } from '../../runs/engine.ts'
import { findRun, runArgument } from '../../cli/runs.ts'

export const verb = defineVerb({
  summary: 'send nothing more in a run',
  description:
    'Close a run: nothing more is sent in it. svc asks first, and says how many ids will not be sent. The receipts of the run stay.',
  examples: [
    'svc runs close delete-20260301-101500-3f9a',
    'svc runs close delete-20260301-101500-3f9a --yes',
  ],
  arguments: [{ ...runArgument, isRequired: true }],
  formats: ['table'],
  act: async (context, [run]) => {
    await closeRun(context, await findRun(context, run))
    return plainText('')
  },
})

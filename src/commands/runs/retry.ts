import { usuallyReopened } from '../../bulk/operations/outcome.ts'
import { defineResumption } from './resumption.ts'

export const verb = defineResumption(
  {
    description:
      'Open batches again in which ids ended with some outcomes ' +
      `(${usuallyReopened.join(', ')} without --outcome), and resume the run. Batches ` +
      'are opened whole and in the same run, so that earlier attempts are not ' +
      'forgotten. It asks for confirmation again if the run did.',
    examples: [
      'svc runs retry 20260301T101500Z-7f3a --outcome error,unknown',
      'svc runs retry --last --receipts out.csv',
    ],
  },
  usuallyReopened,
)

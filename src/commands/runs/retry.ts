import { usuallyReopened } from '../../bulk/operations/outcome.ts'
import { defineResumption } from './resumption.ts'

export const verb = defineResumption(
  {
    description:
      'Send batches again that have ids with certain outcomes ' +
      `(default: ${usuallyReopened.join(', ')}), and resume the run. Whole batches ` +
      'are sent again in the same run, so that svc remembers the earlier ' +
      'attempts. It asks for confirmation again if the run did.',
    examples: [
      'svc runs retry 20260301T101500Z-7f3a --outcome error,unknown',
      'svc runs retry --last --receipts out.csv',
    ],
  },
  usuallyReopened,
)

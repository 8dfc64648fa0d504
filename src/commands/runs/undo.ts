import { startBulk } from '../../cli/bulk-command.ts'
import { outcomeFiles, reasonOption, receiptIds, takeOptions } from '../../cli/bulk-verb.ts'
import { defineVerb } from '../../cli/verb.ts'
import { runArgument } from '../../cli/recorded-runs.ts'

export const verb = defineVerb({
  description:
    'Undo the confirmed changes of a tickets assign run: each ticket goes back to ' +
    "its former assignee, if the run's assignee still has it. Tickets whose answer was " +
    'lost are skipped and named (exit code 3). The undo is a run named ' +
    'undo-<run>: the same command resumes it, or shows its result if it is finished. To ' +
    'undo a part, export the run (--outcome done -o csv), keep some rows, and pass ' +
    'that table to tickets assign.',
  examples: [
    'svc runs undo 20260301T101500Z-7f3a --dry-run',
    'svc runs undo --last --receipts undone.csv',
  ],
  arguments: [runArgument],
  options: {
    last: {
      summary: "the newest run of this profile's service that is not itself an undo",
    },
    dryRun: { summary: 'only say how many changes would be undone' },
    receipts: outcomeFiles.receipts,
    reason: { ...reasonOption.reason, summary: 'the reason, recorded with the undo' },
    ...takeOptions,
  },
  // The record of the run is what it reads as its input.
  effect: 'from input',
  ids: receiptIds,
  run: async (context, [run], options) =>
    startBulk(context, { kind: 'undo', run: { run, last: options.last }, options }),
})

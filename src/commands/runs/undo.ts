import { lockOptions, reasonOption } from '../../cli/bulk-options.ts'
import { startBulk } from '../../cli/bulk-command.ts'
import { defineVerb } from '../../cli/verb.ts'
import { runOutcomeView } from '../schema-of.ts'
import { lastOption, runArgument, typedRun } from './reading.ts'

export const verb = defineVerb({
  description:
    'Change back what a run changed, as far as an answer confirmed it. Each ticket of a run of tickets assign goes back to its\n' +
    'previous assignee, but only while the assignee is still the one that the run set. What lost an answer is left alone and\n' +
    'named: exit 3. The undo is a run named undo-<run>: the same command resumes it or finds it done. For a part of it, export\n' +
    'the run (--outcome done -o csv), keep rows, and give that table to tickets assign.',
  examples: [
    'svc runs undo 20260301T101500Z-7f3a --dry-run',
    'svc runs undo --last --receipts undone.csv',
  ],
  arguments: [runArgument],
  options: {
    ...lastOption,
    dryRun: { summary: 'only say how many changes would be undone' },
    receipts: {
      value: 'file',
      takes: 'file',
      summary: 'write the outcome of each id (.csv, .xlsx or .ndjson)',
      isCarried: true,
    },
    reason: { ...reasonOption.reason, summary: 'why; kept with the undo', group: undefined },
    newKey: { ...lockOptions.newKey, group: undefined },
    takeOver: { ...lockOptions.takeOver, group: undefined },
  },
  effect: 'from input',
  shows: runOutcomeView,
  run: async (context, [name], options) =>
    startBulk(context, { kind: 'undo', run: typedRun(name, options), options }),
})

import { startBulk } from '../../cli/start-bulk.ts'
import { defineVerb, schemaOf } from '../../cli/verb.ts'
import { reasonOption } from '../../cli/bulk-options.ts'
import { assignOutcomeView } from '../../views/bulk.ts'
import { lastOption, runArgument, typedRun } from './reading.ts'

export const undo = defineVerb({
  description:
    'Undo a run of tickets assign: each ticket that the run changed goes back to its previous assignee, but only while the\n' +
    'assignee is still the one that the run set. Tickets that already had that assignee, whose assignee before is not\n' +
    'known, or whose change no answer of the service confirmed stay as they are. A ticket for which an attempt whose\n' +
    'answer was lost can still take effect is left out, with the time from which undo takes it: exit 7. What an earlier undo\n' +
    'of the run gave back, or may have given back, is left alone. It is a new run with receipts of its own, and can be\n' +
    'undone too. For a part of a run, export it (--outcome done -o csv), keep rows, and give that table to tickets assign.\n' +
    'What other commands changed cannot be undone.',
  examples: [
    'svc runs undo 20260301T101500Z-7f3a --dry-run',
    'svc runs undo --last --receipts undone.csv',
  ],
  arguments: [runArgument],
  options: {
    ...lastOption,
    dryRun: { summary: 'only say how many tickets would be returned' },
    receipts: {
      value: 'file',
      takes: 'file',
      summary: 'write the outcome of each ticket (.csv, .xlsx or .ndjson)',
      isCarried: true,
    },
    reason: { ...reasonOption.reason, summary: 'why; kept with the undo', group: undefined },
    newKey: { summary: 'undo with a different key from the one the run was made with' },
    takeOver: {
      summary: 'take the lock of a run whose holder has shown no sign of life for a minute',
    },
  },
  effect: 'from input',
  isDestructive: false,
  isIdempotent: false,
  shows: { ...assignOutcomeView, schema: schemaOf('Summary') },
  run: (context, [name], options) =>
    startBulk(context, {
      kind: 'undo',
      run: typedRun(name, options),
      options,
      isDry: options.dryRun === true,
    }),
})

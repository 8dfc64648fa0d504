import { schemaOf, type Verb } from '../../cli/verb.ts'
import { assignOutcomeView } from '../../resources/bulk.ts'
import { runVerb, typedRun } from './reading.ts'

export const undo: Verb = (runs, run) =>
  runVerb(runs, 'undo', 'return the tickets of an assign run to their previous assignees', [
    'svc runs undo 20260301T101500Z-7f3a --dry-run',
    'svc runs undo --last --receipts undone.csv',
  ])
    .description(
      'Undo a run of tickets assign: each ticket that the run changed goes back to its previous assignee, but only while the\n' +
        'assignee is still the one that the run set. Tickets that already had that assignee, whose assignee before is not\n' +
        'known, or whose change no answer of the service confirmed stay as they are. A ticket for which an attempt whose\n' +
        'answer was lost can still take effect is left out, with the time from which undo takes it: exit 7. It is a new run with receipts of its own, and can be\n' +
        'undone too. Deletes, merges and adds to a list cannot be undone. A single change is not recorded: use the UNDO line that it printed.',
    )
    .option('--dry-run', 'only say how many tickets would be returned')
    .option('--receipts <file>', 'write the outcome of each ticket to this .csv or .ndjson file')
    .option('--new-key', 'undo with a different key from the one the run was made with')
    .option('--take-over', 'take the lock of a run whose holder has shown no sign of life for a minute')
    .action(
      run({ ...assignOutcomeView, schema: schemaOf('Summary') }, async (context, name, options) =>
        context.bulk.undo(await typedRun(context, name, options), options),
      ),
    )

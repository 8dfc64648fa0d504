import type { Verb } from '../../cli/verb.ts'
import { assignOutcomeView } from '../../resources/bulk.ts'
import { examples } from '../../cli/options.ts'
import { typedRun } from './choose.ts'
import { lastOption } from './reading.ts'

export const undo: Verb = (runs, run) =>
  lastOption(runs.command('undo'))
    .summary('give the tickets of an assign run back to who had them')
    .description(
      'Undo a run of tickets assign: each ticket that the run changed goes back to who had it before, but only while the\n' +
        'assignee is still the one that the run set. Tickets that already had that assignee, whose assignee before is not\n' +
        'known, or whose change no answer of the service confirmed stay as they are. A ticket for which an attempt whose\n' +
        'answer was lost can still take effect is left out, with the time from which undo takes it: exit 7. It is a new run with receipts of its own, and can be\n' +
        'undone too. Deletes, merges and adds to a list cannot be undone.',
    )
    .argument('[run]', 'its id, or its --once name; asked for on a terminal')
    .option('--dry-run', 'only say how many tickets would be given back')
    .option('--receipts <file>', 'write the outcome of each ticket to this .csv or .ndjson file')
    .option('--new-key', 'undo with another key than the run was made with')
    .option('--take-over', 'take the lock of a run whose holder has shown no sign of life for a minute')
    .addHelpText(
      'after',
      examples('svc runs undo 20260301T101500Z-7f3a --dry-run', 'svc runs undo --last --receipts undone.csv'),
    )
    .action(
      run(assignOutcomeView, async (context, name, options) => {
        const last = options.last === true
        return context.bulk.undo({ run: await typedRun(context, name, { last }), last }, options)
      }),
    )

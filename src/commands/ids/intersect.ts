import { defineCommand, type Verb } from '../../cli/verb.ts'
import { comparingOptions, idRows, idView, readEach } from '../id-reading.ts'

export const intersect: Verb = (ids, run) =>
  comparingOptions(
    defineCommand(ids, 'intersect', 'print the ids that are in all of the inputs', [
      'svc ids intersect ids.txt export.csv',
      'svc lists members VIP -o ids | svc ids intersect - ids.txt',
      'svc ids intersect ids.txt keep.txt --allow-empty',
    ]),
  )
    .description(
      'Print the ids that are in all of the inputs, in the order and spelling of the first. An input without ids after ' +
        'the first is refused: in a pipeline, it often means that a command before it failed.',
    )
    .argument('<input>', 'a file, or - for standard input')
    .argument('<input...>', 'more inputs')
    .action(
      run(idView, async (context, first, others, options) => {
        const read = await readEach(context, first, others, options)
        return idRows(read.first, (id) => read.others.every((table) => table.has(id)))
      }),
    )

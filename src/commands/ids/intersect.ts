import type { Verb } from '../../verb.ts'
import { examples } from '../options.ts'
import { idRows, idView, readEach, readingOptions } from './reading.ts'

export const intersect: Verb = (ids, run) =>
  readingOptions(ids.command('intersect'))
    .summary('print the ids that are in all of the inputs')
    .description('Print the ids that are in all of the inputs, in the order and spelling of the first.')
    .argument('<input>', 'a file, or - for standard input')
    .argument('<inputs...>', 'more of them')
    .addHelpText(
      'after',
      examples('svc ids intersect ids.txt export.csv', 'svc lists members VIP -o ids | svc ids intersect - ids.txt'),
    )
    .action(
      run(idView, async (tools, first, others, options) => {
        const read = await readEach(tools, first, others, options)
        return idRows(read.first, (id) => read.others.every((table) => table.has(id)))
      }),
    )

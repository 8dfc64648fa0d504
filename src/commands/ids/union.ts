import { defineCommand, type Verb } from '../../cli/verb.ts'
import { idRows, idView, readTable, readingOptions } from '../id-reading.ts'

export const union: Verb = (ids, run) =>
  readingOptions(
    defineCommand(ids, 'union', 'print the ids that are in any of the inputs', [
      'svc ids union ids.txt export.csv > both.txt',
      'svc lists members VIP -o ids | svc ids union - ids.txt',
    ]),
  )
    .description('Print the ids that are in any of the inputs, each once, starting with those of the first input.')
    .argument('<input>', 'a file, or - for standard input')
    .argument('<input...>', 'more inputs')
    .action(
      run(idView, async (context, first, others, options) =>
        idRows(await readTable(context, [first, ...others], options)),
      ),
    )

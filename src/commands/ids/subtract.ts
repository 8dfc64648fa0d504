import type { Verb } from '../../verb.ts'
import { examples } from '../options.ts'
import { idRows, idView, readEach, readingOptions } from './reading.ts'

export const subtract: Verb = (ids, run) =>
  readingOptions(ids.command('subtract'))
    .summary('print the ids of the first input that are in none of the others')
    .description('Print the ids of the first input that are in none of the others, in its order and spelling.')
    .argument('<input>', 'a file, or - for standard input')
    .argument('<inputs...>', 'what is taken away')
    .addHelpText(
      'after',
      examples(
        'svc ids subtract ids.txt keep.txt',
        'svc lists members VIP -o ids | svc ids subtract - keep.txt > rest.txt',
      ),
    )
    .action(
      run(idView, async (tools, first, others, options) => {
        const read = await readEach(tools, first, others, options)
        return idRows(read.first, (id) => !read.others.some((table) => table.has(id)))
      }),
    )

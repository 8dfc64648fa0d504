import { defineCommand, type Verb } from '../../cli/verb.ts'
import { comparingOptions, idRows, idView, readEach } from '../id-reading.ts'

export const subtract: Verb = (ids, run) =>
  comparingOptions(
    defineCommand(ids, 'subtract', 'print the ids of the first input that are in none of the others', [
      'svc ids subtract ids.txt keep.txt',
      'svc lists members VIP -o ids > keep.txt && svc ids subtract ids.txt keep.txt',
      'svc ids subtract ids.txt keep.txt --allow-empty',
    ]),
  )
    .description(
      'Print the ids of the first input that are in none of the others, in its order and spelling. An input without ids ' +
        'after the first is refused: in a pipeline, it often means that a command before it failed.',
    )
    .argument('<input>', 'a file, or - for standard input')
    .argument('<input...>', 'inputs with the ids to leave out')
    .action(
      run(idView, async (context, first, others, options) => {
        const read = await readEach(context, first, others, options)
        return idRows(read.first, (id) => !read.others.some((table) => table.has(id)))
      }),
    )

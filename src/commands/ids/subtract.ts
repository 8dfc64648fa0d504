import { defineVerb } from '../../cli/verb.ts'
import { comparingOptions, idRows, idView, inputArgument, readEach } from '../id-reading.ts'

export const verb = defineVerb({
  description:
    'Print the ids of the first input that are in none of the others, in its order and spelling. An input without ids ' +
    'after the first is refused: in a pipeline, it often means that a command before it failed.',
  examples: [
    'svc ids subtract ids.txt keep.txt',
    'svc lists members VIP -o ids > keep.txt && svc ids subtract ids.txt keep.txt',
    'svc ids subtract ids.txt keep.txt --allow-empty',
  ],
  arguments: [
    inputArgument,
    {
      name: 'input',
      takes: 'file',
      summary: 'inputs with the ids to leave out',
      isRequired: true,
      isVariadic: true,
    },
  ],
  options: comparingOptions,
  effect: 'reads',
  shows: idView,
  run: async (context, [first, others], options) => {
    const read = await readEach(context, first, others, options)
    return idRows(read.first, (id) => !read.others.some((table) => table.has(id)))
  },
})

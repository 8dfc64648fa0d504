import { defineVerb } from '../../cli/verb.ts'
import { comparingOptions, idRows, idView, inputArgument, readEach } from '../id-reading.ts'

export const verb = defineVerb({
  description:
    'Print the ids that are in all of the inputs, in the order and spelling of the first. An input without ids after ' +
    'the first is refused: in a pipeline, it often means that a command before it failed.',
  examples: [
    'svc ids intersect ids.txt export.csv',
    'svc lists members VIP -o ids | svc ids intersect - ids.txt',
    'svc ids intersect ids.txt keep.txt --allow-empty',
  ],
  arguments: [
    inputArgument,
    {
      name: 'input',
      takes: 'file',
      summary: 'more inputs',
      isRequired: true,
      isVariadic: true,
    },
  ],
  options: comparingOptions,
  effect: 'reads',
  shows: idView,
  run: async (context, [first, others], options) => {
    const read = await readEach(context, first, others, options)
    return idRows(read.first, (id) => read.others.every((table) => table.has(id)))
  },
})

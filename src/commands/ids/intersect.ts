import { defineComparison } from '../id-reading.ts'

export const verb = defineComparison(
  {
    description:
      'Print the ids that are in all of the inputs, in the order and spelling of the first. An input without ids after ' +
      'the first is refused: in a pipeline, it often means that a command before it failed.',
    examples: [
      'svc ids intersect ids.txt export.csv',
      'svc lists members VIP -o ids | svc ids intersect - ids.txt',
      'svc ids intersect ids.txt keep.txt --allow-empty',
    ],
    summary: 'more inputs',
  },
  (others, id) => others.every((table) => table.has(id)),
)

import { defineComparison } from '../id-reading.ts'

export const verb = defineComparison(
  {
    description:
      'Print the ids of the first input that are in none of the others, in its order and spelling. An input without ids ' +
      'after the first is refused: in a pipeline, it often means that a command before it failed.',
    examples: [
      'svc ids subtract ids.txt keep.txt',
      'svc lists members VIP -o ids > keep.txt && svc ids subtract ids.txt keep.txt',
      'svc ids subtract ids.txt keep.txt --allow-empty',
    ],
    summary: 'inputs with the ids to leave out',
  },
  (others, id) => !others.some((table) => table.has(id)),
)

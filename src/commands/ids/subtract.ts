import { inputOptions, inputArgument, readIdTable } from '../../cli/id-input.ts'
import { defineVerb, viewOf } from '../../cli/verb.ts'
import type { IdTable } from '../../input/reader.ts'
import { rows } from '../../output/result.ts'

/** Plain ids, one per line, unless asked otherwise: they go into the next command. */
const idView = viewOf('Ids', ['id'], { id: ({ id }) => id, defaultFormat: 'ids' })

export const verb = defineVerb({
  description:
    'Print the ids of the first input that are in none of the others, in its order and spelling.',
  examples: [
    'svc ids subtract ids.txt keep.txt',
    'svc lists members VIP -o ids > keep.txt && svc ids subtract ids.txt keep.txt',
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
  options: {
    ...inputOptions,
    allowEmpty: { summary: 'accept a first input without any id', default: 'exit 2' },
  },
  effect: 'reads',
  shows: idView,
  run: async (context, [first, others], options) => {
    const { checkInputs, inputsOf } = await import('../../input/input.ts')
    checkInputs(inputsOf(context.host, { files: [first, ...others] }))
    const table = await readIdTable(context, { files: [first] }, options)
    const leftOut: IdTable[] = []
    for (const word of others) {
      const { allowEmpty: _, ...which } = options
      leftOut.push(await readIdTable(context, { files: [word] }, which))
    }
    function* remaining(): Generator<{ id: string }> {
      for (const id of table) if (!leftOut.some((other) => other.has(id))) yield { id }
    }
    return rows(remaining(), { empty: 'no ids' })
  },
})

import { inputOptions } from '../../cli/input-options.ts'
import { defineVerb } from '../../cli/verb.ts'
import { usageError } from '../../errors.ts'
import type { IdTable } from '../../input/reader.ts'
import { rows } from '../../output/result.ts'
import { inputArgument, readTable } from '../id-reading.ts'
import { viewOf } from '../view-of.ts'

/** Plain ids, one per line, unless asked otherwise: they go into the next command. */
const idView = viewOf('Ids', ['id'], { id: ({ id }) => id, defaultFormat: 'ids' })

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
  options: {
    ...inputOptions,
    allowEmpty: { summary: 'accept inputs without ids after the first' },
  },
  effect: 'reads',
  shows: idView,
  run: async (context, [first, others], options) => {
    const { checkInputs, inputName, inputOf, inputsOf } =
      await import('../../input/input.ts')
    checkInputs(inputsOf(context.host, { files: [first, ...others] }))
    const table = await readTable(context, { files: [first] }, options)
    const leftOut: IdTable[] = []
    for (const word of others) {
      const other = await readTable(context, { files: [word] }, options)
      if (other.size === 0 && options.allowEmpty !== true) {
        throw usageError(
          `${inputName(inputOf(context.host, word))} has no ids`,
          'in a pipeline, that often means that a command before it failed; if it is intended, add --allow-empty',
        )
      }
      leftOut.push(other)
    }
    function* remaining(): Generator<{ id: string }> {
      for (const id of table) if (!leftOut.some((other) => other.has(id))) yield { id }
    }
    return rows(remaining(), { empty: 'no ids' })
  },
})

/** Options that say what an input is and which of its rows count. */
import { defineOptions } from './options.ts'

export const fileOption = defineOptions({
  file: {
    value: 'path',
    takes: 'file',
    summary: 'a file of ids, or - for standard input',
    isRepeatable: true,
  },
})

export const inputOptions = defineOptions({
  column: { value: 'name|n', summary: 'the column or key with the ids' },
  where: {
    value: 'column=value',
    takes: 'text',
    summary: 'only rows with this value, or without it (!=); if several, all must hold',
    isRepeatable: true,
  },
  skipInvalid: { summary: 'skip bad lines instead of refusing the input' },
  allowEmpty: { summary: 'accept an input without any id', default: 'exit 2' },
})

import { defineCommand } from '../../cli/command.ts'
import { idRows, idView, readTable, readingOptions } from '../id-reading.ts'

export const union = defineCommand({
  path: 'ids union',
  summary: 'print the ids that are in any of the inputs',
  description:
    'Print the ids that are in any of the inputs, each once, starting with those of the first input.',
  examples: [
    'svc ids union ids.txt export.csv > both.txt',
    'svc lists members VIP -o ids | svc ids union - ids.txt',
  ],
  arguments: [
    { name: 'input', takes: 'file', summary: 'a file, or - for standard input', isRequired: true },
    { name: 'input', takes: 'file', summary: 'more inputs', isRequired: true, isVariadic: true },
  ],
  options: { ...readingOptions },
  effect: 'reads',
  shows: idView,
  run: async (context, first, others, options) =>
    idRows(await readTable(context, { files: [first, ...others] }, options)),
})

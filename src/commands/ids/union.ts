import { defineVerb } from '../../cli/verb.ts'
import { inputOptions } from '../../cli/input-options.ts'
import { idRows, idView, readTable } from '../id-reading.ts'

export const verb = defineVerb({
  description:
    'Print the ids that are in any of the inputs, each once, in the order and spelling of its first appearance. Letter ' +
    'case makes no difference.',
  examples: [
    'svc ids union ids.txt > clean.txt',
    'svc ids union ids.txt export.csv > both.txt',
    'svc lists members VIP -o ids | svc ids union - ids.txt',
  ],
  arguments: [
    {
      name: 'input',
      takes: 'file',
      summary: 'files, or - for standard input',
      isRequired: true,
      isVariadic: true,
    },
  ],
  options: inputOptions,
  effect: 'reads',
  shows: idView,
  run: async (context, [files], options) =>
    idRows(await readTable(context, { files }, options)),
})

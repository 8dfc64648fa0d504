import { defineCommand } from '../../cli/command.ts'
import { idRows, idView, readTable, readingOptions } from '../id-reading.ts'

export const dedupe = defineCommand({
  path: 'ids dedupe',
  summary: 'print each id of an input once',
  description:
    'Print each id of an input once, in the order and spelling of its first appearance. Letter case makes no difference.',
  examples: ['svc ids dedupe ids.txt > clean.txt', 'svc ids dedupe export.csv -o json'],
  arguments: [
    { name: 'input', takes: 'file', summary: 'a file, or - for standard input', isRequired: true },
  ],
  options: { ...readingOptions },
  effect: 'reads',
  shows: idView,
  run: async (context, word, options) =>
    idRows(await readTable(context, { files: [word] }, options)),
})

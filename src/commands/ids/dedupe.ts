import { defineCommand, type Verb } from '../../cli/verb.ts'
import { idRows, idView, readTable, readingOptions } from '../id-reading.ts'

export const dedupe: Verb = (ids, run) =>
  readingOptions(
    defineCommand(ids, 'dedupe', 'print each id of an input once', [
      'svc ids dedupe ids.txt > clean.txt',
      'svc ids dedupe export.csv -o json',
    ]),
  )
    .description(
      'Print each id of an input once, in the order and spelling of its first appearance. Letter case makes no difference.',
    )
    .argument('<input>', 'a file, or - for standard input')
    .action(run(idView, async (context, word, options) => idRows(await readTable(context, [word], options))))

import type { Verb } from '../../cli/verb.ts'
import { examples } from '../../cli/options.ts'
import { readingOptions } from '../id-options.ts'
import { idRows, idView, readTable } from '../id-reading.ts'

export const dedupe: Verb = (ids, run) =>
  readingOptions(ids.command('dedupe'))
    .summary('print each id of an input once')
    .description(
      'Print each id of an input once, in the order and spelling of its first appearance. Letter case makes no difference.',
    )
    .argument('<input>', 'a file, or - for standard input')
    .addHelpText('after', examples('svc ids dedupe ids.txt > clean.txt', 'svc ids dedupe export.csv -o json'))
    .action(run(idView, async (context, word, options) => idRows(await readTable(context, [word], options))))

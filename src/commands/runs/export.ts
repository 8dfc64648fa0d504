import { rows } from '../../output/output.ts'
import type { Verb } from '../../verb.ts'
import { assignReceiptView, receiptView } from '../../views/bulk.ts'
import { examples } from '../options.ts'
import { parseOutcomes } from '../outcomes.ts'
import { stateFolder } from './folder.ts'

export const exportRun: Verb = (runs, run) =>
  runs
    .command('export')
    .summary('print what became of each id of a run')
    .description('Print what became of each id of a run, in the order of its input.')
    .argument('<run>', 'as svc runs list names it')
    .option('--outcome <a,b>', 'only these outcomes, for example error,unknown', parseOutcomes)
    .addHelpText(
      'after',
      examples(
        'svc runs export 20260301T101500Z-7f3a -o csv',
        'svc runs export 20260301T101500Z-7f3a --outcome unknown,not-attempted -o ids',
      ),
    )
    .action(
      run(assignReceiptView, async (tools, name, options) => {
        const [{ readRecorded }, { allReceipts }] = await Promise.all([
          import('../../bulk/recorded.ts'),
          import('../../bulk/receipts.ts'),
        ])
        const { run: recorded, book, batches } = await readRecorded(await stateFolder(tools), name)
        book.closeAll()
        const view = recorded.operation === 'tickets.assign' ? assignReceiptView : receiptView
        return rows(allReceipts(book, batches, options.outcome), { view, empty: 'no ids' })
      }),
    )

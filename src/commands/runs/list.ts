import { parseLimit } from '../../values.ts'
import { rows } from '../../output/result.ts'
import type { Verb } from '../../cli/verb.ts'
import { runView } from '../../resources/run.ts'
import { examples } from '../../cli/options.ts'
import { rowOf } from './reading.ts'

export const list: Verb = (runs, run) =>
  runs
    .command('list')
    .summary('list recorded bulk runs, newest first')
    .description('List recorded bulk runs, newest first.')
    .option('--limit <n|all>', 'the most rows (default: 50 for table, all for other formats)', (text) =>
      parseLimit(text),
    )
    .addHelpText('after', examples('svc runs list', 'svc runs list --json'))
    .action(
      run(runView, async (context, options) => {
        const { listRuns } = await import('../../bulk/store.ts')
        const { stateDir } = await context.configuration()
        const all = await listRuns(context.host, stateDir.value)
        const begun = all.filter(({ run: recorded, problem }) => recorded !== undefined || problem !== undefined)
        const limit = options.limit ?? (context.print.format === 'table' ? 50 : 'all')
        const listed = limit === 'all' ? begun : begun.slice(0, limit)
        for (const { id, problem } of listed) if (problem !== undefined) context.warn(`run ${id}: ${problem}`)
        const cut = `Showing ${listed.length} of ${begun.length} runs. Use --limit all for all of them.`
        const notes = listed.length < begun.length ? [cut] : []
        return rows(listed.map(rowOf), { empty: 'no recorded runs', ending: { notes } })
      }),
    )

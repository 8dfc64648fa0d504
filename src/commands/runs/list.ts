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
      run(runView, async (tools, options) => {
        const { listRuns } = await import('../../bulk/store.ts')
        const { stateDir } = await tools.configuration()
        const all = await listRuns(tools.host, stateDir.value)
        const begun = all.filter(({ run: recorded, problem }) => recorded !== undefined || problem !== undefined)
        const limit = options.limit ?? (tools.print.format === 'table' ? 50 : 'all')
        const listed = limit === 'all' ? begun : begun.slice(0, limit)
        for (const { id, problem } of listed) if (problem !== undefined) tools.warn(`run ${id}: ${problem}`)
        const after = (): void => {
          if (listed.length < begun.length) {
            tools.note(`Showing ${listed.length} of ${begun.length} runs. Use --limit all for all of them.`)
          }
        }
        return rows(listed.map(rowOf), { empty: 'no recorded runs', after })
      }),
    )

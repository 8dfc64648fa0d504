import { rows } from '../../output/output.ts'
import type { Verb } from '../../verb.ts'
import { runView } from '../../views/run.ts'
import { examples } from '../options.ts'
import { stateFolder } from './folder.ts'
import { rowOf } from './row.ts'

export const list: Verb = (runs, run) =>
  runs
    .command('list')
    .summary('list recorded bulk runs, newest first')
    .description('List recorded bulk runs, newest first.')
    .addHelpText('after', examples('svc runs list', 'svc runs list --json'))
    .action(
      run(runView, async (tools) => {
        const { listRuns } = await import('../../bulk/journal.ts')
        const listed = await listRuns(tools.host, await stateFolder(tools))
        for (const { name, problem } of listed) if (problem !== undefined) tools.warn(`run ${name}: ${problem}`)
        return rows(listed.map(rowOf), { empty: 'no recorded runs' })
      }),
    )

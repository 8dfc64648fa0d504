import type { RunFile } from '../../bulk/journal.ts'
import { grouped } from '../../grouped.ts'
import { document } from '../../output/output.ts'
import type { Verb } from '../../verb.ts'
import { outcomeView } from '../../views/bulk.ts'
import { examples } from '../options.ts'
import { stateFolder } from './folder.ts'

/** What the counts are of. */
function aboutRun({ run, operation, items, kind, target, baseUrl, profile, key, startedAt }: RunFile): string {
  const to = target === null ? '' : `, to ${target.name === undefined ? target.id : `"${target.name}"`}`
  const on = `${profile === null ? '' : `"${profile}", `}${new URL(baseUrl).host}, key ${key.ending}`
  return `run ${run}: ${operation}${to}, ${grouped(items)} ${kind === 'pairs' ? 'pair' : 'id'}${items === 1 ? '' : 's'}, on ${on}; begun ${startedAt}`
}

export const show: Verb = (runs, run) =>
  runs
    .command('show')
    .summary('show the summary of a recorded run')
    .description('Show the summary of a recorded run, as it was printed when the run ended.')
    .argument('<run>', 'as svc runs list names it')
    .addHelpText('after', examples('svc runs show 20260301T101500Z-7f3a', 'svc runs show 20260301T101500Z-7f3a --json'))
    .action(
      run(outcomeView, async (tools, name) => {
        const [{ readRecorded, recordedSummary }, { lockHolder }] = await Promise.all([
          import('../../bulk/recorded.ts'),
          import('../../bulk/lock.ts'),
        ])
        const recorded = await readRecorded(await stateFolder(tools), name)
        const holder = await lockHolder(tools.host, recorded.dir)
        if (holder !== undefined) tools.note(`process ${holder} works on this run; this is how far it is`)
        const summary = recordedSummary(recorded)
        if (tools.print.format === 'table') tools.note(aboutRun(recorded.run))
        return document(summary.document, summary.rows)
      }),
    )

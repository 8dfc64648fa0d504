import { parseDuration } from '../../args.ts'
import { rows } from '../../output/output.ts'
import type { Verb } from '../../verb.ts'
import { runView, type RunRow } from '../../views/run.ts'
import { examples } from '../options.ts'
import { stateFolder } from './folder.ts'
import { rowOf } from './row.ts'

export const prune: Verb = (runs, run) =>
  runs
    .command('prune')
    .summary('remove recorded runs that are older than a time')
    .description(
      'Remove recorded runs that began longer ago than a time, unfinished and damaged ones too; they cannot be resumed then.\n' +
        'Runs that are being worked on stay.',
    )
    .requiredOption('--older-than <duration>', 'for example 30d', (text) => parseDuration(text, '--older-than'))
    .option('--dry-run', 'only list what would be removed')
    .addHelpText('after', examples('svc runs prune --older-than 30d --dry-run', 'svc runs prune --older-than 90d'))
    .action(
      run(runView, async (tools, options) => {
        const { listRuns, removeRun } = await import('../../bulk/journal.ts')
        const stateDir = await stateFolder(tools)
        const before = tools.host.now() - options.olderThan
        const removed: RunRow[] = []
        for (const listed of await listRuns(tools.host, stateDir)) {
          if (listed.holder !== undefined || listed.beganAt >= before) continue
          if (options.dryRun !== true) await removeRun(tools.host, stateDir, listed.name)
          removed.push(rowOf(listed))
        }
        const words = options.dryRun === true ? 'would be removed' : 'removed'
        const after = (): void => {
          if (removed.length > 0) tools.note(`${removed.length} ${removed.length === 1 ? 'run' : 'runs'} ${words}`)
        }
        return rows(removed, { empty: 'no runs are that old', after })
      }),
    )

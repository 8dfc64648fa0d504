import { lockOptions } from '../../cli/bulk-options.ts'
import { defineVerb } from '../../cli/verb.ts'
import { parseDuration } from '../../values.ts'
import { rows } from '../../output/result.ts'
import { pluralize } from '../../words.ts'
import { runsView } from './reading.ts'

export const verb = defineVerb({
  description:
    'Remove recorded runs that started longer ago than a given age; they can no ' +
    'longer be resumed. It asks first about runs that have something left to do, ' +
    'skips runs that a process is working on, and keeps damaged runs, with a warning ' +
    'for each. A run with a --once name keeps its name and summary for good, so that ' +
    'the same command still sends nothing.',
  examples: [
    'svc runs prune --older-than 30d --dry-run',
    'svc runs prune --older-than 90d --yes',
  ],
  options: {
    olderThan: {
      value: 'duration',
      summary: 'for example 30d',
      parse: parseDuration,
      isRequired: true,
    },
    takeOver: lockOptions.takeOver,
    dryRun: { summary: 'only list what would be removed' },
  },
  effect: 'local',
  shows: runsView,
  run: async (context, _args, options) => {
    const { pruneRuns } = await import('../../bulk/prune.ts')
    const removed = await pruneRuns(context, options)
    const words = options.dryRun === true ? 'would be removed' : 'removed'
    const notes = removed.length > 0 ? [`${pluralize(removed.length, 'run')} ${words}`] : []
    const { rowOf } = await import('./run-row.ts')
    return rows(removed.map(rowOf), { empty: 'no runs are that old', ending: { notes } })
  },
})

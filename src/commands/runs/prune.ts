import { defineVerb } from '../../cli/verb.ts'
import { usageError } from '../../errors.ts'
import { parseDuration } from '../../values.ts'
import { pluralize } from '../../words.ts'
import { recordRows, rowOf, runArgument, runColumns } from '../../cli/recorded-runs.ts'

export const verb = defineVerb({
  description:
    'Remove the files of finished runs that started longer ago than a given age; the names ' +
    'of these runs can be used again. Runs with something left to send or to find out are removed ' +
    'only by their id or name, and svc asks first. Runs that a process is working on ' +
    'stay.',
  examples: [
    'svc runs prune --older-than 30d --dry-run',
    'svc runs prune --older-than 90d',
    'svc runs prune cleanup-2026-03-01 --yes',
  ],
  arguments: [{ ...runArgument, isVariadic: true }],
  options: {
    olderThan: { value: 'duration', summary: 'for example 30d', parse: parseDuration },
    dryRun: { summary: 'only list what would be removed' },
  },
  effect: 'local',
  columns: runColumns,
  ids: 'run',
  run: async (context, [names], { olderThan, dryRun }) => {
    const isByName = names.length > 0
    const isByAge = olderThan !== undefined
    // One of them, and not both.
    if (isByName === isByAge)
      throw usageError('name runs, or the age of finished ones with --older-than')
    const { pruneNamed, pruneOld } = await import('../../runs/prune.ts')
    const affected = isByAge
      ? await pruneOld(context, olderThan, dryRun)
      : await pruneNamed(context, names, dryRun)
    const notes: string[] = []
    const words = dryRun === true ? 'would be removed' : 'removed'
    if (affected.length > 0) notes.push(`${pluralize(affected.length, 'run')} ${words}`)
    const isNameFreed = affected.some(({ summary }) => typeof summary?.name === 'string')
    if (isNameFreed && dryRun !== true)
      notes.push(
        'the names of these runs are free again, and a command that uses one starts a new run',
      )
    return recordRows(context, affected.map(rowOf), {
      empty: 'nothing was removed',
      ending: { notes },
    })
  },
})

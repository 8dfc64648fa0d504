import { defineCommand } from '../../cli/command.ts'
import { mayArrive } from '../../api/limits.ts'
import { parseId } from '../../values.ts'
import { SvcError, usageError } from '../../errors.ts'
import { record } from '../../output/result.ts'
import { schemaOf, type Context } from '../../cli/verb.ts'
import { outcomeView } from '../../resources/bulk.ts'
import { mergeView } from '../../resources/merge.ts'
import { bulkOptions, refuseRunOptions } from '../../cli/bulk-options.ts'
import { dryRunOf } from '../dry-run.ts'
import { peopleOf, whoOption } from '../directory.ts'

export const merge = defineCommand({
  path: 'contacts merge',
  summary: 'merge one contact into another; cannot be undone',
  description:
    'Merge one contact into another, or the pairs of a csv file with the columns source and target. This cannot be undone.',
  examples: [
    'svc contacts merge 6400057ed5aad2927b000026 \\\n    --into 640005a3d5aad2927b000027 --dry-run',
    'svc contacts merge --file pairs.csv --dry-run',
    'svc contacts merge --file pairs.csv --expect 2 --yes --receipts out.csv',
  ],
  arguments: [{ name: 'source', summary: 'the contact that is merged' }],
  options: {
    ...bulkOptions('contacts.merge'),
    ...whoOption,
    into: { value: 'target', summary: 'the contact that stays' },
  },
  effect: 'contacts.merge',
  shows: { ...mergeView, schema: schemaOf('Merged') },
  bulkShows: { ...outcomeView, schema: schemaOf('Summary') },
  run: async (context, source, options) => {
    if (options.file.length > 0) {
      if (source !== undefined || options.into !== undefined)
        throw usageError('--file cannot be used with a source or --into')
      const job = await context.bulk.jobOfPairs('contacts.merge', options)
      return context.bulk.start({ job, target: peopleOf(context, options) })
    }
    if (source === undefined || options.into === undefined) {
      throw usageError(
        'name the contact to merge, and the contact that stays with --into',
        'svc contacts merge <source> --into <target>, or --file <pairs.csv>',
      )
    }
    refuseRunOptions(options)
    const pair = { source: parseId(source, 'the source'), target: parseId(options.into, '--into') }
    if (pair.source.toLowerCase() === pair.target.toLowerCase())
      throw usageError('a contact cannot be merged into itself')
    if (options.dryRun === true) {
      const request = { sourceContactId: pair.source, body: { targetContactId: pair.target } }
      return dryRunOf(context, `merge ${pair.source} into ${pair.target}`, 'contacts.merge', request)
    }
    return record(await mergeOne(context, pair))
  },
})

/** Asks, merges once, never again: what is unknown is said with both ids and the time to look. Throws exit 7, 9. */
async function mergeOne(context: Context, { source, target }: { source: string; target: string }) {
  await context.permit({ operation: 'contacts.merge', ids: 1 })
  const { contacts } = await context.api()
  const { onProfile } = await import('../../bulk/telling/confirm.ts')
  const where = onProfile((await context.configuration()).profile())
  await context.confirm({
    kind: 'yes-no',
    message: `Merge the contact ${source} into ${target}${where}? This cannot be undone.`,
  })
  try {
    return await contacts.merge(source, target)
  } catch (error) {
    if (!(error instanceof SvcError) || error.details.ambiguous !== true) throw error
    throw error.withHint(
      `the merge of ${source} into ${target} may have been made, and was not sent again;\n` +
        `${mayArrive(context.host)}: check both contacts after that, before you try again`,
    )
  }
}
